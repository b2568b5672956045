"""Who is a candidate when an entity is asked for: one rule, for ranks and for answers.

`offered` is the rule of this library: every entity is a candidate but those that the graph has as
answers already, and but the entity that is asked about, unless some triple of the graph leads from
an entity to itself by this relation. Translations put the entity asked about first wherever a
relation is symmetric, for its vector is then near 0; nobody wants to hear that France borders
France.

`published` is the protocol of the papers: the entity asked about is a candidate too. What is ranked
by it compares with printed tables.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from transa.graph.known import KnownIndex, Side

Protocol: TypeAlias = Literal["published", "offered"]

PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)

LeftOut: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]
"""Where the entities that are no candidates start and stop, question by question, and who they are:
ascending within a question."""


def may_answer_itself(known: KnownIndex, relations: NDArray[np.integer] | int) -> NDArray[np.bool_]:
    """Whether an entity is a candidate in questions about itself, by relation."""
    found: NDArray[np.bool_] = known.has_loops[relations]
    return found


def left_out(
    known: KnownIndex, side: Side, keys: NDArray[np.int64], protocol: Protocol = "offered"
) -> LeftOut:
    """Who is no candidate for the questions of these keys (relation · n_entities + anchor)."""
    answers = known.answers(side)
    start, stop = answers.spans(keys)
    if protocol == "published":
        return start, stop, answers.answers
    n = known.n_entities
    relations, anchors = np.divmod(keys, n)
    sizes = stop - start
    question = np.repeat(np.arange(len(keys)), sizes)
    places = np.repeat(start - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    # One number for question and entity, so that all are in order together.
    every = question * n + answers.answers[places]
    about = np.flatnonzero(~may_answer_itself(known, relations))
    themselves = about * n + anchors[about]
    every = np.insert(every, np.searchsorted(every, themselves), themselves)
    ends = np.searchsorted(every, np.arange(len(keys) + 1) * n)
    return ends[:-1], ends[1:], (every % n).astype(np.int32)
