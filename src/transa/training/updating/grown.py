"""A graph and its tables with new facts: what was there keeps its ids, what is new follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.errors import InputError
from transa.graph import Graph, Triples, Vocabulary
from transa.graph.sorting import packed
from transa.graph.vocabulary import UNKNOWN
from transa.models import FittedModel, Parameters
from transa.models.energy import Energy, Rows

Masks = dict[Rows, NDArray[np.bool_]]
"""By what a row is of: which entities, relations (inverses too) and shared rows are meant."""


@dataclass(frozen=True, eq=False)
class Grown:
    """A model's graph with new facts, before anything is learnt of them.

    Attributes:
        graph: the new facts are the last of its training triples.
        tables: the model's, with a row for all that is new.
        n_facts: how many facts are new.
        fresh: the rows that no training triple has taught anything yet.
        left_out: facts that the graph had already, in some split, or that were given twice.
    """

    graph: Graph
    tables: Parameters
    n_facts: int
    fresh: Masks
    left_out: int

    @property
    def facts(self) -> Triples:
        """The new facts."""
        return self.graph.train[-self.n_facts :]


def grown(model: FittedModel, triples: Sequence[tuple[str, str, str]], seed: int) -> Grown:
    """The model with the facts that it does not know yet.

    Raises:
        InputError: there is none such.
    """
    old = model.graph
    heads, links, tails = zip(*triples, strict=True) if triples else ((), (), ())
    entities, ends = _numbered(old.entities, [*heads, *tails])
    relations, r = _numbered(old.relations, links)
    facts = np.stack([ends[: len(heads)], r, ends[len(heads) :]], axis=1).astype(np.int32)
    facts = _new_ones(facts, old.known)
    if not len(facts):
        raise InputError(
            "none of the triples is new to this model: its graph has them all, in train, valid or "
            "test"
        )
    graph = Graph(
        train=np.concatenate([old.train, facts]),
        entities=entities,
        relations=relations,
        valid=old.valid,
        test=old.test,
        name=old.name,
        report=old.report,
    )
    rng = np.random.default_rng((seed, len(old.train)))
    return Grown(
        graph,
        {name: _longer(model, name, graph, rng) for name in model.tables},
        len(facts),
        _fresh(model.energy, old, graph),
        len(triples) - len(facts),
    )


def _numbered(
    vocabulary: Vocabulary, labels: Sequence[str]
) -> tuple[Vocabulary, NDArray[np.int32]]:
    """The vocabulary with the labels that it lacks at its end, and the ids of all of these."""
    found = vocabulary.find(labels)
    strangers: dict[str, int] = {}
    for row in np.flatnonzero(found == UNKNOWN).tolist():
        found[row] = len(vocabulary) + strangers.setdefault(labels[row], len(strangers))
    if not strangers:
        return vocabulary, found
    longer = pl.concat([vocabulary.labels, pl.Series("label", [*strangers], dtype=pl.String)])
    names = vocabulary.names
    if names is not None:
        names = names.extend_constant(None, len(strangers))
    return Vocabulary(vocabulary.kind, longer, names), found


def _new_ones(facts: Triples, known: Triples) -> Triples:
    """Those that are not known, each once."""
    keys = packed(np.concatenate([known, facts]))
    _, first = np.unique(keys, return_index=True)
    return facts[np.sort(first[first >= len(known)]) - len(known)]


def _longer(
    model: FittedModel, name: str, graph: Graph, rng: np.random.Generator
) -> NDArray[np.float32]:
    """A table with rows for what is new: average entities, relations as training draws them."""
    energy, table, old = model.energy, model.tables[name], model.graph
    kind = energy.tables[name]
    if kind == "entity":
        mean = table[old.seen].mean(axis=0, keepdims=True)
        longer = np.concatenate([table, np.repeat(mean, graph.n_entities - old.n_entities, axis=0)])
        longer[: old.n_entities][~old.seen] = mean
        return longer
    new = graph.n_relations - old.n_relations
    if kind == "shared" or not new:
        return np.array(table)
    # Inverses follow all relations.
    parts = np.split(table, len(table) // old.n_relations)
    drawn = [energy.draw(name, new, rng) for _ in parts]
    return np.concatenate([each for pair in zip(parts, drawn, strict=True) for each in pair])


def _fresh(energy: Energy, old: Graph, graph: Graph) -> Masks:
    """What the old training triples had nothing of."""
    entities = np.ones(graph.n_entities, dtype=np.bool_)
    entities[: old.n_entities] = ~old.seen
    relations = np.ones(graph.n_relations, dtype=np.bool_)
    relations[old.train[:, 1]] = False
    twice = energy.relation_rows(graph.n_relations) // graph.n_relations
    return {"entity": entities, "relation": np.tile(relations, twice), "shared": np.zeros(1, bool)}
