"""What a search has found so far, as `search.json` keeps it: a kill costs the trials in hand."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from transa.errors import StoreError
from transa.files.schema import Natural, NotNegative, conform
from transa.files.whole import whole_file
from transa.graph import Graph
from transa.settings.config import Plain
from transa.storage.checking import read_json

RECORD, STUDY, MODEL, CONFIG = "search.json", "study.db", "model", "config.yaml"
FORMAT = 1


@dataclass(frozen=True)
class Tried:
    """One trial that has ended.

    Attributes:
        number: in the order they ended, from 1.
        model: what was trained.
        by: 'defaults', those that suit the graph, or 'search'.
        mrr: the best on the validation split; None where there was no look.
        seconds: of training.
        epochs: that were done.
        planned: that were asked for.
        megabytes: of the model's tables.
        ended: how: 'finished', 'pruned', 'out of time', 'stopped' or 'failed'.
        chosen: by setting, what the search chose; empty of the defaults.
        why: the sentence of one that failed.
    """

    number: Natural
    model: str
    by: Literal["defaults", "search"]
    mrr: float | None
    seconds: NotNegative
    epochs: Natural
    planned: Natural
    megabytes: NotNegative
    ended: str
    chosen: dict[str, Any]
    why: str = ""


@dataclass(frozen=True)
class Record:
    """A search as far as it is.

    Attributes:
        graph: what it is called.
        of: a digest of its triples.
        trials: in the order they ended.
        seconds: spent, by all calls together.
        winner: the number of the best trial, whose model is in the folder; None before the first.
        tested: the number of the trial whose test triples were ranked.
        test: what that gave: filtered MRR, mean rank and Hits@k.
        format: of this file.
    """

    graph: str
    of: str
    trials: tuple[Tried, ...] = ()
    seconds: NotNegative = 0.0
    winner: int | None = None
    tested: int | None = None
    test: dict[str, float] | None = None
    format: Natural = FORMAT

    @property
    def best(self) -> Tried | None:
        """The winner so far."""
        return None if self.winner is None else self.trials[self.winner - 1]

    def of_model(self, model: str) -> list[Tried]:
        """The trials of a model that came to a value, best first."""
        return by_quality(each for each in self.trials if each.model == model)

    def write(self, folder: Path) -> None:
        """Replace the record in a folder."""
        with whole_file(folder / RECORD) as part:
            part.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def by_quality(trials: Any) -> list[Tried]:  # noqa: ANN401 (whatever can be gone through)
    """Those with a value, best first; of equals the first to end."""
    valued = [each for each in trials if each.mrr is not None]
    return sorted(valued, key=lambda each: -each.mrr)


def opened(folder: Path, graph: Graph) -> Record:
    """The record of a folder that a search is to go on in, or a new one.

    Raises:
        StoreError: if the folder holds something else.
    """
    of = digest(graph)
    if not (folder / RECORD).exists():
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise StoreError(
                f"{folder}: holds something other than a search; choose another folder"
            )
        return Record(graph.name, of)
    plain: Plain = read_json(folder / RECORD)
    if plain.get("format", FORMAT) != FORMAT:
        raise StoreError(f"{folder}: a search by another version; choose another folder")
    record: Record = conform(Record, plain, RECORD)
    if record.of != of:
        raise StoreError(
            f"{folder}: holds a search over another graph, {record.graph!r:.60}; choose another "
            "folder"
        )
    if record.winner is not None and not 0 < record.winner <= len(record.trials):
        raise StoreError(f"{folder}: {RECORD} contradicts itself; choose another folder")
    return record


def digest(graph: Graph) -> str:
    """What two graphs have in common that a search may go on with: training and validation."""
    found = hashlib.sha256(f"{graph.n_entities} {graph.n_relations}".encode())
    for part in (graph.train, graph.valid):
        found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()[:32]
