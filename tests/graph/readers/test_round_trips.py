"""What is written comes back: over delimiters, quoting, headers, column orders, compression."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
from itertools import permutations
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.graph.readers.formats import read_table
from transa.graph.readers.options import FileOptions

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ROLES = ("head", "relation", "tail")
WRAPPINGS = {"": lambda data: data, ".gz": gzip.compress, ".zst": zstd.compress}

# Any Unicode but what UTF-8 or a line cannot hold; a byte-order mark is not part of a label.
ANY_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\ufeff"), min_size=1, max_size=8
)
MULTILINE_TEXT = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_characters="\r\ufeff"), st.sampled_from('",\n ')
    ),
    min_size=1,
    max_size=8,
)
WORDS = st.text(st.sampled_from("abcäß日_-/:'0123456789"), min_size=1, max_size=8)


def triples_of(labels: st.SearchStrategy[str]) -> st.SearchStrategy[list[tuple[str, str, str]]]:
    return st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=20)


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, object]:
    """How the same triples may be laid out in a file."""
    return {
        "order": draw(st.sampled_from(list(permutations(ROLES)))),
        "header": draw(st.booleans()),
        "end": draw(st.sampled_from(["\n", "\r\n"])),
        "last_end": draw(st.booleans()),
        "mark": draw(st.booleans()),
        "wrapping": draw(st.sampled_from(list(WRAPPINGS))),
    }


def laid_out(rows: list[tuple[str, str, str]], layout: dict, **writing: object) -> bytes:
    places = [ROLES.index(role) for role in layout["order"]]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=layout["end"], **writing)
    if layout["header"]:
        writer.writerow(layout["order"])
    writer.writerows([row[place] for place in places] for row in rows)
    text = buffer.getvalue()
    if not layout["last_end"]:
        text = text.removesuffix(layout["end"])
    mark = codecs.BOM_UTF8 if layout["mark"] else b""
    return WRAPPINGS[layout["wrapping"]](mark + text.encode())


def read_back(folder: Path, data: bytes, layout: dict, **told: object) -> list[tuple[str, ...]]:
    path = folder / f"triples.txt{layout['wrapping']}"
    path.write_bytes(data)
    return read_table(path, FileOptions(**told)).frame.rows()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round_trips")


@given(rows=triples_of(MULTILINE_TEXT), layout=layouts(), delimiter=st.sampled_from(",\t ;|"))
def test_quoted_fields_may_hold_anything(folder, rows, layout, delimiter):
    data = laid_out(rows, layout, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    told = {"delimiter": delimiter, "quote": True, "header": layout["header"]}
    assert read_back(folder, data, layout, columns=layout["order"], **told) == rows


@given(rows=triples_of(MULTILINE_TEXT), layout=layouts(), delimiter=st.sampled_from(", "))
def test_fields_quoted_only_where_needed(folder, rows, layout, delimiter):
    data = laid_out(rows, layout, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL)
    told = {"delimiter": delimiter, "header": layout["header"]}
    assert read_back(folder, data, layout, columns=layout["order"], **told) == rows


@given(
    rows=triples_of(ANY_TEXT.filter(lambda label: "\t" not in label)),
    layout=layouts(),
)
def test_tab_separated_labels_keep_quotes_and_spaces(folder, rows, layout):
    order = [[row[ROLES.index(role)] for role in layout["order"]] for row in rows]
    lines = [
        "\t".join(fields) for fields in ([layout["order"]] if layout["header"] else []) + order
    ]
    text = layout["end"].join(lines) + (layout["end"] if layout["last_end"] else "")
    data = WRAPPINGS[layout["wrapping"]](text.encode())
    told = {"delimiter": "tab", "header": layout["header"], "columns": layout["order"]}
    assert read_back(folder, data, layout, **told) == rows


@given(rows=triples_of(WORDS), layout=layouts(), delimiter=st.sampled_from("\t, "))
def test_everything_is_found_out_by_itself(folder, rows, layout, delimiter):
    layout = layout if layout["header"] else {**layout, "order": ROLES}
    data = laid_out(rows, layout, delimiter=delimiter)
    assert read_back(folder, data, layout) == rows


@given(rows=triples_of(MULTILINE_TEXT), order=st.permutations(ROLES))
def test_parquet(folder, rows, order):
    frame = pl.DataFrame(rows, schema=dict.fromkeys(ROLES, pl.String), orient="row")
    path = folder / "triples.parquet"
    frame.select(order).write_parquet(path)
    assert read_table(path, FileOptions()).frame.rows() == rows
