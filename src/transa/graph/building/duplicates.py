"""Triples that occur more than once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.graph.graph import Triples
from transa.graph.sorting import packed

Keys: TypeAlias = NDArray[np.int64]


def keys_by_split(triples: Mapping[str, Triples]) -> dict[str, Keys]:
    """One number per triple, the same for the same triple in any split and for no other."""
    keys = packed(np.concatenate(list(triples.values())))
    ends = np.cumsum([len(ids) for ids in triples.values()])
    return dict(zip(triples, np.split(keys, ends[:-1]), strict=True))


def count_repeats(keys: Keys) -> int:
    """How many triples are copies of an earlier one."""
    ordered = np.sort(keys)
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def copies_and_originals(keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where triples are that occur before, and for each of them where it occurs first."""
    ordered = np.sort(keys)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if len(repeated) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # Mostly few are repeated: to look all up among those is faster than to order all.
    place = np.minimum(np.searchsorted(repeated, keys), len(repeated) - 1)
    (among,) = np.nonzero(repeated[place] == keys)
    _, firsts, which = np.unique(keys[among], return_index=True, return_inverse=True)
    originals = among[firsts[which]]
    is_copy = originals != among
    return among[is_copy], originals[is_copy]


def count_shared(one: Keys, other: Keys) -> int:
    """How many different triples occur on both sides."""
    return len(np.intersect1d(one, other))


def drop_copies(triples: Mapping[str, Triples], keys: Mapping[str, Keys]) -> dict[str, Triples]:
    """Leave the first of all copies: those of an earlier split come before those of a later."""
    everything = np.concatenate([keys[split] for split in triples])
    is_first = np.ones(len(everything), dtype=np.bool_)
    is_first[copies_and_originals(everything)[0]] = False
    ends = np.cumsum([len(ids) for ids in triples.values()])
    masks = np.split(is_first, ends[:-1])
    return {split: ids[mask] for (split, ids), mask in zip(triples.items(), masks, strict=True)}
