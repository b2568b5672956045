"""Questions put to an estimator, and how probable its answers are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from transa.asking.answers import answers, check_k, similar_entities
from transa.asking.predictions import Predictions
from transa.errors import NotFittedError
from transa.graph.known import Question

if TYPE_CHECKING:
    # To ask one question takes no kernels.
    import polars as pl

    from transa.asking.bulk.tables import Bulk, Progress
    from transa.asking.neighbours.index import NeighbourIndex
    from transa.asking.probability.curves import Place, Probabilities, Reliability
    from transa.graph import Graph
    from transa.graph.building.known_labels import Unknown
    from transa.graph.readers.frame import Frame
    from transa.graph.readers.options import Columns
    from transa.graph.readers.table import Table
    from transa.models import FittedModel
    from transa.storage.folder import SavedModel

LARGE = 10**6
"""Entities from which on an index that is at hand is used unless told otherwise."""


class Answerer:
    """The part of an estimator that answers."""

    _learnt: SavedModel | None

    @property
    def learnt_(self) -> SavedModel:
        """Everything that was learnt, as the model folder keeps it."""
        raise NotImplementedError

    @property
    def model_(self) -> FittedModel:
        """The energy, its tables and the graph: immutable, for threads to share."""
        return self.learnt_.model

    @property
    def graph_(self) -> Graph:
        """The graph that was learnt from."""
        return self.model_.graph

    @property
    def probabilities_(self) -> Probabilities:
        """What the probabilities of answers are told by."""
        if self.learnt_.probabilities is None:
            raise NotFittedError(
                "this model has no probabilities: its graph has no validation triples, or its "
                "folder is from before there were any (fit_probabilities, transa calibrate)"
            )
        return self.learnt_.probabilities

    def predict_tails(
        self,
        head: str,
        relation: str,
        k: int = 10,
        *,
        known: bool = False,
        exact: bool | None = None,
    ) -> Predictions:
        """The k most plausible tails of (head, relation, ?), best first.

        The head itself is no answer, unless the graph has such a loop of this relation.

        Args:
            head: label or name.
            relation: label or name.
            k: how many.
            known: keep triples that the graph has, marked with their split; else they are left out.
            exact: look at all entities, or at those that the index of neighbours finds; see
                `build_index`. By default the index is used where there is one and at least a
                million entities.
        """
        h, r = self.graph_.entities.id(head), self.graph_.relations.id(relation)
        index = self._index_for(exact)
        if index is not None:
            from transa.asking.neighbours.answering import tails_by_index

            probabilities = self.learnt_.probabilities
            found = tails_by_index(self.model_, index, h, r, k, known, probabilities)
            if found is not None:
                return found
        return self._answers((h, r, None), k, known)

    def predict_heads(
        self, relation: str, tail: str, k: int = 10, *, known: bool = False
    ) -> Predictions:
        """The k most plausible heads of (?, relation, tail), best first; see `predict_tails`."""
        r, t = self.graph_.relations.id(relation), self.graph_.entities.id(tail)
        return self._answers((None, r, t), k, known)

    def predict_relations(
        self, head: str, tail: str, k: int = 10, *, known: bool = False
    ) -> Predictions:
        """The k most plausible relations of (head, ?, tail), best first; see `predict_tails`."""
        h, t = self.graph_.entities.id(head), self.graph_.entities.id(tail)
        return self._answers((h, None, t), k, known)

    def predict(
        self,
        questions: Frame,
        k: int = 10,
        *,
        known: bool = False,
        columns: Columns | None = None,
        unknown: Unknown = "error",
        threads: int = 0,
        progress: Progress | None = None,
    ) -> pl.DataFrame:
        """The k most plausible answers to each question of a frame, all kinds together.

        Args:
            questions: a Polars or pandas frame of head, relation and tail, in every row one of
                them null, empty or a question mark.
            k: how many answers a question.
            known: keep triples that the graph has, marked with their split; else they are left out.
            columns: which columns hold head, relation and tail, by name or position.
            unknown: "error", or "drop" questions with a label that the graph does not have.
            threads: 0 means all cores.
            progress: told how many questions are answered.

        Returns:
            A row an answer, see `transa.asking.bulk.tables`; `question` is the row in the frame.
        """
        import polars as pl

        from transa.asking.bulk.tables import SCHEMA
        from transa.graph.readers.frame import frame_table

        table = frame_table(questions, columns, "questions", gaps=True)
        bulk = self.bulk(table, k, known=known, unknown=unknown, threads=threads)
        return pl.concat([pl.DataFrame(schema=SCHEMA), *bulk.frames(progress)])

    def bulk(
        self,
        table: Table,
        k: int = 10,
        *,
        known: bool = False,
        unknown: Unknown = "error",
        threads: int = 0,
    ) -> Bulk:
        """Questions of a table that was read with gaps, to be answered block by block."""
        from transa.asking.bulk.tables import Bulk
        from transa.graph.building.known_labels import check_questions, numbered

        check_k(k)
        check_questions(table)
        found = numbered(table, self.graph_, unknown)
        probabilities = self.learnt_.probabilities
        return Bulk(self.model_, found.ids, found.rows, k, known, probabilities, threads)

    def score_samples(self, triples: Iterable[tuple[str, str, str]]) -> NDArray[np.float32]:
        """The plausibility of triples of labels: minus the energy, so higher is more plausible."""
        return -self.model_.energies(*self._ids(triples).T)

    def probability(
        self, triples: Iterable[tuple[str, str, str]], *, threads: int = 0
    ) -> NDArray[np.float64]:
        """How probable triples of labels are, each as an answer to the question for its tail.

        NaN for what the graph has: that is no prediction. Takes as long as ranking them.
        """
        from transa.asking.bulk.answers import triple_probabilities

        return triple_probabilities(self.model_, self.probabilities_, self._ids(triples), threads)

    def _ids(self, triples: Iterable[tuple[str, str, str]]) -> NDArray[np.int64]:
        rows = rows_of(triples)
        heads, relations, tails = zip(*rows, strict=True) if rows else ((), (), ())
        entities = self.graph_.entities
        h, r, t = entities.ids(heads), self.graph_.relations.ids(relations), entities.ids(tails)
        return np.stack([h, r, t], axis=1).astype(np.int64)

    def similar(self, entity: str, k: int = 10, *, exact: bool | None = None) -> Predictions:
        """The k entities whose vectors are nearest, in the norm of the model.

        Args:
            entity: label or name.
            k: how many.
            exact: as in `predict_tails`.
        """
        index, id_ = self._index_for(exact), self.graph_.entities.id(entity)
        if index is not None:
            from transa.asking.neighbours.answering import similar_by_index

            found = similar_by_index(self.model_, index, id_, k)
            if found is not None:
                return found
        return similar_entities(self.model_, id_, k)

    def build_index(self) -> Self:
        """Make an index of neighbours, which answers without a look at every entity.

        Of a million entities that takes minutes; `save` keeps it, and `transa.load(index=True)`
        reads it back. Needs the extra `ann`.
        """
        from transa.asking.neighbours.answering import index_of

        self._learnt = replace(self.learnt_, neighbours=index_of(self.model_))
        return self

    def fit_probabilities(self) -> Self:
        """Fit how probable answers are, on the validation split; without one they have no say.

        `fit` does so by itself; models of older folders have none until this is called.
        """
        from transa.asking.probability.fitting import fit_probabilities

        recipe = self.learnt_.settings.recipe
        found = fit_probabilities(self.model_, seed=recipe.seed, threads=recipe.threads)
        self._learnt = replace(self.learnt_, probabilities=found)
        return self

    def evaluate_probabilities(self, split: str = "test") -> dict[Place, Reliability]:
        """How probable answers are beside how many of them a split has, place by place."""
        from transa.asking.probability.fitting import measure_probabilities

        return measure_probabilities(self.model_, self.probabilities_, split)

    def _index_for(self, exact: bool | None) -> NeighbourIndex | None:
        """The index, if it is to be used."""
        index = self.learnt_.neighbours
        if exact is False and index is None:
            raise NotFittedError(
                "this model has no index of neighbours: call build_index(), or load a folder that "
                "has one (transa index) with index=True"
            )
        if exact is None and self.graph_.n_entities < LARGE:
            return None
        return None if exact else index

    def _answers(self, question: Question, k: int, known: bool) -> Predictions:
        return answers(self.model_, question, k, known, self.learnt_.probabilities)


def rows_of(triples: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Triples of labels in a list; refused if they are something else."""
    from transa.graph.building.converting import label_rows

    return label_rows(triples, "triples")
