"""Relations by how many tails a head has, and heads a tail (Bordes et al. 2013, section 4.3)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from transa.graph.known import KnownIndex

Category: TypeAlias = Literal["1-1", "1-N", "N-1", "N-N"]
CATEGORIES: tuple[Category, ...] = ("1-1", "1-N", "N-1", "N-N")

MANY = 1.5
"""A side counts as N when, given the other, it has on average this many entities or more."""


def relation_categories(known: KnownIndex) -> list[Category]:
    """The category of each relation, heads first: `1-N` has many tails for a head.

    A relation without triples counts as 1-1.
    """
    # Bit 0: many tails for a head; bit 1: many heads for a tail.
    many_tails, many_heads = (known.answers_a_question(side) >= MANY for side in ("tail", "head"))
    return [CATEGORIES[code] for code in many_tails + 2 * many_heads]
