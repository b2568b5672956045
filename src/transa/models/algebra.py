"""Products over the last axes; the axes before them are triples and broadcast.

Written with einsum, which turns them into matrix products: the vectors of n questions against those
of m candidates, (n, 1, d) and (1, m, d), are one (n, d) by (d, m) product and no (n, m, d) is made.
So that it stays one, the side with fewer vectors meets what belongs to the relation: what comes of
it serves all the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def rows(table: Tensor, ids: Tensor) -> Tensor:
    """The rows that ids of any shape name, (*ids.shape, ...): `table[ids]`.

    Its gradient adds row to row, which is ten times as fast as the one of `table[ids]`.
    """
    return table.index_select(0, ids.reshape(-1)).view(*ids.shape, *table.shape[1:])


def dot(one: Tensor, other: Tensor) -> Tensor:
    """⟨x, y⟩."""
    import torch

    return torch.einsum("...i,...i->...", one, other)


def apply(matrix: Tensor, vector: Tensor) -> Tensor:
    """M x."""
    import torch

    return torch.einsum("...ij,...j->...i", matrix, vector)


def fewer(one: Tensor, other: Tensor) -> bool:
    """Whether there are fewer vectors of the first kind, or as many."""
    return one.shape[:-1].numel() <= other.shape[:-1].numel()


def trilinear(left: Tensor, weights: Tensor, right: Tensor) -> Tensor:
    """Σᵢ xᵢ wᵢ yᵢ."""
    if fewer(left, right):
        return dot(left * weights, right)
    return dot(left, weights * right)


def bilinear(left: Tensor, matrix: Tensor, right: Tensor) -> Tensor:
    """xᵀ M y."""
    if fewer(left, right):
        return dot(apply(matrix.mT, left), right)
    return dot(left, apply(matrix, right))
