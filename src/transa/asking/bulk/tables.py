"""Many questions in, one table out: block by block, to a frame, a file or a stream.

The table has a row an answer: the number of its question, the triple with the answer in the place
that was `asked` for, the answer's rank, its name where it has one beside its label, its score and
probability, and the split that has it already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from transa.asking.bulk.answers import BestAnswers, best_answers, questions_at_a_time
from transa.asking.bulk.best import NOBODY, Ids
from transa.asking.bulk.statements import statements
from transa.asking.probability.curves import PLACES, Probabilities
from transa.errors import ConfigError, InputError, one_of
from transa.files.forks import before_polars
from transa.files.whole import scratch_folder, whole_file
from transa.graph.known import GAP, SPLITS
from transa.models.fitted import FittedModel

Format: TypeAlias = Literal["tsv", "csv", "parquet", "jsonl", "ttl", "nt"]

FORMATS: tuple[Format, ...] = get_args(Format)

_SUFFIXES: dict[str, Format] = {
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".ttl": "ttl",
    ".nt": "nt",
}

SCHEMA: dict[str, Any] = {
    "question": pl.Int64,
    "head": pl.String,
    "relation": pl.String,
    "tail": pl.String,
    "asked": pl.String,
    "rank": pl.Int32,
    "name": pl.String,
    "score": pl.Float32,
    "probability": pl.Float64,
    "known": pl.String,
}

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many questions are answered."""


@dataclass(frozen=True, eq=False)
class Bulk:
    """What is asked of a model.

    Attributes:
        model: whom to ask.
        questions: ids (n, 3), of each row one place a `GAP`.
        numbers: of the questions, as the table tells them.
        k: answers to each.
        known: whether to keep what the graph has.
        probabilities: the model's, if it has any.
        threads: 0 means all cores.
    """

    model: FittedModel
    questions: Ids
    numbers: Ids
    k: int = 10
    known: bool = False
    probabilities: Probabilities | None = None
    threads: int = 0

    def frames(self, progress: Progress | None = None) -> Iterator[pl.DataFrame]:
        """The table, a block of questions at a time."""
        before_polars()
        n, step = len(self.questions), questions_at_a_time(self.k)
        for start in range(0, n, step):
            questions = self.questions[start : start + step]
            found = best_answers(
                self.model,
                questions,
                self.k,
                known=self.known,
                probabilities=self.probabilities,
                threads=self.threads,
            )
            yield _frame(self.model, questions, self.numbers[start : start + step], found)
            if progress is not None:
                progress(min(start + step, n), n)


def format_of(path: Path) -> Format:
    """What a file is to be, by its name."""
    found = _SUFFIXES.get(path.suffix.casefold())
    if found is None:
        raise ConfigError(
            f"{path}: the name tells no format; end it in .tsv, .csv, .parquet, .jsonl, .ttl or "
            ".nt, or say which (--to)"
        )
    return found


def write_answers(
    bulk: Bulk, path: Path, to: Format | None = None, progress: Progress | None = None
) -> int:
    """Write the table to a file, whole or not at all; how many answers there are."""
    to = to or format_of(path)
    one_of("the format of answers", to, FORMATS)
    with whole_file(path) as part:
        if to == "parquet":
            return _write_parquet(bulk, path, part, progress)
        with part.open("wb") as file:
            return write_text(bulk, file, to, progress)


def write_text(bulk: Bulk, file: IO[bytes], to: Format, progress: Progress | None = None) -> int:
    """Write the table to a stream, block by block; how many answers there are."""
    answers = 0
    for number, frame in enumerate(bulk.frames(progress)):
        answers += len(frame)
        if to == "jsonl":
            text = frame.write_ndjson().encode()
        elif to == "ttl" or to == "nt":
            text = statements(frame, to, is_first=number == 0)
        else:
            if to == "tsv":
                _check_labels(frame)
            # As `transa.read` has it: with tabs, quotes are part of the labels.
            text = frame.write_csv(
                include_header=number == 0,
                separator="\t" if to == "tsv" else ",",
                quote_style="never" if to == "tsv" else "necessary",
            ).encode()
        # Not by Polars, whose errors do not tell a full disk and a closed pipe from others.
        file.write(text)
    return answers


def _check_labels(frame: pl.DataFrame) -> None:
    for column in (*PLACES, "name"):
        broken = frame[column].filter(frame[column].str.contains(r"[\t\r\n]"))
        if len(broken):
            raise InputError(
                f"{broken[0]!r} has a tab or a line break in it, which tsv cannot tell from its "
                "own; write csv, jsonl or parquet instead"
            )


def _write_parquet(bulk: Bulk, path: Path, part: Path, progress: Progress | None) -> int:
    """By way of a file a block: Parquet tells at its end what is in it, so none is appended to."""
    answers = 0
    with scratch_folder(path) as blocks:
        for number, frame in enumerate(bulk.frames(progress)):
            answers += len(frame)
            frame.write_parquet(blocks / f"{number:08}.parquet")
        pl.scan_parquet(sorted(blocks.iterdir())).sink_parquet(part)
    return answers


def _frame(model: FittedModel, questions: Ids, numbers: Ids, found: BestAnswers) -> pl.DataFrame:
    graph = model.graph
    row, rank = np.nonzero(found.ids != NOBODY)
    gap = (questions == GAP).argmax(axis=1)[row]
    triples = questions[row]
    triples[np.arange(len(row)), gap] = found.ids[row, rank]
    vocabularies = (graph.entities, graph.relations, graph.entities)
    labels = [words.labels.gather(ids) for words, ids in zip(vocabularies, triples.T, strict=True)]
    names = np.full(len(row), None, dtype=object)
    for column, words in enumerate(vocabularies):
        if words.names is not None:
            rows = gap == column
            names[rows] = words.names.gather(triples[rows, column]).to_numpy()
    columns: dict[str, pl.Series] = dict(zip(PLACES, labels, strict=True))
    frame = pl.DataFrame(
        {
            "question": numbers[row],
            **columns,
            "asked": pl.Series(PLACES).gather(gap),
            "rank": rank + 1,
            "name": pl.Series(names, dtype=pl.String),
            "score": -found.energies[row, rank],
            "probability": pl.Series(found.probabilities[row, rank]).fill_nan(None),
            "known": pl.Series((*SPLITS, None), dtype=pl.String).gather(found.splits[row, rank]),
        }
    )
    return frame.cast(SCHEMA)  # type: ignore[arg-type]
