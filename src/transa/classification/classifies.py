"""The part of an estimator that judges triples and learns of new entities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from transa.classification.classifier import Classifier, ThresholdKind, UnseenEntities
from transa.classification.judge import Judge
from transa.classification.labelled import LabelledTriples, labelled_split
from transa.classification.result import TripleClassification
from transa.classification.thresholds.calibration import Method
from transa.classification.unseen.adding import add_entities
from transa.classification.unseen.fold_in import FoldIn
from transa.classification.verdicts import Verdicts
from transa.errors import NotFittedError
from transa.graph.converting import label_rows
from transa.graph.seeds import checked_seed

if TYPE_CHECKING:
    from transa.storage.folder import SavedModel


class Classifies(ABC):
    """What is true? Thresholds, verdicts, and the test of both."""

    _learnt: SavedModel | None

    @property
    @abstractmethod
    def learnt_(self) -> SavedModel:
        """Everything that was learnt, as the model folder keeps it."""

    @property
    def classifier_(self) -> Classifier:
        """The thresholds and probabilities that were fitted."""
        if self.learnt_.classifier is None:
            raise NotFittedError("this model has no thresholds yet: call fit_thresholds() first")
        return self.learnt_.classifier

    def fit_thresholds(
        self,
        valid: Iterable[tuple[str, str, str, bool]] | None = None,
        *,
        thresholds: ThresholdKind = "relation",
        unseen: UnseenEntities = "none",
        calibration: Method = "platt",
        seed: int = 0,
    ) -> Self:
        """Fit what `classify` needs: a threshold on the energy for each relation.

        Args:
            valid: labelled triples, (head, relation, tail, is it true); by default those of the
                graph's validation split, as published or with false ones made (`make_negatives`).
            thresholds: 'relation', one for each (Socher et al. 2013); 'local', which move with what
                training has of a triple's entities (`transa.classification.thresholds.local`); or
                'names', which also heed like names (`transa.classification.unseen.namesakes`).
            unseen: how entities without training triples are treated: 'none', 'words', 'facts' or
                'words+facts'; see `transa.classification.unseen.newcomers`.
            calibration: how probabilities are fitted: 'platt' or 'isotonic'.
            seed: of the false triples that are made.
        """
        if valid is None:
            labelled = labelled_split(self.learnt_.graph, "valid", seed)
        else:
            labelled = LabelledTriples.of(self.learnt_.graph, valid)
        classifier = self._judge.fit(
            labelled, thresholds=thresholds, unseen=unseen, calibration=calibration
        )
        self._learnt = replace(self.learnt_, classifier=classifier)
        return self

    def classify(self, triples: Iterable[tuple[str, str, str]]) -> Verdicts:
        """Whether triples of labels are true, with probability and reason; unknown labels too."""
        return self._judge.verdicts(self.classifier_, label_rows(triples, "triples"))

    def evaluate_classification(
        self, split: str = "test", *, seed: int = 0
    ) -> TripleClassification:
        """Judge a split's true and false triples; the latter as published, or made with `seed`."""
        labelled = labelled_split(self.learnt_.graph, split, seed)
        return self._judge.test(self.classifier_, split, labelled, seed)

    def fold_in(self, triples: Iterable[tuple[str, str, str]], *, seed: int = 0) -> Self:
        """A model that also knows the new entities of true triples; this one stays as it is.

        Only the vectors of new entities are fitted, all else is shared, which takes seconds. The
        triples become training triples; those without a new entity are left out.
        """
        learnt = self.learnt_
        energy, recipe = learnt.settings.energy, learnt.settings.recipe
        how = FoldIn(constraint=recipe.constraint, seed=checked_seed(seed))
        rows = label_rows(triples, "triples")
        grown = add_entities(energy, learnt.trained.parameters, learnt.graph, rows, how)
        trained = replace(learnt.trained, parameters=grown.parameters)
        larger = copy(self)
        larger._learnt = replace(learnt, graph=grown.graph, trained=trained)
        return larger

    @property
    def _judge(self) -> Judge:
        learnt = self.learnt_
        energy, recipe = learnt.settings.energy, learnt.settings.recipe
        return Judge(energy, learnt.trained.parameters, learnt.graph, recipe.constraint)
