"""Work in a process of its own: its start counts, and so does its peak memory.

A child prints what it found as JSON on its last line. It is run as ``python -m benchmarks.children
MODULE FUNCTION [ARGUMENT ...]``.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BYTES_PER_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
_STATUS = Path("/proc/self/status")
_LOOK_SECONDS = 0.005


def in_own_process(module: str, function: str, *arguments: object) -> dict[str, Any]:
    """Call a function in a fresh process; what it returns, and the seconds from start to end."""
    words = [str(argument) for argument in arguments]
    command = [sys.executable, "-m", "benchmarks.children", module, function, *words]
    began = time.perf_counter()
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, **json.loads(run.stdout.splitlines()[-1])}


def run_command(*words: str, environment: Mapping[str, str] | None = None) -> float:
    """The seconds of a command whose output does not matter."""
    began = time.perf_counter()
    run = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if run.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {run.stderr.strip()[-500:]}")
    return time.perf_counter() - began


def peak_memory() -> int:
    """Bytes this process held at most."""
    # Linux charges a process with the peak of the one it came from, but not here.
    found = _status("VmHWM")
    return found or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_PER_RSS_UNIT


def _status(what: str) -> int:
    """Bytes that Linux states of this process; 0 where it does not."""
    if _STATUS.is_file():
        for line in _STATUS.read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    return 0


class OwnMemory:
    """How much memory is this process's own, at most: without the libraries' code.

    That is files mapped into memory, shared by all processes and given back when memory is short.
    Linux keeps no record of the peak, so that it is asked again and again; 0 on other systems.
    """

    def __init__(self) -> None:
        self.peak, self._over = 0, threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            self.peak = max(self.peak, _status("RssAnon"))

    def stop(self) -> int:
        """End the watch; bytes at most."""
        self._over.set()
        return max(self.peak, _status("RssAnon"))


def main() -> None:
    """Call what the command line names."""
    module, function, *arguments = sys.argv[1:]
    found = getattr(importlib.import_module(module), function)(*arguments)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
