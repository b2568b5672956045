"""How much memory there is, asked before something large is made."""

from __future__ import annotations

import os
from pathlib import Path

from transa.errors import TooLargeError

_GROUPS = (
    # What a container may use and does use: the second version of Linux's control groups, the first
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def available_memory() -> int | None:
    """Bytes that this process can still get: the machine's, its container's, its own limit's.

    None where the system does not say.
    """
    found = [_of_the_machine(), _of_the_process(), *(_of_the_group(*group) for group in _GROUPS)]
    return min((bytes_ for bytes_ in found if bytes_ is not None), default=None)


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Refuse what would not fit, before any of it is made.

    Raises:
        TooLargeError: "`what` would need 190.0 GB of memory, and 24.0 are free; `remedy`".
    """
    available = available_memory()
    if available is not None and needed > available:
        raise TooLargeError(
            f"{what} would need {needed / 1e9:,.1f} GB of memory, and {available / 1e9:,.1f} are "
            f"free; {remedy}"
        )


def _of_the_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return None
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_the_process() -> int | None:
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return None
    return None if limit == resource.RLIM_INFINITY else max(0, limit - used)


def _of_the_group(limit: str, used: str) -> int | None:
    try:
        return max(0, int(Path(limit).read_text()) - int(Path(used).read_text()))
    except (OSError, ValueError):
        # No such group, or "max".
        return None
