"""In which order partitions are brought into memory, so that every two meet with the fewest reads.

Marius' order (Mohoney et al. 2021, BETA): all but one of the partitions at hand stay while all
others pass through the last place; those that stayed have then met everyone, and others take their
places. With two at hand it is PyTorch-BigGraph's order from inside out. Of few partitions there are
better orders, which are searched for.

Where several trainers work side by side, an epoch is a tournament of groups of partitions instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from transa.prepared.layout import Pair, pairs_among
from transa.prepared.schedule import few_swaps


class Turn(NamedTuple):
    """The partitions at hand, and the buckets whose turn it is: those that no turn before had."""

    at_hand: frozenset[int]
    buckets: tuple[Pair, ...]


def turns(
    partitions: int, at_hand: int, rng: np.random.Generator, start: Iterable[int] = ()
) -> list[Turn]:
    """An epoch: every bucket once. Each turn but the first reads one partition.

    Args:
        partitions: how many there are.
        at_hand: how many are in memory at a time.
        rng: makes another order for every epoch.
        start: those in memory already, with which it then begins.
    """
    there = set(start)
    named = sorted(map(int, rng.permutation(partitions)), key=lambda p: p not in there)
    states = _marius(named, at_hand)
    if 2 <= at_hand < partitions:
        swaps = few_swaps(partitions, at_hand, fewest_reads(partitions, at_hand))
        if swaps is not None and len(swaps) + 1 < len(states):
            states = [named[:at_hand]]
            for comes, goes in swaps:
                states.append([p for p in states[-1] if p != named[goes]] + [named[comes]])
    return _with_buckets(states)


def _marius(left: list[int], at_hand: int) -> list[list[int]]:
    """Marius' order of these partitions."""
    states = [left[:at_hand]]
    while len(left) > 1:
        staying = states[-1][: at_hand - 1]
        states += [[*staying, other] for other in left if other not in states[-1]]
        left = [p for p in left if p not in staying]
        # Those that have met everyone make room, one by one.
        buffer = [p for p in states[-1] if p in left]
        done = [p for p in states[-1] if p not in left]
        for other in [p for p in left if p not in buffer][: max(0, at_hand - len(buffer))]:
            done.pop()
            buffer.append(other)
            states.append([*buffer, *done])
        if len(left) <= at_hand:
            break
    return states


def _with_buckets(states: list[list[int]]) -> list[Turn]:
    had: set[Pair] = set()
    found = []
    for state in states:
        buckets = tuple(pair for pair in pairs_among(state) if pair not in had)
        had.update(buckets)
        found.append(Turn(frozenset(state), buckets))
    return found


def rounds(partitions: int, at_hand: int, rng: np.random.Generator) -> list[list[Turn]]:
    """An epoch for several trainers: every bucket once, no partition in two turns of a round.

    Groups of half of those at hand, drawn anew for every epoch, meet like the players of a
    tournament in which one stays seated and all others move on by a place. A group that is left
    over waits for the next round.
    """
    if partitions <= max(at_hand, 1):
        return [_with_buckets([[*range(partitions)]])]
    size = max(1, at_hand // 2)
    drawn = list(map(int, rng.permutation(partitions)))
    seats = [drawn[first : first + size] for first in range(0, partitions, size)]
    seats += [[]] * (len(seats) % 2)
    states = []
    for _ in range(len(seats) - 1):
        met = [(seats[i], seats[-1 - i]) for i in range(len(seats) // 2)]
        states.append([[*one, *other] for one, other in met if one and other])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    turns_left = iter(_with_buckets([state for each in states for state in each]))
    return [[next(turns_left) for _ in each] for each in states]


def reads(order: list[Turn], start: Iterable[int] = ()) -> int:
    """How many partitions are read in these turns."""
    before, count = frozenset(start), 0
    for turn in order:
        count += len(turn.at_hand - before)
        before = turn.at_hand
    return count


def fewest_reads(partitions: int, at_hand: int) -> int:
    """No order reads fewer: a partition that is read meets at most those that stay."""
    if partitions <= at_hand:
        return partitions
    pairs, at_first = (n * (n - 1) // 2 for n in (partitions, at_hand))
    return at_hand + -(-(pairs - at_first) // (at_hand - 1))
