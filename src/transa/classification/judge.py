"""How a model judges triples: thresholds fitted on its energies, and verdicts by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from transa.classification.classifier import KINDS, Classifier, ThresholdKind, UnseenEntities
from transa.classification.labelled import LabelledTriples, NumberedTriples
from transa.classification.reasons import Explainer
from transa.classification.result import Judgements, TripleClassification, summarise
from transa.classification.thresholds.calibration import Method, fit_calibration
from transa.classification.thresholds.local import fit_shifts
from transa.classification.thresholds.per_relation import fit_thresholds
from transa.classification.thresholds.surroundings import Surroundings
from transa.classification.unseen.namesakes import namesake_energies
from transa.classification.unseen.newcomers import Completed, complete
from transa.classification.verdicts import Verdicts
from transa.errors import one_of
from transa.models.fitted import FittedModel
from transa.models.scoring import energies
from transa.settings.recipe import Constraint


@dataclass(frozen=True, eq=False)
class Judge:
    """A fitted model that judges.

    Attributes:
        model: whose energies it judges by.
        constraint: that its entities were trained under; so are the vectors of new ones.
    """

    model: FittedModel
    constraint: Constraint

    def fit(
        self,
        valid: LabelledTriples,
        *,
        thresholds: ThresholdKind = "relation",
        unseen: UnseenEntities = "none",
        calibration: Method = "platt",
    ) -> Classifier:
        """Thresholds and probabilities from labelled validation triples.

        Triples of an entity that was itself fitted to validation triples have no say: their
        energies are lower than those of triples yet to come.
        """
        one_of("thresholds", thresholds, KINDS)
        completed = self._complete(valid.numbered, unseen)
        found = self._energies(completed, valid.numbered)
        found[completed.are_fitted_to(valid.numbered)] = np.inf
        relations, truth = valid.triples[:, 1], valid.truth
        shifts, moved = None, np.zeros(len(valid.triples))
        if thresholds != "relation":
            around = self._around(thresholds, completed, valid.numbered)
            level = found - self._surroundings.means[relations]
            shifts = fit_shifts(level, around, relations, truth)
            moved = shifts.of(around, relations)
        fitted = fit_thresholds(found - moved, relations, truth, self.model.graph.n_relations)
        margins = fitted.margins(found - moved, relations)
        curves = fit_calibration(margins, relations, truth, calibration)
        return Classifier(fitted, curves, unseen, valid.source, thresholds, shifts)

    def test(
        self, classifier: Classifier, split: str, labelled: LabelledTriples, seed: int
    ) -> TripleClassification:
        """Judge labelled triples and sum up."""
        completed = self._complete(labelled.numbered, classifier.unseen)
        return summarise(
            self.model.graph,
            split,
            labelled,
            self._judge(classifier, completed, labelled.numbered),
            classifier.thresholds,
            kind=classifier.kind,
            unseen=classifier.unseen,
            seed=seed,
        )

    def verdicts(self, classifier: Classifier, triples: Sequence[tuple[str, str, str]]) -> Verdicts:
        """Judge triples of labels, one row each, with the reason in words."""
        heads, relations, tails = zip(*triples, strict=True) if triples else ((), (), ())
        numbered = NumberedTriples.of(self.model.graph, heads, relations, tails)
        completed = self._complete(numbered, classifier.unseen)
        judged = self._judge(classifier, completed, numbered)
        explainer = Explainer(self.model.graph, numbered, completed, classifier, judged)
        return Verdicts(tuple(explainer.verdict(*triple) for triple in enumerate(triples)))

    @cached_property
    def _surroundings(self) -> Surroundings:
        return Surroundings.of(self.model)

    def _around(
        self, kind: ThresholdKind, completed: Completed, numbered: NumberedTriples
    ) -> NDArray[np.float64]:
        """What moves the threshold of each triple: (n, 4), or (n, 6) if names have a say."""
        spheres = self._surroundings.around(numbered.triples)
        if kind == "local":
            return spheres
        answered = completed.are_answered(numbered)
        means = self._surroundings.means
        said = namesake_energies(self.model, completed.tables, numbered, answered)
        said[answered] -= means[numbered.triples[answered, 1], None]
        return np.concatenate([spheres, said], axis=1)

    def _complete(self, numbered: NumberedTriples, unseen: UnseenEntities) -> Completed:
        return complete(self.model, self.constraint, numbered, unseen)

    def _energies(self, completed: Completed, numbered: NumberedTriples) -> NDArray[np.float32]:
        """The energy of each triple; infinite where there is none."""
        found = np.full(len(numbered), np.inf, dtype=np.float32)
        answered = completed.are_answered(numbered)
        h, r, t = numbered.triples[answered].T
        found[answered] = energies(self.model.energy, completed.tables, h, r, t)
        return found

    def _judge(
        self, classifier: Classifier, completed: Completed, numbered: NumberedTriples
    ) -> Judgements:
        found, relations = self._energies(completed, numbered), numbered.triples[:, 1]
        if classifier.shifts is None:
            return classifier.judge(found, relations)
        around = self._around(classifier.kind, completed, numbered)
        return classifier.judge(found, relations, classifier.shifts.of(around, relations))
