"""Negative samples: which side of a triple is corrupted, and what is known to be true."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from transa.graph.graph import Triples
from transa.graph.known import KnownIndex, Side, question_keys
from transa.kernels.training.sampling import Known, corrupt_many, empty_pool, mark_all

# Triples are shuffled once and then visited in blocks whose order is drawn anew each epoch: memory
# is read in runs, which is faster than a full shuffle and as good.
BLOCK = 64
# Half a megabyte.
_CACHED_BITS = 1 << 22


def known_of(
    triples: Triples,
    n_entities: int,
    n_relations: int,
    sampling: Literal["uniform", "bernoulli"],
    *,
    tail_share: float = 0.5,
    same_position: float = 0.0,
) -> Known:
    """What a sampler needs so that it never draws one of `triples`, in their order.

    Corruptions are drawn from the first `n_entities`. See `Recipe` for `sampling` and the settings
    after it.
    """
    # Among the triples there may be entities that are not drawn.
    n_ids = max(n_entities, int(triples[:, 0].max()) + 1, int(triples[:, 2].max()) + 1)
    index = KnownIndex(triples, n_ids, n_relations)
    tails, tail_spans = _answers(index, "tail")
    heads, head_spans = _answers(index, "head")
    if sampling == "uniform":
        tail_rate = np.full(n_relations, tail_share, dtype=np.float32)
    else:
        tail_rate = 1 - bernoulli_head_rate(index)
    marks = no_marks(len(triples))
    mark_all(triples, marks)
    # Large graphs need not pay for what is not asked for.
    seen, seen_first = _seen(index if same_position > 0 else replace(index, triples=triples[:0]))
    spans = (tails, tail_spans, heads, head_spans)
    return Known(n_entities, tail_rate, *spans, marks, same_position, seen, seen_first)


def _seen(index: KnownIndex) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct entities of each side and relation, and where those of each begin."""
    # What stands on one side is what the questions for the other are anchored at, heads first.
    n, n_relations = index.n_entities, index.n_relations
    keys = np.concatenate([index.tails.keys, index.heads.keys + n_relations * n])
    places, seen = np.divmod(keys, n)
    first = np.searchsorted(places, np.arange(2 * n_relations + 1))
    # A place ends where the next begins, the last head's where the first tail's does.
    bounds = np.stack([first[: n_relations + 1], first[n_relations:]])
    return seen.astype(np.int32), bounds


def no_marks(n: int) -> NDArray[np.uint64]:
    """Room for three bits a triple, among many: as many as the second cache can be asked for."""
    bits = max(16 * n, min(256 * n, _CACHED_BITS))
    words = 1 << max(0, (bits // 64 - 1).bit_length())
    return np.zeros(words, dtype=np.uint64)


def draw(
    triples: Triples, which: NDArray[np.int64], known: Known, k: int, state: NDArray[np.uint64]
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Sides (0 head, 1 tail, -1 nothing to draw) and k negatives of triples numbered `which`."""
    sides = np.empty(len(which), dtype=np.int8)
    negatives = np.zeros((len(which), k), dtype=np.int32)
    corrupt_many(triples, which, BLOCK, known, empty_pool(k), state, sides, negatives)
    return sides, negatives


def bernoulli_head_rate(known: KnownIndex) -> NDArray[np.float32]:
    """Wang et al. 2014: replace the head with probability tph / (tph + hpt).

    tph is the mean number of tails per head of the relation, hpt of heads per tail. A relation
    without triples gets a fair coin.
    """
    tph, hpt = known.answers_a_question("tail"), known.answers_a_question("head")
    rate = np.where(tph > 0, tph / np.maximum(tph + hpt, 1e-12), 0.5)
    return rate.astype(np.float32)


def _answers(index: KnownIndex, side: Side) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The known answers of all questions, and each triple's span of them."""
    answers = index.answers(side)
    spans = answers.spans(question_keys(index.triples, side, index.n_entities))
    return answers.answers, np.stack(spans, axis=1).astype(np.int32)
