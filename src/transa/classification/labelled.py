"""Triples with a verdict: those that thresholds are fitted on and judgements are tested on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.classification.negatives import make_negatives
from transa.datasets import available, labelled_frame
from transa.errors import InputError
from transa.graph import Graph, Triples
from transa.graph.known import SPLITS
from transa.graph.vocabulary import UNKNOWN


@dataclass(frozen=True, eq=False)
class NumberedTriples:
    """Triples of labels as ids, labels that the graph does not have included.

    Attributes:
        triples: ids (n, 3). An entity id of n_entities + i stands for strangers[i]; a relation that
            the graph does not have is `UNKNOWN`.
        strangers: distinct labels of entities that the graph does not have.
    """

    triples: Triples
    strangers: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, graph: Graph, heads: Iterable[str], relations: Iterable[str], tails: Iterable[str]
    ) -> NumberedTriples:
        """Number labels, or names that only one thing bears."""
        heads, tails = list(heads), list(tails)
        labels = heads + tails
        entities = graph.entities.find(labels)
        stranger: dict[str, int] = {}
        for row in np.flatnonzero(entities == UNKNOWN):
            entities[row] = graph.n_entities + stranger.setdefault(labels[row], len(stranger))
        columns = (entities[: len(heads)], graph.relations.find(relations), entities[len(heads) :])
        return cls(np.stack(columns, axis=1), tuple(stranger))

    def __len__(self) -> int:
        return len(self.triples)

    def seen(self, graph: Graph) -> NDArray[np.bool_]:
        """Per entity, strangers last, whether a training triple has it."""
        return np.append(graph.seen, np.zeros(len(self.strangers), dtype=np.bool_))

    def name(self, graph: Graph, entity: int) -> str:
        """What a person calls an entity, stranger or not."""
        if entity < graph.n_entities:
            return graph.entities.display(entity)
        return self.strangers[entity - graph.n_entities]


@dataclass(frozen=True, eq=False)
class LabelledTriples:
    """Triples, and whether each is true.

    Attributes:
        numbered: the triples.
        truth: one label a triple.
        source: where the labels are from, for reports.
        left_out: triples of the split that no false one could be made of.
    """

    numbered: NumberedTriples
    truth: NDArray[np.bool_]
    source: str = "given"
    left_out: int = 0

    def __post_init__(self) -> None:
        if len(self.numbered) == 0:
            raise InputError("there are no labelled triples; at least one is needed")

    @classmethod
    def of(cls, graph: Graph, rows: Iterable[tuple[str, str, str, bool]]) -> LabelledTriples:
        """From rows of head, relation, tail and whether that is true."""
        listed = list(rows)
        for row in listed:
            if len(row) != 4 or row[3] not in (True, False):
                raise InputError(
                    f"a labelled triple is (head, relation, tail, True or False); found {row!r}"
                )
        heads, relations, tails, truth = zip(*listed, strict=True) if listed else ((), (), (), ())
        numbered = NumberedTriples.of(graph, heads, relations, tails)
        return cls(numbered, np.array(truth, dtype=np.bool_))

    @property
    def triples(self) -> Triples:
        """The triples' ids."""
        return self.numbered.triples


def labelled_split(graph: Graph, split: str, seed: int = 0) -> LabelledTriples:
    """True and false triples of a split: as published where they are, else with false ones made.

    Args:
        graph: a named graph that comes with false triples, or any other.
        split: 'valid' or 'test'.
        seed: of the false triples that are made; see `make_negatives`.
    """
    if len(graph.split(split)) == 0:
        raise InputError(
            f"graph {graph.name!r} has no {split} triples; classification needs valid triples to "
            "fit thresholds on and test triples to be tested on"
        )
    published = _published(graph, split)
    return _made(graph, split, seed) if published is None else published


def _published(graph: Graph, split: str) -> LabelledTriples | None:
    """The labelled file of the data set that the graph is, if it is one that has such a file."""
    counts = tuple(graph.n_triples(each) for each in SPLITS)
    is_published = any(
        graph.name == entry.name
        and entry.labelled_negatives
        # A user's graph may bear the same name.
        and counts == (entry.train, entry.valid, entry.test)
        for entry in available()
    )
    if not is_published:
        return None
    frame = labelled_frame(graph.name, split)
    numbered = NumberedTriples.of(graph, frame["head"], frame["relation"], frame["tail"])
    return LabelledTriples(numbered, frame["label"].to_numpy(), "published")


def _made(graph: Graph, split: str, seed: int) -> LabelledTriples:
    """A true triple, then its false one, as in the published files."""
    negatives = make_negatives(graph, split, seed)
    true = graph.split(split)
    pairs = np.stack([true[negatives.of], negatives.triples], axis=1).reshape(-1, 3)
    truth = np.tile([True, False], len(negatives.of))
    left_out = len(true) - len(negatives.of)
    return LabelledTriples(NumberedTriples(pairs), truth, f"made, seed {seed}", left_out)
