"""Which sizes kernels are compiled for: a few that are common, and one kernel for all others."""

from __future__ import annotations

# Sizes that kernels are compiled for, each once on a machine. All others share a kernel that learns
# its sizes as it runs, which takes 5 to 11 % longer: see experiments/log.md, "Fewer kernels".
COMMON_DIMS, COMMON_NEGATIVES = (50, 100, 200, 400), (1, 16)
ANY = 0


def compiled_dim(dim: int) -> int:
    """The dimensions to compile a kernel for."""
    return dim if dim in COMMON_DIMS else ANY


def compiled_sizes(dim: int, negatives: int) -> tuple[int, int]:
    """The dimensions and negatives to compile a kernel for."""
    is_common = dim in COMMON_DIMS and negatives in COMMON_NEGATIVES
    return (dim, negatives) if is_common else (ANY, ANY)
