"""After a fork: the threads of Polars and PyTorch stay behind, and who waits for them never ends.

PyTorch does without them. Polars does not, so that what needs it is refused.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from transa.errors import ConfigError


@dataclass
class _Threads:
    """Whether Polars has threads in this process, and who lost theirs in a fork."""

    polars_used: bool = False
    polars_lost: bool = False
    torch_lost: bool = False

    def forked(self) -> None:
        """This is the child."""
        self.polars_lost = self.polars_used
        if "torch" in sys.modules:
            self.torch_lost = True
            sys.modules["torch"].set_num_threads(1)


_threads = _Threads()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.forked)


def threads_left(wanted: int) -> int:
    """How many threads PyTorch may have: one in the child of a process that had loaded it."""
    return 1 if _threads.torch_lost else wanted


def before_polars() -> None:
    """To be called before work that Polars shares out to its threads.

    Raises:
        ConfigError: in the child of a process that had them; says how to start it instead.
    """
    if _threads.polars_lost:
        raise ConfigError(
            "graphs and models cannot be read or written in a process that was forked after the "
            "first of them; start workers by multiprocessing.get_context('spawn')"
        )
    _threads.polars_used = True
