"""Parameters as tensors, to compute energies with and not to train."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from transa.models.energy import Parameters

if TYPE_CHECKING:
    from torch import Tensor


def as_tensors(parameters: Parameters) -> dict[str, Tensor]:
    """Tensors that share the arrays' memory."""
    import torch

    with warnings.catch_warnings():
        # Arrays from a model folder are read-only; so is all that is done to them.
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return {name: torch.from_numpy(table) for name, table in parameters.items()}
