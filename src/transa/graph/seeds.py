"""What random numbers may begin with."""

from __future__ import annotations

from transa.errors import ConfigError


def checked_seed(seed: int) -> int:
    """The seed, if it is one."""
    if seed < 0:
        raise ConfigError(f"seed is not negative, found {seed}")
    return seed
