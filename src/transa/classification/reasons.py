"""Why a triple is held true or false, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transa.classification.classifier import Classifier
from transa.classification.labelled import NumberedTriples
from transa.classification.result import Judgements
from transa.classification.unseen.newcomers import Completed
from transa.classification.verdicts import Verdict
from transa.graph import Graph
from transa.graph.vocabulary import UNKNOWN

Labels = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Explainer:
    """Judgements of some triples, and what they rest on."""

    graph: Graph
    numbered: NumberedTriples
    completed: Completed
    classifier: Classifier
    judged: Judgements

    def verdict(self, row: int, labels: Labels) -> Verdict:
        """The verdict on one of them, whose labels are told as they were asked."""
        why_not = self._why_not(row, labels)
        if why_not is not None:
            return Verdict(*labels, None, None, None, None, why_not)
        return Verdict(
            *labels,
            verdict=bool(self.judged.margins[row] > 0),
            probability=float(self.judged.probabilities[row]),
            energy=float(self.judged.energies[row]),
            threshold=float(self.judged.thresholds[row]),
            reason=self._why(row, labels),
        )

    def _why_not(self, row: int, labels: Labels) -> str | None:
        """Why there is no answer, if there is none."""
        if self.numbered.triples[row, 1] == UNKNOWN:
            return f"relation {labels[1]!r} is unknown to this model"
        missing = [
            self._missing(entity, label)
            for entity, label in self._entities(row, labels)
            if not self.completed.has_vector[entity]
        ]
        return "; ".join(missing) if missing else None

    def _why(self, row: int, labels: Labels) -> str:
        relation = self.numbered.triples[row, 1]
        fitted = self.classifier.thresholds
        how = "below" if self.judged.margins[row] > 0 else "not below"
        whose = "its relation's" if fitted.counts[relation] else "all relations'"
        energy, threshold = self.judged.energies[row], self.judged.thresholds[row]
        parts = [f"energy {energy:.3f} is {how} {whose} threshold {threshold:.3f}"]
        if self.classifier.shifts is not None:
            moved = threshold - fitted.values[relation]
            parts.append(f"of which {moved:+.3f} for what is known of its entities")
        for entity, label in self._entities(row, labels):
            if entity in self.completed.origins:
                parts.append(f"{label!r} is {self.completed.origins[entity]}")
        split = self._split_of(row)
        if split is not None:
            parts.append(f"the graph has it ({split})")
        return "; ".join(parts)

    def _entities(self, row: int, labels: Labels) -> Iterable[tuple[int, str]]:
        """Head and tail, once if they are the same."""
        head, _, tail = self.numbered.triples[row].tolist()
        return {head: labels[0], tail: labels[2]}.items()

    def _missing(self, entity: int, label: str) -> str:
        if entity < self.graph.n_entities:
            return f"entity {label!r} has no training triples, so that this model has not learnt it"
        return f"entity {label!r} is unknown to this model"

    def _split_of(self, row: int) -> str | None:
        """The first split that has the triple, if any has."""
        head, relation, tail = self.numbered.triples[row].tolist()
        if max(head, tail) >= self.graph.n_entities:
            return None
        return self.graph.index.answers_to((head, relation, None)).get(tail)
