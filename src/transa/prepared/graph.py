"""A prepared graph, opened: questions are answered from its files, which are mapped into memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.errors import InputError, StoreError, UnknownNameError
from transa.files.arrays import Arrays, map_arrays
from transa.files.damage import damage_told
from transa.graph import Graph, Triples, Vocabulary
from transa.graph.graph import checked_triples, no_triples
from transa.graph.known import SIDES, SPLITS, KnownIndex, Question, Side, columns_of, question_keys
from transa.graph.once import once
from transa.prepared.layout import Layout, Pair, around_path, bucket_path, pairs_path
from transa.prepared.record import (
    ENTITIES,
    HELD_OUT,
    RECORD,
    RELATIONS,
    Record,
    check_file,
    read_record,
)

# Of every relation.
_COUNTED = ("triples", "heads", "tails", "loops")


class MappedVocabulary(Vocabulary):
    """Labels that stay in their file; to ask for one reads a part of it."""

    def __init__(self, kind: str, path: Path, n: int) -> None:
        self.kind, self._path, self._n = kind, path, n
        self._scan = pl.scan_parquet(path)
        schema = self._scan.collect_schema()
        self._named = "name" in schema.names()
        _check_text(path, schema)

    def __len__(self) -> int:
        return self._n

    def rows_there(self) -> int:
        """How many labels its file has."""
        found: int = self._scan.select(pl.col("label").count()).collect().item()
        return found

    @once
    def labels(self) -> pl.Series:
        """All of them, in memory: for those who ask for all."""
        return pl.read_parquet(self._path, columns=["label"])["label"]

    @once
    def names(self) -> pl.Series | None:
        """All of them, in memory."""
        return pl.read_parquet(self._path, columns=["name"])["name"] if self._named else None

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and self._look_for(label) is not None

    def id(self, label: str) -> int:
        """The id of a label, or of a name that only one thing bears."""
        if not isinstance(label, str):
            raise InputError(f"a label is a string, found {label!r}")
        found = self._look_for(label)
        if found is None:
            raise UnknownNameError(f"unknown {self.kind} {label!r}{self._hint(label)}")
        return found

    def find(self, labels: Any) -> NDArray[np.int32]:  # noqa: ANN401 (as of the parent)
        """The ids of labels or names of which some may be unknown."""
        found = (self._look_for(label) for label in labels)
        return np.fromiter((-1 if id_ is None else id_ for id_ in found), dtype=np.int32)

    def label(self, index: int) -> str:
        """The label of an id."""
        if not isinstance(index, int | np.integer) or not 0 <= index < len(self):
            raise InputError(f"no {self.kind} has the id {index!r}; there are {len(self):,} from 0")
        return str(self._row(int(index))["label"])

    def display(self, index: int) -> str:
        """What to show a person."""
        return str(self._row(int(index)).get("name") or self.label(index))

    @lru_cache(maxsize=4096)  # noqa: B019 (of the few that are asked for)
    def _row(self, index: int) -> dict[str, Any]:
        return self._scan.slice(index, 1).collect().row(0, named=True)

    def _look_for(self, label: str) -> int | None:
        for column in ("label", "name") if self._named else ("label",):
            places = self._scan.with_row_index("id").filter(pl.col(column) == label)
            found = places.select("id").head(2).collect(engine="streaming")["id"]
            if len(found) == 1:
                return int(found[0])
        return None

    def _hint(self, label: str) -> str:
        alike = pl.col("label").str.to_lowercase() == label.lower()
        found = self._scan.filter(alike).select("label").head(3).collect(engine="streaming")
        if found.is_empty():
            return f" (there are {len(self):,}, for example {self.label(0)!r})"
        return "; did you mean " + " or ".join(repr(c) for c in found["label"]) + "?"


class MappedKnown(KnownIndex):
    """What is known, looked up in the files of partitions; held-out triples are in memory."""

    def __init__(self, graph: PreparedGraph) -> None:
        ends = np.cumsum([graph.n_triples(split) for split in SPLITS]).tolist()
        own = {"n_entities": graph.n_entities, "n_relations": graph.n_relations}
        vars(self).update(own, ends=tuple(ends), _looks=[0], _graph=graph)

    @once
    def triples(self) -> Triples:
        """All of them, in memory: for those who ask for all."""
        return self._graph.known  # type: ignore[attr-defined,no-any-return]

    @once
    def _held_out(self) -> KnownIndex:
        graph: PreparedGraph = self._graph  # type: ignore[attr-defined]
        held_out = np.concatenate([no_triples(), graph.valid, graph.test])
        return KnownIndex(held_out, self.n_entities, self.n_relations, (0, len(graph.valid)))

    @once
    def has_loops(self) -> NDArray[np.bool_]:
        """Per relation, whether it leads from some entity to itself."""
        graph: PreparedGraph = self._graph  # type: ignore[attr-defined]
        loops: NDArray[np.bool_] = graph.of_relation["loops"].to_numpy() > 0
        return loops | self._held_out.has_loops

    def answers_a_question(self, side: Side) -> NDArray[np.float64]:
        """Per relation, how many answers its questions have on average."""
        graph: PreparedGraph = self._graph  # type: ignore[attr-defined]
        asked = "heads" if side == "tail" else "tails"
        triples, questions = (
            graph.of_relation[n].to_numpy().astype(np.int64) for n in ("triples", asked)
        )
        more = self._held_out.answers(side)
        relation, anchor = np.divmod(more.keys, self.n_entities)
        by_question = np.split(more.answers, more.first[1:-1])
        for r, e, some in zip(relation, anchor, by_question, strict=False):
            there = graph.answers_in_train(side, int(r), int(e))
            questions[r] += len(there) == 0
            triples[r] += len(some) - np.isin(some, there).sum()
        mean: NDArray[np.float64] = triples / np.maximum(questions, 1)
        return mean

    def answers_to(self, question: Question) -> dict[int, str]:
        """The known answers of one question, each with the first split that has it."""
        graph: PreparedGraph = self._graph  # type: ignore[attr-defined]
        h, r, t = question
        held_out = self._held_out.answers_to(question)
        if r is None:
            assert h is not None  # noqa: S101 (one place is left open, and no more)
            train = [q for q, tails in graph.all_around("tail", h).items() if t in tails]
        else:
            side: Side = "head" if h is None else "tail"
            anchor = t if h is None else h
            assert anchor is not None  # noqa: S101
            train = graph.answers_in_train(side, r, anchor).tolist()
        return held_out | dict.fromkeys(train, "train")

    def about(self, triples: Triples) -> KnownIndex:
        """What is known that answers one of the questions of these triples."""
        graph: PreparedGraph = self._graph  # type: ignore[attr-defined]
        found = [np.concatenate([no_triples(), graph.valid, graph.test])]
        for side in SIDES:
            keys = np.unique(question_keys(triples, side, self.n_entities))
            anchor, answer = columns_of(side)
            for r, e in np.stack(np.divmod(keys, self.n_entities), axis=1).tolist():
                answers = graph.answers_in_train(side, r, e)
                some = np.empty((len(answers), 3), dtype=np.int32)
                some[:, 1], some[:, anchor], some[:, answer] = r, e, answers
                found.append(some)
        index = KnownIndex(np.concatenate(found), self.n_entities, self.n_relations)
        # Of all triples: whether an entity is a candidate in questions about itself goes by it.
        vars(index)["has_loops"] = self.has_loops
        return index


class PreparedGraph(Graph):
    """A graph whose training triples stay on disk.

    What is asked of single entities is read from its files. `train` and what is made of it can be
    had, too, and then are in memory.
    """

    folder: Path
    record: Record
    of_relation: pl.DataFrame

    def __init__(self, folder: Path) -> None:
        record = read_record(folder)
        for name in (ENTITIES, RELATIONS, HELD_OUT):
            check_file(folder, record, name)
        with damage_told(f"{folder}: a prepared graph that is damaged", "prepare it again"):
            entities = MappedVocabulary("entity", folder / ENTITIES, record.entities)
            relations = pl.read_parquet(folder / RELATIONS)
            _check_text(folder / RELATIONS, relations.schema)
            if not all(relations.schema.get(name, pl.String()).is_integer() for name in _COUNTED):
                raise StoreError(f"{folder / RELATIONS}: counts are whole numbers")
            held_out = pl.read_parquet(folder / HELD_OUT)
            splits = {
                split: checked_triples(
                    held_out.filter(pl.col("split") == split)
                    .select("head", "relation", "tail")
                    .to_numpy(),
                    split,
                    record.entities,
                    record.relations,
                )
                for split in SPLITS[1:]
            }
            counts = (entities.rows_there(), len(relations), *map(len, splits.values()))
            called = relations["name"] if "name" in relations.columns else None
            named = Vocabulary("relation", relations["label"], called)
        if counts != (record.entities, record.relations, record.valid, record.test):
            raise StoreError(
                f"{folder}: its files hold other counts than {RECORD}; prepare it again"
            )
        vars(self).update(
            folder=folder,
            record=record,
            of_relation=relations,
            entities=entities,
            relations=named,
            name=record.name,
            report=None,
            **splits,
        )

    @property
    def layout(self) -> Layout:
        """Where entities are."""
        return self.record.layout

    def n_triples(self, split: str) -> int:
        """How many triples a split has."""
        return self.record.train if split == "train" else len(self.split(split))

    @once
    def train(self) -> Triples:
        """All training triples, in memory."""
        return np.concatenate([self._at_large(pair) for pair in self.layout.pairs])

    def some_triple(self) -> tuple[int, int, int]:
        """One that is held out, or else one of train."""
        triples = np.concatenate([self.test[:1], self.valid[:1]])
        pairs = iter(self.layout.pairs)
        while len(triples) == 0:
            triples = self._at_large(next(pairs))[:1]
        head, relation, tail = triples[0].tolist()
        return head, relation, tail

    def _at_large(self, pair: Pair) -> Triples:
        triples: Triples = self.bucket(pair)["triples"].copy()
        rows = self.layout.rows
        for column in (0, 2):
            ids = triples[:, column]
            ids += np.where(ids < rows, pair.low * rows, (pair.high - 1) * rows)
        return triples

    @once
    def seen(self) -> NDArray[np.bool_]:
        """Per entity, whether a training triple has it."""
        seen = [
            np.diff(around["out.slot_ptr"]) + np.diff(around["into.slot_ptr"]) > 0
            for around in map(self.around, range(self.layout.partitions))
        ]
        return np.concatenate(seen)

    @once
    def paired(self) -> float:
        """The share of training triples whose two entities another one joins as well."""
        paired = int(self.of_relation["paired"].to_numpy().sum())
        return round(paired / self.record.train, 3)

    @once
    def index(self) -> KnownIndex:
        """Which answers the graph has already."""
        return MappedKnown(self)

    def bucket(self, pair: Pair) -> Arrays:
        """The arrays of a bucket."""
        return map_arrays(bucket_path(self.folder, pair))

    def around(self, partition: int) -> Arrays:
        """The neighbourhoods of a partition's entities."""
        return self._around(partition)

    @lru_cache(maxsize=1024)  # noqa: B019 (mapped, not read)
    def _around(self, partition: int) -> Arrays:
        return map_arrays(around_path(self.folder, partition))

    def pairs_around(self, partition: int) -> Arrays:
        """Which pair of a bucket each neighbour of a partition's entities is."""
        return map_arrays(pairs_path(self.folder, partition))

    def answers_in_train(self, side: Side, relation: int, anchor: int) -> NDArray[np.int32]:
        """The answers that training triples have to a question, in order."""
        return self.all_around(side, anchor, relation).get(relation, np.empty(0, np.int32))

    def all_around(
        self, side: Side, anchor: int, relation: int | None = None
    ) -> dict[int, NDArray[np.int32]]:
        """The neighbours of an entity on one side, by relation; of one relation if it is told."""
        partition, local = divmod(anchor, self.layout.rows)
        around, way = self.around(partition), "out" if side == "tail" else "into"
        first, end = around[f"{way}.group_ptr"][local : local + 2].tolist()
        relations = around[f"{way}.group_relation"][first:end]
        found = {}
        wanted = np.ones(end - first, np.bool_) if relation is None else relations == relation
        for g in first + np.flatnonzero(wanted):
            start, stop = around[f"{way}.positive_ptr"][g : g + 2]
            neighbours = around[f"{way}.neighbour"][around[f"{way}.positive"][start:stop]]
            other, ids = np.divmod(neighbours, self.layout.rows)
            other = (other + partition) % self.layout.partitions
            found[int(relations[g - first])] = np.sort(other * self.layout.rows + ids)
        return found


def _check_text(path: Path, schema: Mapping[str, pl.DataType]) -> None:
    if any(schema.get(name, pl.String()) != pl.String for name in ("label", "name")):
        raise StoreError(f"{path}: labels and names are text")
