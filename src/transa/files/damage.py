"""Polars on what a user gave: whatever it cannot read is an error of one kind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

import polars as pl

from transa.errors import InputError

# A redirection of stderr is of the whole process.
_ONE_AT_A_TIME = Lock()


@contextmanager
def damage_told(problem: str, remedy: str) -> Iterator[None]:
    """Whatever Polars makes of damaged data, told in a sentence.

    It may raise one of its errors, one of Python's, or panic: that is no `Exception`, and is
    printed to stderr by the thread that met it, which is kept back here.
    """
    try:
        with _panics_kept_back():
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{problem} ({reason}); {remedy}") from error


@contextmanager
def _panics_kept_back() -> Iterator[None]:
    with _ONE_AT_A_TIME, tempfile.TemporaryFile() as kept:
        try:
            stderr = os.dup(2)
        except OSError:
            # Closed: nothing is printed anyway.
            yield
            return
        panicked = False
        try:
            os.dup2(kept.fileno(), 2)
            yield
        except pl.exceptions.PanicException:
            panicked = True
            raise
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            if not panicked:
                kept.seek(0)
                # A stderr that takes no more is no damage to what was read.
                with suppress(OSError):
                    os.write(2, kept.read())
