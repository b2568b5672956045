"""Products over the last axes; the axes before them are triples and broadcast.

Written with einsum, which turns them into matrix products: the vectors of n questions against those
of m candidates, (n, 1, d) and (1, m, d), are one (n, d) by (d, m) product and no (n, m, d) is made.
So that it stays one, what belongs to the relations must meet the questions and not the candidates;
see `head_first`.
"""

from __future__ import annotations

import math

import numpy as np

from transa.models.tensors import Tensor


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


def head_first(h: Tensor, r: Tensor, t: Tensor) -> bool:
    """Whether fewer vectors come of it if the relations meet the heads, and not the tails."""
    heads, tails = (math.prod(np.broadcast_shapes(ids.shape, r.shape)) for ids in (h, t))
    return heads <= tails
