"""Relations by how many tails a head has, and heads a tail (Bordes et al. 2013, section 4.3)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from transa.graph import Triples
from transa.graph.sorting import distinct_triples

Category: TypeAlias = Literal["1-1", "1-N", "N-1", "N-N"]
CATEGORIES: tuple[Category, ...] = ("1-1", "1-N", "N-1", "N-N")

_MANY = 1.5
"""A side counts as N when, given the other, it has on average this many entities or more."""


def relation_categories(triples: Triples, n_relations: int) -> list[Category]:
    """The category of each relation, heads first: `1-N` has many tails for a head.

    A relation without triples counts as 1-1.
    """
    distinct = distinct_triples(triples)
    per_relation = np.bincount(distinct[:, 1], minlength=n_relations)
    tails_per_head = per_relation / _distinct_ends(distinct, 0, n_relations)
    heads_per_tail = per_relation / _distinct_ends(distinct, 2, n_relations)
    # Bit 0: many tails for a head; bit 1: many heads for a tail.
    code = (tails_per_head >= _MANY) + 2 * (heads_per_tail >= _MANY)
    return [CATEGORIES[c] for c in code]


def _distinct_ends(triples: Triples, column: int, n_relations: int) -> np.ndarray:
    """How many distinct heads or tails each relation has; at least 1."""
    pairs = np.unique(triples[:, 1].astype(np.int64) << 32 | triples[:, column])
    return np.maximum(np.bincount(pairs >> 32, minlength=n_relations), 1)
