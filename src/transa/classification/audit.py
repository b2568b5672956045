"""What is wrong with labelled triples: counted, not mended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.classification.labelled import LabelledTriples
from transa.graph import Graph
from transa.graph.building.duplicates import count_repeats, count_shared, keys_by_split
from transa.graph.vocabulary import UNKNOWN


@dataclass(frozen=True)
class Audit:
    """Problems of labelled triples. All zero and empty is perfect.

    Attributes:
        unseen_entities: distinct entities that train never has.
        positives_with_unseen: true triples that have one.
        negatives_with_unseen: false triples that have one.
        negatives_in_train: distinct false triples that train has.
        negatives_also_positive: distinct false triples that are also among the true ones.
        positives_in_train: distinct true triples that train has.
        repeated_positives: true lines that repeat an earlier one.
        repeated_negatives: false lines that repeat an earlier one.
        unknown_relations: triples whose relation the graph does not have.
        relations_without_validation: relations of the graph that validation has no triple of, so
            that they have no threshold of their own.
        judged_by_fallback: triples of such a relation.
        left_out: triples of the split that no false one could be made of.
    """

    unseen_entities: int
    positives_with_unseen: int
    negatives_with_unseen: int
    negatives_in_train: int
    negatives_also_positive: int
    positives_in_train: int
    repeated_positives: int
    repeated_negatives: int
    unknown_relations: int
    relations_without_validation: tuple[str, ...]
    judged_by_fallback: int
    left_out: int


def audit(graph: Graph, labelled: LabelledTriples, validated: NDArray[np.bool_]) -> Audit:
    """Look for what labelled files get wrong; `validated` tells which relations have thresholds."""
    triples, truth = labelled.triples, labelled.truth
    strange = ~labelled.numbered.seen(graph)
    ends = triples[:, [0, 2]]
    has_unseen = strange[ends].any(axis=1)
    known_relation = triples[:, 1] != UNKNOWN
    parts = {
        "train": graph.train,
        "positives": triples[truth & known_relation],
        "negatives": triples[~truth & known_relation],
    }
    train, positives, negatives = keys_by_split(parts).values()
    return Audit(
        unseen_entities=len(np.unique(ends[strange[ends]])),
        positives_with_unseen=int(np.count_nonzero(has_unseen & truth)),
        negatives_with_unseen=int(np.count_nonzero(has_unseen & ~truth)),
        negatives_in_train=count_shared(negatives, train),
        negatives_also_positive=count_shared(negatives, positives),
        positives_in_train=count_shared(positives, train),
        repeated_positives=count_repeats(positives),
        repeated_negatives=count_repeats(negatives),
        unknown_relations=int(np.count_nonzero(~known_relation)),
        relations_without_validation=tuple(
            graph.relations.label(int(r)) for r in np.flatnonzero(~validated)
        ),
        judged_by_fallback=int(np.count_nonzero(~validated[triples[known_relation, 1]])),
        left_out=labelled.left_out,
    )
