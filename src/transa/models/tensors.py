"""Tables as tensors, to compute energies with and not to train."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import Tables

if TYPE_CHECKING:
    import torch

Tensor: TypeAlias = "torch.Tensor"
"""The type by name, for those who only say it: to import PyTorch takes longer than most answers."""

Tensors: TypeAlias = Mapping[str, Tensor]
"""Tables by name."""


class _Lent:
    """An array's memory as if it could be written to.

    PyTorch has no tensors to read only, and would warn of each. Its warning could only be silenced
    for all threads at once.
    """

    def __init__(self, table: NDArray[np.float32]) -> None:
        address, _ = table.__array_interface__["data"]
        self.__array_interface__ = {**table.__array_interface__, "data": (address, False)}
        self._table = table


def as_tensors(parameters: Tables) -> dict[str, Tensor]:
    """Tensors that share the arrays' memory; not to be written to."""
    import torch

    return {name: torch.from_numpy(np.asarray(_Lent(t))) for name, t in parameters.items()}
