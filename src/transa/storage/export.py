"""Vectors for other programs: TSV, Parquet, word2vec text."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.asking.bulk.statements import statements
from transa.asking.bulk.tables import FORMATS
from transa.asking.bulk.tables import Format as TableFormat
from transa.errors import ConfigError, InputError, one_of
from transa.files.forks import before_polars
from transa.files.whole import whole_file
from transa.graph import Vocabulary
from transa.models.fitted import FittedModel

Format: TypeAlias = Literal["tsv", "parquet", "word2vec"]


def export_vectors(
    model: FittedModel, path: Path, to: Format = "tsv", table: str = "entity"
) -> None:
    """Write one table of a model, a row for each label, whole or not at all.

    Args:
        model: whose vectors they are.
        path: the file to write.
        to: `tsv` has a header, the label and one column a dimension; `parquet` has the label, the
            name where there is one, and the vector as one column; `word2vec` is the text format of
            that program, white space in labels replaced by underscores.
        table: which vectors: 'entity', 'relation'; a matrix is written row by row.
    """
    before_polars()
    one_of("the format of an export", to, get_args(Format))
    vocabulary, vectors = labelled_vectors(model, table)
    with whole_file(path) as part:
        if to == "parquet":
            vector_frame(vocabulary, vectors).write_parquet(part)
            return
        columns = pl.from_numpy(vectors, schema=[f"v{i}" for i in range(vectors.shape[1])])
        if to == "tsv":
            _check_labels(vocabulary)
            frame = columns.insert_column(0, vocabulary.labels)
            # As `transa.read` has it: quotes in a file with tabs are part of the labels.
            frame.write_csv(part, separator="\t", quote_style="never")
        else:
            _write_word2vec(part, _words(vocabulary), columns)


def labelled_vectors(model: FittedModel, table: str) -> tuple[Vocabulary, NDArray[np.float32]]:
    """The rows of a table, each as one vector, and whose they are."""
    tables = model.energy.tables
    if table not in tables:
        raise ConfigError(f"the model has no table {table!r}, but {', '.join(tables)}")
    graph = model.graph
    vocabularies = {"entity": graph.entities, "relation": graph.relations}
    if tables[table] not in vocabularies:
        raise ConfigError(f"table {table!r} belongs to no one label: all triples share it")
    vocabulary = vocabularies[tables[table]]
    if model.energy.reciprocal and tables[table] == "relation":
        vocabulary = _with_inverses(vocabulary)
    rows = model.tables[table]
    return vocabulary, rows.reshape(len(rows), -1)


def vector_frame(vocabulary: Vocabulary, vectors: NDArray[np.float32]) -> pl.DataFrame:
    """The label, the name where there is one, and the vector as one column."""
    named = [] if vocabulary.names is None else [vocabulary.names]
    return pl.DataFrame([vocabulary.labels, *named, pl.Series("vector", vectors)])


def write_table(frame: pl.DataFrame, path: Path, to: TableFormat) -> None:
    """Write a table of answers, whole or not at all."""
    before_polars()
    one_of("the format of a table", to, FORMATS)
    with whole_file(path) as part:
        if to == "parquet":
            frame.write_parquet(part)
        elif to == "csv":
            frame.write_csv(part)
        elif to == "jsonl":
            frame.write_ndjson(part)
        elif to == "ttl" or to == "nt":
            part.write_bytes(statements(frame, to))
        else:
            for column in frame.select(pl.col(pl.String)).get_columns():
                _check_texts(column, "label or name")
            frame.write_csv(part, separator="\t", quote_style="never")


def _with_inverses(vocabulary: Vocabulary) -> Vocabulary:
    """The relations, then their inverses."""
    labels, names = vocabulary.labels, vocabulary.names
    labels = pl.concat([labels, labels + "⁻¹"])
    names = None if names is None else pl.concat([names, names + "⁻¹"])
    return Vocabulary(vocabulary.kind, labels, names)


def _check_labels(vocabulary: Vocabulary) -> None:
    _check_texts(vocabulary.labels, f"{vocabulary.kind} label")


def _check_texts(texts: pl.Series, what: str) -> None:
    broken = texts.filter(texts.str.contains(r"[\t\r\n]"))
    if len(broken):
        raise InputError(
            f"the {what} {broken[0]!r} has a tab or a line break in it, which tsv "
            "cannot tell from its own; export to parquet instead"
        )


def _write_word2vec(path: Path, words: pl.Series, columns: pl.DataFrame) -> None:
    with path.open("wb") as file:
        file.write(f"{columns.height} {columns.width}\n".encode())
        frame = columns.insert_column(0, words)
        frame.write_csv(file, separator=" ", include_header=False, quote_style="never")


def _words(vocabulary: Vocabulary) -> pl.Series:
    """Labels without white space, which would end a word."""
    words = vocabulary.labels.str.replace_all(r"\s", "_")
    if words.n_unique() < len(words):
        twice = words.filter(words.is_duplicated())[0]
        raise InputError(
            f"two {vocabulary.kind} labels would both be {twice!r} in word2vec text, where white "
            "space becomes an underscore; export to tsv or parquet instead"
        )
    return words
