"""Tables as tensors, to compute energies with and not to train."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor


def as_tensors(tables: Mapping[str, NDArray[np.float32]]) -> dict[str, Tensor]:
    """Tensors that share the arrays' memory, which they must not write to."""
    import torch

    return {name: torch.from_numpy(np.asarray(_Shared(table))) for name, table in tables.items()}


class _Shared:
    """An array said to be writable: PyTorch has no read-only tensors, and warns of arrays that are.

    To silence the warning would be to do so for every thread of the process.
    """

    def __init__(self, array: NDArray[np.float32]) -> None:
        self._kept_alive = array
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}
