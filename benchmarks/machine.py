"""What a benchmark ran on: figures mean nothing without it."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from transa.kernels.threads import available_threads

# Same work, same threads: as many as a small laptop has.
THREADS = min(2, available_threads())

_PACKAGES = ("transa", "numba", "numpy", "torch", "pykeen", "torchkge")


def facts() -> dict[str, Any]:
    """Processor, memory, system, versions and commit."""
    return {
        "cpu": _cpu(),
        "cores": available_threads(),
        "threads": THREADS,
        "memory_gb": _memory_gb(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
        "commit": _commit(),
        "load": _load(),
    }


def _cpu() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (ValueError, OSError):
        return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit the source is at, with a + if the source differs from it."""
    root = Path(__file__).parents[1]
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", "src")
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return run.stdout.strip()


def _load() -> float | None:
    """Processes that were running as this began: over 1, the machine was not quiet."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
