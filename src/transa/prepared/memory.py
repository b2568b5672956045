"""How many partitions leave room: what preparing and training hold in memory, reckoned."""

from __future__ import annotations

import re

from transa.errors import ConfigError, TooLargeError
from transa.prepared.layout import Layout

MOST_PARTITIONS = 1024

# Bytes. The interpreter, the libraries and compiled kernels.
_BASE = 400 << 20
# A question of a turn: its triple as its file has it and as ids of rows at hand, its answers.
_A_TRIPLE = 70
# For each question of a partition: to sort neighbours once, to reduce margins in every epoch.
_NEIGHBOURS = 90
# Ways in which each triple is asked for where relations have inverses, as by default they do.
WAYS = 2
# Partitions in memory besides those at hand: one that comes, two that go.
SPARE = 3
# Partitions at hand that a graph is prepared for: with fewer, corruptions come from too few.
AT_HAND = 4

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def bytes_of(text: str) -> int:
    """The number of bytes that a text such as ``4GB`` tells.

    Raises:
        ConfigError: if it tells none.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", str(text).lower())
    if found is None:
        raise ConfigError(f"memory is a number of bytes such as 4GB or 800MB, found {text!r:.100}")
    return int(float(found[1]) * _UNITS[found[2]])


def needed(layout: Layout, at_hand: int, n_triples: int, row_bytes: int) -> int:
    """Bytes that training takes with so many partitions at hand, a row of vectors being so long.

    Of triples, those count double that are trained on both ways.
    """
    partitions = layout.partitions
    in_memory = at_hand + (SPARE if at_hand < partitions else 0)
    triples = n_triples * (at_hand / partitions) ** 2 * _A_TRIPLE
    margins = n_triples / partitions * _NEIGHBOURS
    return int(_BASE + in_memory * layout.rows * row_bytes + triples + margins)


def choose_layout(n_entities: int, n_triples: int, row_bytes: int, memory: int) -> Layout:
    """The fewest partitions that fit: one, or as many as let a few of them be at hand.

    Raises:
        TooLargeError: if none do; says what would.
    """
    for partitions in (1, *range(2 * AT_HAND, min(n_entities, MOST_PARTITIONS) + 1, AT_HAND)):
        layout = Layout.of(n_entities, partitions)
        takes = needed(layout, min(AT_HAND, layout.partitions), n_triples, row_bytes)
        if takes <= memory:
            return layout
    raise TooLargeError(
        f"{memory / 1e9:,.1f} GB of memory are too little for even one bucket of this graph: "
        f"{layout.partitions:,} partitions need {takes / 1e9:,.1f}; give more (--memory), or fewer "
        "dimensions (--dim)"
    )


def choose_at_hand(layout: Layout, n_triples: int, row_bytes: int, memory: int) -> int:
    """As many partitions at hand as fit.

    Raises:
        TooLargeError: if not even two do.
    """
    for at_hand in range(layout.partitions, min(2, layout.partitions) - 1, -1):
        takes = needed(layout, at_hand, n_triples, row_bytes)
        if takes <= memory:
            return at_hand
    raise TooLargeError(
        f"this graph in {layout.partitions:,} partitions takes {takes / 1e9:,.1f} GB of memory to "
        f"train, and {memory / 1e9:,.1f} are to be had; prepare it in more partitions (transa "
        "prepare --memory), or give it fewer dimensions (--dim)"
    )
