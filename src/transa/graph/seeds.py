"""What random numbers may begin with."""

from __future__ import annotations

import numpy as np

from transa.errors import ConfigError


def checked_seed(seed: int) -> int:
    """The seed, if it is one."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ConfigError(f"seed is not negative and a whole number, found {seed!r:.100}")
    return int(seed)
