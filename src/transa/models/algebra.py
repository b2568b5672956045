"""Products over the last axes; the axes before them are triples and broadcast.

Written with einsum, which turns them into matrix products: the vectors of n questions against those
of m candidates, (n, 1, d) and (1, m, d), are one (n, d) by (d, m) product and no (n, m, d) is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def dot(one: Tensor, other: Tensor) -> Tensor:
    """⟨x, y⟩."""
    import torch

    return torch.einsum("...i,...i->...", one, other)


def apply(matrix: Tensor, vector: Tensor) -> Tensor:
    """M x."""
    import torch

    return torch.einsum("...ij,...j->...i", matrix, vector)


def bilinear(left: Tensor, tensor: Tensor, right: Tensor) -> Tensor:
    """xᵀ Wˢ y for every slice s of W (..., slices, i, j).

    The side with fewer vectors meets the matrices first: what comes of it serves all the others.
    """
    import torch

    if left.numel() <= right.numel():
        half = torch.einsum("...i,...sij->...sj", left, tensor)
        return torch.einsum("...sj,...j->...s", half, right)
    half = torch.einsum("...sij,...j->...si", tensor, right)
    return torch.einsum("...si,...i->...s", half, left)
