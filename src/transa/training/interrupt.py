"""Ctrl-C as a request: the first ends the run cleanly, the second at once."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar, TypeAlias

_LOG = logging.getLogger(__name__)


# What a terminal sends when it is closed; not on Windows.
_HANG_UP = getattr(signal, "SIGHUP", None)
_SIGNALS = [n for n in (signal.SIGINT, signal.SIGTERM, _HANG_UP) if n is not None]


StopAsked: TypeAlias = Callable[[], bool]
"""Whether to stop: asked between slices of work, of about a second at most."""


class StopRequestedError(Exception):
    """Raised out of work that is not worth keeping in part, when it is to stop."""


def never() -> bool:
    """Nobody asks to stop."""
    return False


class Interrupt:
    """While entered, SIGINT, SIGTERM and SIGHUP set `requested` instead of ending the process.

    A second signal gets its usual treatment, and so does the first while there is nothing to lose.
    Signals reach the main thread only; elsewhere this does nothing.

    Attributes:
        requested: whether one has come.
        last: the last that came to any of these, for whoever tells it by an exit code.
    """

    last: ClassVar[int] = signal.SIGINT

    def __init__(self, nothing_to_lose: Callable[[], bool] = never) -> None:
        self.requested, self._nothing_to_lose = False, nothing_to_lose
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                # Under nohup a run goes on when its terminal is closed.
                if number == _HANG_UP and signal.getsignal(number) == signal.SIG_IGN:
                    continue
                self._before[number] = signal.signal(number, self._request)
        return self

    def _request(self, number: int, _frame: FrameType | None) -> None:
        self.requested, Interrupt.last = True, number
        self._restore()
        if self._nothing_to_lose():
            signal.raise_signal(number)
            return
        # Said at once: who hears nothing presses again, and loses the checkpoint.
        _LOG.warning("stopping once the work in hand is saved; press again to stop immediately")

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def __exit__(self, *_: object) -> None:
        self._restore()
