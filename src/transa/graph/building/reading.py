"""Files of triples to a graph."""

from __future__ import annotations

from collections.abc import Sequence

from transa.graph.building.assembling import (
    DEFAULT_SPLIT,
    Choices,
    Duplicates,
    Unseen,
    graph_from_tables,
)
from transa.graph.building.files import PathLike, find_files
from transa.graph.building.neo4j import one_export
from transa.graph.graph import Graph
from transa.graph.readers.formats import read_table
from transa.graph.readers.options import Columns, FileOptions, Format, Literals


def read(
    path: PathLike,
    *,
    valid: PathLike | None = None,
    test: PathLike | None = None,
    format: Format | None = None,  # noqa: A002 (what everybody calls it)
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Columns | None = None,
    quote: bool | None = None,
    literals: Literals = "keep",
    bins: int = 10,
    language: str | None = None,
    names_from: Sequence[str] | None = None,
    graphs: Sequence[str] | None = None,
    query: str | None = None,
    split: Sequence[float] | None = DEFAULT_SPLIT,
    seed: int = 0,
    duplicates: Duplicates = "keep",
    unseen: Unseen = "error",
    name: str | None = None,
) -> Graph:
    """Read a graph from one file of triples, from train, valid and test files, or from a folder.

    What a file is shows in its name and content: text with tabs, commas or spaces, with or without
    a header; Parquet; RDF as N-Triples, N-Quads, Turtle, TriG, RDF/XML or JSON-LD; each also
    compressed (gzip, Zstandard, bzip2, xz); a file of DuckDB or SQLite. Text is UTF-8. A folder has
    a train file (``train.tsv``, ``train.txt.gz``, ...) and may have valid and test files, or has
    only one file of triples; names for people are taken from its ``entity_names.tsv`` and
    ``relation_names.tsv`` (lines of label, tab, name). A folder may also be an export of Neo4j:
    files of nodes and files of relationships. docs/sources.md has an example of each.

    A line ends in LF or CR LF and has at most 1 MiB; a CR elsewhere is refused unless it is in
    quotes. A compressed file swells to at most 200 times its size (or 256 MiB), and nothing is read
    that would not fit into the memory that is free.

    A single set of triples is split at random so that every entity and relation of valid and test
    occurs in train; the fractions are kept as near as that allows.

    Args:
        path: The file or folder; the train file if `valid` or `test` is given.
        valid: The file of validation triples.
        test: The file of test triples.
        format: What the files are: "delimited", "parquet", "ntriples", "nquads", "turtle", "trig",
            "rdfxml", "jsonld", "duckdb" or "sqlite".
        delimiter: What separates the columns: "tab", "comma", "space" or another character. Where
            it is not told and a space follows every comma, spaces round labels do not count.
        header: Whether the first line names the columns. Found out by itself if these names are
            usual ones (head/relation/tail, subject/predicate/object, h/r/t, source/type/target).
        columns: Which columns hold head, relation and tail, in this order: names from the header,
            or positions from 0. Or, for a file without header, what its columns are from left to
            right: ``("relation", "head", "tail")``.
        quote: Whether fields may be in double quotes. By default they may unless the delimiter is
            a tab, where quotes are part of the label.
        literals: What to do with RDF triples that end in a literal: "keep" each literal as an
            entity, "drop" them, or "bin": numbers and dates are put in quantile bins, one entity a
            bin, and texts are dropped.
        bins: How many bins the values of a relation are put in, at most.
        language: Which of several names of a thing is shown: tags, best first, as in "de,en"; by
            default the system's language.
        names_from: Where names come from: predicates of RDF (skos:prefLabel and rdfs:label unless
            told), or a property of Neo4j's nodes (name, title or label). What names is no fact.
        graphs: Which named graphs to read, "default" for the one without a name; all unless told.
        query: What to ask of a data base: SQL, or the name of a table.
        split: The shares of train, valid and test for a single set of triples; None leaves all of
            them in train.
        seed: What the split is drawn with.
        duplicates: "keep" copies of a triple, or "drop" all but the first.
        unseen: What to do about triples of valid and test with a label that train does not have:
            an "error", "drop" them, or "keep" them and their labels.
        name: What the graph is called; by default as the file or folder.

    Returns:
        The graph; its `report` says what was found. Ids follow the sorted labels.

    Raises:
        InputError: If a file is not what it should be; the message names the file and the line.
        ConfigError: If an argument is not legal.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "borders.txt")
        ...     _ = path.write_text("France borders Spain")
        ...     read(path, split=None)
        Graph('borders': 2 entities, 1 relations, 1 train / 0 valid / 0 test)
    """
    told = FileOptions(
        format,
        delimiter,
        header,
        columns,
        quote,
        literals,
        language=language,
        names_from=names_from,
        graphs=graphs,
        query=query,
    )
    choices = Choices(split, seed, duplicates, unseen, bins)
    files = find_files(path, valid, test)
    paths = {"train": files.train, "valid": files.valid, "test": files.test}
    tables = {part: read_table(file, told) for part, file in paths.items() if file is not None}
    if files.more or files.nodes:
        more = [read_table(file, told) for file in files.more]
        tables["train"] = one_export([tables["train"], *more], files.nodes, told)
    names = files.entity_names, files.relation_names
    return graph_from_tables(tables, choices, name or files.name, *names)
