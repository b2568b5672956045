"""What a user can do something about, said in a sentence.

Every error that input or configuration can cause is a `TransaError`; the command line prints its
message and exits with 2, without a traceback. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from numbers import Integral
from types import ModuleType


class TransaError(Exception):
    """Base of all errors that the user can act on."""


class InputError(TransaError, ValueError):
    """A file, frame or array that is not the graph it should be."""


class TooLargeError(TransaError, MemoryError):
    """Something that would not fit into memory, refused before it is made."""


class UnknownNameError(TransaError, KeyError):
    """A label, data set, model or option that does not exist; suggests one that does."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message, quotes and all.
        return str(self.args[0]) if self.args else ""


class ConfigError(TransaError, ValueError):
    """A combination of settings that is not legal; the message says what would be."""


class StoreError(TransaError):
    """A model folder or checkpoint that cannot be trusted or read."""


class DownloadError(TransaError):
    """A named graph that could not be fetched from its public home."""


class TrainingError(TransaError):
    """Training that cannot go on: a loss or margin that is not finite."""


class NotFittedError(TransaError, AttributeError):
    """Something learnt was asked of an estimator that has not learnt yet."""


def one_of(setting: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value that is not one of a setting's choices."""
    if not isinstance(value, str | None) or value not in choices:
        listed = ", ".join(str(choice) for choice in choices if choice is not None)
        raise ConfigError(f"{setting} is one of {listed}; found {value!r:.100}")


def checked_seed(seed: int) -> int:
    """What random numbers begin with, if it can be that."""
    if not isinstance(seed, Integral) or seed < 0:
        raise ConfigError(f"seed is not negative and a whole number, found {seed!r:.100}")
    return int(seed)


def optional(module: str, extra: str, purpose: str) -> ModuleType:
    """A module that only some installations have.

    Raises:
        ConfigError: says what it is for and how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        # A library that is there and yet does not load has a reason of its own.
        reason = "" if isinstance(error, ModuleNotFoundError) else f" (found: {error})"
        raise ConfigError(
            f"{purpose} needs {package}{reason}: pip install 'transa[{extra}]'"
        ) from error
