"""New facts for an estimator that has learnt."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from transa.errors import ConfigError
from transa.estimator.scikit import Rows, ScikitLearn, refuse_truth, table_of
from transa.models import FittedModel
from transa.prepared.graph import PreparedGraph

if TYPE_CHECKING:
    from transa.graph import Graph


class Updating(ScikitLearn, ABC):
    """The part of an estimator that goes on learning."""

    @abstractmethod
    def fit(self, graph: Graph | Rows) -> Self:
        """Learn from a graph's training triples."""

    @abstractmethod
    def fit_probabilities(self) -> Self:
        """Fit how probable answers are."""

    def partial_fit(self, triples: Rows, y: object = None) -> Self:
        """Learn new facts, with new entities and relations, without starting over.

        They become training triples; those that the graph has already are left out. What is old
        keeps its id. Probabilities are fitted anew; thresholds stay unless a relation is new, and
        an index of neighbours goes. One that has not learnt yet learns from them alone.

        Args:
            triples: rows of labels, as a list, an array or a frame.
            y: none: all of them are true.
        """
        from transa.training.updating.grown import grown
        from transa.training.updating.update import updated

        refuse_truth(y)
        if self._learnt is None:
            return self.fit(triples)
        learnt = self._learnt
        if isinstance(learnt.model.graph, PreparedGraph):
            raise ConfigError(
                "a model of a graph in partitions can't be updated; prepare the graph with the new "
                "facts and train anew"
            )
        settings = learnt.settings
        new = grown(learnt.model, table_of(triples).frame.rows(), settings.recipe.seed)
        tables = updated(settings.energy, settings.recipe, new)
        self._learnt = replace(
            learnt,
            model=FittedModel(settings.energy, tables, new.graph),
            classifier=learnt.classifier
            if new.graph.n_relations == learnt.model.graph.n_relations
            else None,
            neighbours=None,
        )
        return self.fit_probabilities()
