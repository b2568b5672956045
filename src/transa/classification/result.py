"""Triple classification: how often a model tells true triples from false ones.

The protocol of Socher et al. 2013; see `thresholds.per_relation` for what it leaves open. A
triple that the model has no energy for (an entity without a vector, an unknown relation) counts as
held false, and is counted as unanswered beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.classification.audit import Audit, audit
from transa.classification.labelled import LabelledTriples
from transa.classification.report import classification_table
from transa.classification.thresholds.binary_metrics import BinaryMetrics
from transa.classification.thresholds.per_relation import Thresholds
from transa.classification.thresholds.reliability import Reliability
from transa.graph import Graph
from transa.tables import Printed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from rich.console import Group


@dataclass(frozen=True)
class Share:
    """How many triples, and the share that is judged rightly; None if there are none."""

    count: int
    accuracy: float | None

    @classmethod
    def of(cls, right: NDArray[np.bool_]) -> Share:
        """From whether each is right."""
        return cls(len(right), float(right.mean()) if len(right) else None)


@dataclass(frozen=True)
class RelationResult:
    """A relation's share of the result.

    Attributes:
        count: triples judged.
        positives: of them true.
        accuracy: the share judged rightly.
        threshold: what their energy was held against; before any shift, if thresholds are local.
        validation: triples that it was fitted on; 0 where it is the pooled one.
    """

    count: int
    positives: int
    accuracy: float
    threshold: float
    validation: int


@dataclass(frozen=True, repr=False)
class TripleClassification(Printed):
    """How well a model tells true from false. Prints as a table.

    Attributes:
        graph: the graph's name.
        split: which triples were judged.
        negatives: where the false ones are from: 'published', or 'made' with a seed.
        thresholds: of what kind they are: 'relation', 'local' or 'names'.
        unseen: the treatment of entities that train never has.
        overall: over all triples. ROC-AUC and average precision are of how far the energy is below
            its relation's threshold, since energies of different relations do not compare.
        by_relation: over the triples of each relation that the split has, by label.
        seen: over the triples whose entities train has.
        with_unseen: over the others.
        unanswered: triples that the model has no energy for, held false.
        reliability: of the probabilities; None where there is not one.
        problems: what is wrong with the labelled triples.
    """

    graph: str
    split: str
    negatives: str
    thresholds: str
    unseen: str
    overall: BinaryMetrics
    by_relation: Mapping[str, RelationResult]
    seen: Share
    with_unseen: Share
    unanswered: int
    reliability: Reliability | None
    problems: Audit

    @property
    def accuracy(self) -> float:
        """The figure that papers give."""
        return self.overall.accuracy

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the key `triple_classification`."""
        return {
            "triple_classification": {
                "graph": self.graph,
                "split": self.split,
                "negatives": self.negatives,
                "thresholds": self.thresholds,
                "unseen": self.unseen,
                **_plain(self.overall),
                "unanswered": self.unanswered,
                "by_entities": {"seen": _plain(self.seen), "unseen": _plain(self.with_unseen)},
                "per_relation": {label: _plain(r) for label, r in self.by_relation.items()},
                "calibration": self.reliability.to_dict() if self.reliability else None,
                "problems": _plain(self.problems),
            }
        }

    def __repr__(self) -> str:
        return f"TripleClassification({self.graph!r}, {self.split!r}: accuracy {self.accuracy:.4f})"

    def __rich__(self) -> Group:
        return classification_table(self)


@dataclass(frozen=True, eq=False)
class Judgements:
    """What a model makes of triples.

    Attributes:
        energies: infinite where the model has none.
        thresholds: what each is held against.
        margins: how far each is below its threshold; held true where positive.
        probabilities: that each is true; NaN where there is no energy.
    """

    energies: NDArray[np.float32]
    thresholds: NDArray[np.float64]
    margins: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    @property
    def verdicts(self) -> NDArray[np.bool_]:
        """Whether each is held true."""
        held: NDArray[np.bool_] = self.margins > 0
        return held


def _plain(figures: DataclassInstance) -> dict[str, Any]:
    """For JSON, which has lists and no tuples."""
    told = asdict(figures)
    return {name: [*each] if isinstance(each, tuple) else each for name, each in told.items()}


def summarise(
    graph: Graph,
    split: str,
    labelled: LabelledTriples,
    judged: Judgements,
    thresholds: Thresholds,
    *,
    kind: str = "relation",
    unseen: str = "none",
    seed: int = 0,
) -> TripleClassification:
    """Sum up judgements of labelled triples; `seed` is of the bootstrap interval."""
    right = judged.verdicts == labelled.truth
    all_seen = labelled.numbered.seen(graph)[labelled.triples[:, [0, 2]]].all(axis=1)
    return TripleClassification(
        graph=graph.name,
        split=split,
        negatives=labelled.source,
        thresholds=kind,
        unseen=unseen,
        overall=BinaryMetrics.of(labelled.truth, judged.verdicts, judged.margins, seed),
        by_relation=_by_relation(graph, labelled, right, thresholds),
        seen=Share.of(right[all_seen]),
        with_unseen=Share.of(right[~all_seen]),
        unanswered=int(np.count_nonzero(~np.isfinite(judged.energies))),
        reliability=Reliability.of(judged.probabilities, labelled.truth),
        problems=audit(graph, labelled, thresholds.counts > 0),
    )


def _by_relation(
    graph: Graph, labelled: LabelledTriples, right: NDArray[np.bool_], thresholds: Thresholds
) -> dict[str, RelationResult]:
    relations = labelled.triples[:, 1]
    known = relations >= 0
    count, positives, rights = (
        np.bincount(relations[known & which], minlength=graph.n_relations)
        for which in (known, labelled.truth, right)
    )
    return {
        graph.relations.label(r): RelationResult(
            count=int(count[r]),
            positives=int(positives[r]),
            accuracy=float(rights[r] / count[r]),
            threshold=float(thresholds.values[r]),
            validation=int(thresholds.counts[r]),
        )
        for r in map(int, np.flatnonzero(count))
    }
