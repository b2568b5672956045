"""Link prediction: a split's ranks summed up, and broken down by side, category and relation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError
from transa.graph import Graph, Triples
from transa.graph.candidates import Protocol
from transa.graph.known import KnownIndex
from transa.models import Energy, FittedModel, Tables
from transa.ranking.categories import CATEGORIES, Category, relation_categories
from transa.ranking.metrics import Metrics
from transa.ranking.ranks import Progress, Ties, rank
from transa.ranking.report import link_prediction_table
from transa.tables import Printed

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Scores:
    """The same ranks with and without the other known answers among the candidates."""

    filtered: Metrics
    raw: Metrics

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"filtered": self.filtered.to_dict(), "raw": self.raw.to_dict()}


@dataclass(frozen=True)
class Sides:
    """Scores of both sides together, and of the questions for the head and for the tail apart."""

    both: Scores
    head: Scores
    tail: Scores

    def to_dict(self) -> dict[str, Any]:
        """For JSON: both sides at the top, each by itself under `by_side`."""
        by_side = {"head": self.head.to_dict(), "tail": self.tail.to_dict()}
        return {**self.both.to_dict(), "by_side": by_side}


@dataclass(frozen=True, repr=False)
class LinkPrediction(Printed):
    """How well a model ranks the true entities of a split. Prints as a table.

    Attributes:
        graph: the graph's name.
        split: which triples were ranked.
        protocol: who the candidates were; see `transa.graph.candidates`.
        ties: where a true entity stands among those of the same energy.
        overall: over all triples.
        by_category: over the triples of 1-1, 1-N, N-1 and N-N relations; those there are.
        by_relation: over the triples of each relation that the split has, by label.
    """

    graph: str
    split: str
    protocol: Protocol
    ties: Ties
    overall: Sides
    by_category: Mapping[Category, Sides]
    by_relation: Mapping[str, Sides]

    @property
    def filtered(self) -> Metrics:
        """The figures that papers call filtered."""
        return self.overall.both.filtered

    @property
    def raw(self) -> Metrics:
        """The figures that papers call raw."""
        return self.overall.both.raw

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the key `link_prediction`."""
        return {
            "link_prediction": {
                "graph": self.graph,
                "split": self.split,
                "protocol": self.protocol,
                "ties": self.ties,
                **self.overall.to_dict(),
                "by_category": {name: s.to_dict() for name, s in self.by_category.items()},
                "by_relation": {name: s.to_dict() for name, s in self.by_relation.items()},
            }
        }

    def __repr__(self) -> str:
        return f"LinkPrediction({self.graph!r}, {self.split!r}: filtered {self.filtered})"

    def __rich__(self) -> Table:
        return link_prediction_table(self)


def evaluate(
    model: FittedModel | Energy,
    *asked: str | Tables | Graph,
    split: str = "test",
    triples: Triples | None = None,
    protocol: Protocol = "published",
    ties: Ties = "realistic",
    threads: int = 0,
    progress: Progress | None = None,
) -> LinkPrediction:
    """Rank a split among all entities, on both sides, and sum up.

    Filtered ranks leave out every triple of train, valid and test but the one that is ranked.

    Args:
        model: `model_` of an estimator, or made of an energy, tables and a graph.
        *asked: the split, too, may be given by place. As in version 0.1,
            ``evaluate(energy, tables, graph, split)`` still does.
        split: 'train', 'valid' or 'test'; with `triples`, what to call those.
        triples: ids (n, 3) to rank instead of a split. They count as known, as those of the graph.
        protocol: 'published', where every entity is a candidate, as in papers, or 'offered', where
            those are that `predict` offers; see `transa.graph.candidates`.
        ties: see `transa.ranking.ranks.Counts.ranks`.
        threads: 0 means all cores.
        progress: told how far the ranking is.

    Example:
        >>> import numpy as np, transa
        >>> from transa.models import FittedModel, TransEEnergy
        >>> graph = transa.from_ids([[0, 0, 1], [1, 0, 2]], test=[[0, 0, 2]])
        >>> vectors = {"entity": np.float32([[0], [1], [2]]), "relation": np.float32([[2]])}
        >>> evaluate(FittedModel(TransEEnergy(1, "l1"), vectors, graph)).filtered.mr
        1.0
    """
    model, split = _asked_for(model, asked, split)
    graph, known = model.graph, model.known
    if triples is None:
        triples = graph.split(split)
    else:
        every = np.concatenate([graph.known, triples])
        known = KnownIndex(every, graph.n_entities, graph.n_relations)
    if len(triples) == 0:
        others = [name for name in ("valid", "train") if graph.n_triples(name)]
        raise InputError(
            f"graph {graph.name!r} has no {split} triples to rank; it has {' and '.join(others)} "
            "ones (--split)"
        )
    ranks = rank(model, triples, protocol=protocol, known=known, threads=threads, progress=progress)
    filtered, raw = ranks.filtered.ranks(ties), ranks.raw.ranks(ties)
    relation = triples[:, 1]
    code = {category: i for i, category in enumerate(CATEGORIES)}
    categories = relation_categories(known)
    category = np.array([code[c] for c in categories])[relation]
    return LinkPrediction(
        graph=graph.name,
        split=split,
        protocol=protocol,
        ties=ties,
        overall=_sides(filtered, raw),
        by_category={CATEGORIES[i]: s for i, s in _grouped(category, filtered, raw)},
        by_relation={graph.relations.label(i): s for i, s in _grouped(relation, filtered, raw)},
    )


def _asked_for(
    model: FittedModel | Energy, asked: tuple[str | Tables | Graph, ...], split: str
) -> tuple[FittedModel, str]:
    """The model and the split, however they were given."""
    match (model, *asked):
        case (FittedModel() as fitted,):
            return fitted, split
        case (FittedModel() as fitted, str() as named):
            return fitted, named
        case (Energy() as energy, Mapping() as tables, Graph() as graph, *_):
            warnings.warn(
                "evaluate(energy, tables, graph, split) is now "
                "evaluate(FittedModel(energy, tables, graph), split)",
                DeprecationWarning,
                stacklevel=3,
            )
            return _asked_for(FittedModel(energy, tables, graph), asked[2:], split)
    raise ConfigError("evaluate takes a fitted model and the name of a split")


def _grouped(
    group: NDArray[np.integer[Any]], filtered: NDArray[np.float64], raw: NDArray[np.float64]
) -> Iterator[tuple[int, Sides]]:
    """The scores of each group of triples that there is, in the order of the groups."""
    order = np.argsort(group, kind="stable")
    present, begin = np.unique(group[order], return_index=True)
    for value, rows in zip(present, np.split(order, begin[1:]), strict=True):
        yield int(value), _sides(filtered[rows], raw[rows])


def _sides(filtered: NDArray[np.float64], raw: NDArray[np.float64]) -> Sides:
    def scores(columns: slice | int) -> Scores:
        return Scores(Metrics.of(filtered[:, columns]), Metrics.of(raw[:, columns]))

    return Sides(both=scores(slice(None)), head=scores(0), tail=scores(1))
