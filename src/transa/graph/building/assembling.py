"""From triples, as labels or as ids, to a graph and the report on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from transa.errors import ConfigError, one_of
from transa.graph.building.bins import in_bins
from transa.graph.building.duplicates import count_repeats, count_shared, drop_copies, keys_by_split
from transa.graph.building.numbering import encode
from transa.graph.building.report import ReadReport, SharedTriples, SourceReport
from transa.graph.building.splitting import fractions_of, split_triples
from transa.graph.building.unseen_labels import drop_unseen, refuse_unseen, unseen_triples
from transa.graph.graph import Graph, Triples
from transa.graph.readers.names import names_of
from transa.graph.readers.table import Table
from transa.graph.vocabulary import Vocabulary

Duplicates: TypeAlias = Literal["keep", "drop"]
Unseen: TypeAlias = Literal["error", "drop", "keep"]

_MOST_BINS = 10_000
DEFAULT_SPLIT = (0.8, 0.1, 0.1)


@dataclass(frozen=True)
class Choices:
    """What the user wants done with what is found: the arguments of `transa.read`.

    Of copies of a triple, dropping leaves the first of all: train's before valid's before test's.
    """

    split: Sequence[float] | None
    seed: int = 0
    duplicates: Duplicates = "keep"
    unseen: Unseen = "error"
    bins: int = 10

    def __post_init__(self) -> None:
        if self.split is not None:
            fractions_of(self.split)
        if type(self.bins) is not int or not 2 <= self.bins <= _MOST_BINS:
            raise ConfigError(f"bins is from 2 to {_MOST_BINS:,}, found {self.bins!r:.100}")
        one_of("duplicates", self.duplicates, get_args(Duplicates))
        one_of("unseen", self.unseen, get_args(Unseen))


def graph_from_tables(
    tables: Mapping[str, Table],
    choices: Choices,
    name: str,
    entity_names: Path | None = None,
    relation_names: Path | None = None,
) -> Graph:
    """A graph of labelled triples, by split, and of names from files that may tell them."""
    tables, bin_names = in_bins(tables, choices.bins)
    encoded = encode(tables)
    unseen = unseen_triples(encoded)
    if choices.unseen == "error":
        refuse_unseen(tables, encoded, unseen)
    if choices.unseen == "drop":
        encoded = drop_unseen(encoded, unseen)
    sources = [
        SourceReport(
            split=split,
            source=table.source,
            format=table.format,
            triples=len(table.frame),
            unseen=int(unseen[split].sum()),
            literals_dropped=table.literals_dropped,
            inverses=table.inverses,
            remarks=table.remarks,
        )
        for split, table in tables.items()
    ]
    told = [table.names for table in tables.values()]
    return graph_from_ids(
        encoded.triples,
        Vocabulary(
            "entity", encoded.entities, names_of(encoded.entities, entity_names, [*told, bin_names])
        ),
        Vocabulary(
            "relation", encoded.relations, names_of(encoded.relations, relation_names, told)
        ),
        choices=choices,
        sources=sources,
        name=name,
    )


def graph_from_ids(
    triples: Mapping[str, Triples],
    entities: Vocabulary,
    relations: Vocabulary,
    *,
    choices: Choices,
    sources: Sequence[SourceReport],
    name: str,
) -> Graph:
    """A graph of numbered triples, by split; train alone is split if that is the choice."""
    keys = keys_by_split(triples)
    report = ReadReport(
        sources=tuple(
            replace(source, repeated=count_repeats(keys[source.split])) for source in sources
        ),
        shared=tuple(
            SharedTriples(one, other, count_shared(keys[one], keys[other]))
            for one, other in combinations(triples, 2)
        ),
        duplicates=choices.duplicates,
        unseen=choices.unseen,
    )
    if choices.duplicates == "drop" and report.has_duplicates:
        triples = drop_copies(triples, keys)
    if choices.split is not None and list(triples) == ["train"]:
        sizes = (len(entities), len(relations))
        split = split_triples(triples["train"], *sizes, fractions_of(choices.split), choices.seed)
        triples = {"train": split.train, "valid": split.valid, "test": split.test}
        report = replace(report, split_short_by=split.short_by)
    return Graph(entities=entities, relations=relations, name=name, report=report, **triples)
