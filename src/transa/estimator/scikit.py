"""What scikit-learn asks of an estimator: one figure for a list of triples, and what it takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError

if TYPE_CHECKING:
    from transa.graph import Graph
    from transa.graph.readers.frame import Frame
    from transa.graph.readers.table import Table
    from transa.ranking import LinkPrediction
    from transa.storage.folder import SavedModel


Rows: TypeAlias = "Sequence[Any] | NDArray[Any] | Frame"
"""Triples of labels in memory: rows, an array of three columns, or a frame."""


class ScikitLearn(ABC):
    """The part of an estimator that searches and folds of scikit-learn go by."""

    _learnt: SavedModel | None

    @property
    @abstractmethod
    def graph_(self) -> Graph:
        """The graph that was learnt from."""

    @abstractmethod
    def evaluate(self, *, triples: Table) -> LinkPrediction:
        """Rank triples among all entities."""

    def score(self, triples: Rows, y: object = None) -> float:
        """How well these triples are ranked: their filtered MRR, so higher is better.

        What `GridSearchCV` and `cross_val_score` choose by. One with a label that training did not
        have can't be answered, and counts as 0; the folds of `transa.TripleKFold` have none such.

        Args:
            triples: rows of labels, as a list, an array or a frame.
            y: none: all of them are true.
        """
        from transa.graph.building.known_labels import numbered
        from transa.graph.readers.table import Table

        refuse_truth(y)
        table = table_of(triples)
        known = numbered(table, self.graph_, unknown="drop")
        if not len(known.rows):
            return 0.0
        rows = Table(table.frame[known.rows], table.source, table.format, table.place)
        return self.evaluate(triples=rows).filtered.mrr * len(known.rows) / len(table.frame)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 (of scikit-learn's)
        from sklearn.utils import InputTags, Tags, TargetTags

        takes = InputTags(two_d_array=True, string=True, categorical=True)
        threads = self.get_params()["threads"]
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=takes,
            non_deterministic=threads != 1,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return self._learnt is not None

    @abstractmethod
    def get_params(self, deep: bool = True) -> dict[str, object]:
        """What the constructor takes and has."""


def is_rows(triples: object) -> bool:
    """Whether these are triples in memory, and no name of a graph."""
    return isinstance(triples, list | tuple | np.ndarray) or hasattr(triples, "columns")


def refuse_truth(y: object) -> None:
    """Refuse labels of truth, which a graph has no use for."""
    if y is not None:
        raise ConfigError("a graph is made of true triples: leave y out, and false ones too")


def table_of(triples: Any) -> Table:  # noqa: ANN401 (rows, as scikit-learn hands them on)
    """Rows of labels, or of whole numbers that stand for them, as a table."""
    from transa.graph.building.converting import label_table
    from transa.graph.readers.frame import frame_table

    if hasattr(triples, "columns"):
        return frame_table(triples, None, "triples")
    if isinstance(triples, np.ndarray):
        if triples.ndim != 2 or triples.shape[1] != 3:
            raise InputError(f"triples: expected rows of three labels, found {triples.shape}")
        if np.issubdtype(triples.dtype, np.integer):
            triples = triples.astype(str)
        triples = triples.tolist()
    return label_table(triples, "triples")


def graph_of(triples: Rows) -> Graph:
    """The graph that rows of labels make: all of them are learnt from, none is held out."""
    from transa.graph.building.assembling import Choices, graph_from_tables

    return graph_from_tables({"train": table_of(triples)}, Choices(None), "graph")
