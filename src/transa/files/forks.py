"""Polars after a fork: its threads stay behind, and whoever waits for them waits for ever."""

from __future__ import annotations

import os
from dataclasses import dataclass

from transa.errors import ConfigError


@dataclass
class _Polars:
    """Whether Polars has threads in this process, and whether it lost them in a fork."""

    is_used: bool = False
    is_lost: bool = False

    def forked(self) -> None:
        """This is the child."""
        self.is_lost = self.is_used


_polars = _Polars()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_polars.forked)


def before_polars() -> None:
    """To be called before work that Polars shares out to its threads.

    Raises:
        ConfigError: in the child of a process that had them; says how to start it instead.
    """
    if _polars.is_lost:
        raise ConfigError(
            "graphs and models cannot be read or written in a process that was forked after the "
            "first of them; start workers by multiprocessing.get_context('spawn')"
        )
    _polars.is_used = True
