"""What a user can do something about, said in a sentence.

Every error that input or configuration can cause is a `TransaError`; the command line prints its
message and exits with 2, without a traceback. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations


class TransaError(Exception):
    """Base of all errors that the user can act on."""


class InputError(TransaError, ValueError):
    """A file, frame or array that is not the graph it should be."""


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
