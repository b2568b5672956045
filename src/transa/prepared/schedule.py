"""Few reads by search: which partition comes in each turn, and which goes.

A beam search over sets of partitions at hand. Kept are the ways that have left the fewest pairs to
meet and the fewest partitions that are still to meet anyone: where all have a little left, every
read at the end brings little.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import NamedTuple

# Steps of search that are worth while: about a second, once a run.
_STEPS = 100_000
_WIDEST = 64
# Of more partitions, Marius' order is better than what so few steps find.
_MOST_PARTITIONS = 20
# Ways alike in what each partition has left to meet that are kept.
_ALIKE = 8


class Swap(NamedTuple):
    """A partition that comes, and the one that goes."""

    comes: int
    goes: int


class _Way(NamedTuple):
    """What is at hand, whom each partition has still to meet (as bits), and how it came to that."""

    at_hand: int
    unmet: tuple[int, ...]
    before: _Way | None = None
    swap: Swap | None = None


@lru_cache(maxsize=32)
def few_swaps(partitions: int, at_hand: int, fewest: int) -> tuple[Swap, ...] | None:
    """Swaps after which every two have met, the first ones being at hand; None if none are found.

    Args:
        partitions: how many there are.
        at_hand: how many are in memory at a time, at least two and not all.
        fewest: reads that there are at least.
    """
    if partitions > _MOST_PARTITIONS:
        return None
    each = (partitions - at_hand) * at_hand * fewest
    width = min(_WIDEST, _STEPS // each)
    rng, first = random.Random(0), (1 << at_hand) - 1  # noqa: S311 (no secret)
    everyone = (1 << partitions) - 1
    unmet = [everyone & ~(1 << p) & (~first if p < at_hand else -1) for p in range(partitions)]
    ways = [_Way(first, tuple(unmet))]
    while ways and width:
        found: dict[tuple[int, tuple[int, ...]], tuple[float, _Way]] = {}
        for way in ways:
            for following in _following(way, partitions):
                if not any(following.unmet):
                    return _swaps_of(following)
                key = (following.at_hand, following.unmet)
                if key not in found:
                    found[key] = (_left(following) + rng.random(), following)
        ways = _best(list(found.values()), width)
    return None


def _following(way: _Way, partitions: int) -> list[_Way]:
    """All that one swap leads to by which someone meets."""
    found = []
    for comes in range(partitions):
        meets = way.unmet[comes] & way.at_hand
        if way.at_hand >> comes & 1 or not meets:
            continue
        for goes in range(partitions):
            stays = way.at_hand & ~(1 << goes)
            if stays == way.at_hand or not meets & stays:
                continue
            unmet = list(way.unmet)
            unmet[comes] &= ~stays
            for other in _bits(meets & stays):
                unmet[other] &= ~(1 << comes)
            found.append(_Way(stays | 1 << comes, tuple(unmet), way, Swap(comes, goes)))
    return found


def _bits(number: int) -> list[int]:
    return [place for place in range(number.bit_length()) if number >> place & 1]


def _left(way: _Way) -> float:
    """Pairs that are to meet, and partitions that are in them."""
    return sum(map(int.bit_count, way.unmet)) / 2 + sum(map(bool, way.unmet))


def _best(ways: list[tuple[float, _Way]], width: int) -> list[_Way]:
    kept: list[_Way] = []
    alike: dict[tuple[tuple[int, int], ...], int] = {}
    for _, way in sorted(ways, key=lambda found: found[0])[: 3 * width]:
        counts = ((unmet.bit_count(), way.at_hand >> p & 1) for p, unmet in enumerate(way.unmet))
        kind = tuple(sorted(counts))
        alike[kind] = alike.get(kind, 0) + 1
        if alike[kind] <= _ALIKE and len(kept) < width:
            kept.append(way)
    return kept


def _swaps_of(way: _Way) -> tuple[Swap, ...]:
    swaps: list[Swap] = []
    while way.before is not None and way.swap is not None:
        swaps.append(way.swap)
        way = way.before
    return tuple(reversed(swaps))
