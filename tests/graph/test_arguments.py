"""Arguments that make no sense are told so in a sentence, whatever they are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest

import transa
from transa.errors import ConfigError, InputError, TooLargeError, TransaError

FRAME = pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]})
ROWS = [("a", "r", "b")]
IDS = [[0, 0, 1]]
NAN = math.nan


@pytest.mark.parametrize(
    "ids",
    [
        *(None, 3, "abc", {"a": 1}, {(0, 0, 1)}, [[0, 1], [0]], [0, 1, 2], [], [[]]),
        *([[0, 0, -1]], [[0, 0, 1.5]], [[0, 0, NAN]], [[0, 0, None]], [["a", "b", "c"]]),
        *([[0, 0, 10**9]], [[0, 0, 2**40]], [[0, 0, 2**70]], [[True, False, True]]),
        np.array([[0, 0, 2**63]], dtype=np.uint64),
        np.array([[0, 0, object()]]),
        (row for row in IDS),
    ],
    ids=lambda given: type(given).__name__,
)
def test_ids(ids):
    with pytest.raises(InputError):
        transa.from_ids(ids)
    with pytest.raises(InputError):
        transa.from_ids(IDS, n_entities=1, valid=ids)


@pytest.mark.parametrize("count", ["n_entities", "n_relations"])
@pytest.mark.parametrize("value", ["2", 2.5, NAN, -1, 0, 2**31, 2**70])
def test_counts(count, value):
    with pytest.raises(InputError):
        transa.from_ids(IDS, **{count: value})


def test_labels_that_would_not_fit_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr("transa.files.memory.available_memory", lambda: 10**9)
    with pytest.raises(TooLargeError, match=r"100,000,000 entity labels would need 6\.4 GB"):
        transa.from_ids(IDS, n_entities=10**8)


@pytest.mark.parametrize(
    "labels",
    [
        *(3, "ab", {"a", "b"}, [1, 2], ["a"], ["a", "a"], ["a", ""], ["a", None], ["a", "\ud800"]),
        *(pl.Series([1, 2]), np.array([1, 2]), {"a": 0, "b": 1}, range(2)),
    ],
    ids=lambda given: type(given).__name__,
)
def test_labels_of_ids(labels):
    with pytest.raises(InputError):
        transa.from_ids(IDS, entities=labels)


@pytest.mark.parametrize(
    "frame",
    [
        *(
            None,
            3,
            "abc",
            ROWS,
            {"head": ["a"]},
            np.array(ROWS),
            pl.Series(["a"]),
            pd.Series(["a"]),
        ),
        *(pl.DataFrame(), FRAME.clear(), FRAME.select("head"), FRAME.lazy().select("nothing")),
        pl.scan_parquet("there/is/no.parquet"),
        *(FRAME.with_columns(tail=pl.lit(x)) for x in (None, "", 1.5, b"x", True)),
        FRAME.with_columns(pl.col("tail").implode()),
        pd.DataFrame({"h": ["a", 1], "r": ["r", "r"], "t": ["b", "c"]}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_frames(frame):
    with pytest.raises(InputError):
        transa.from_frame(frame)


@pytest.mark.parametrize(
    "columns",
    [
        *(3, "abc", "head", (None,) * 3, (0, "b", 2), ([0], [1], [2]), (0.0, 1.0, 2.0), (NAN,) * 3),
        *((True, False, 2), {"head", "relation", "tail"}, {}, (), (0, 1), ("a", "a", "b")),
    ],
    ids=lambda given: type(given).__name__,
)
def test_columns(tmp_path, columns):
    path = tmp_path / "x.tsv"
    path.write_text("a\tr\tb\n")
    for read in (
        lambda: transa.from_frame(FRAME, columns=columns),
        lambda: transa.read(path, columns=columns),
    ):
        with pytest.raises(ConfigError, match="columns is three different columns"):
            read()


@pytest.mark.parametrize(
    "rows",
    [
        *(
            None,
            3,
            "abc",
            ["abc"],
            [b"abc"],
            [{"a", "b", "c"}],
            [dict.fromkeys("abc")],
            [(1, 2, 3)],
        ),
        *(
            [("a", "b")],
            [("a", "", "b")],
            [("a", "\ud800", "b")],
            [],
            [None],
            FRAME,
            [["a" * 10**6]],
        ),
    ],
    ids=lambda given: type(given).__name__,
)
def test_rows(rows):
    with pytest.raises(InputError) as caught:
        transa.from_labels(rows)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("split", x) for x in ((NAN,) * 3, (1.0, 0.0, NAN), (math.inf, 0, 0), "abc", True, 3)),
        *(("split", x) for x in ((None,) * 3, (0.8, 0.2), {}, (10**400, 0, 0), [[0.8], 0.1, 0.1])),
        *(("seed", x) for x in ("x", NAN, 1.5, None, -1, [1])),
        *(("duplicates", x) for x in (None, ["keep"], np.array([1, 2]), 3)),
        *(("unseen", x) for x in (None, {}, NAN)),
        *(("format", x) for x in (["a"], 3, {})),
        *(("delimiter", x) for x in (3, ["tab"], {}, "\u00e9", b"\t")),
        *(("header", x) for x in ("yes", 1, [])),
        *(("quote", x) for x in ("'", 0, NAN)),
        *(("name", x) for x in (3, ["x"])),
        *((path, x) for path in ("valid", "test") for x in (3, "", "a\0", b"x", [], "a" * 10_000)),
    ],
)
def test_options_of_read(tmp_path, option, value):
    path = tmp_path / "x.tsv"
    path.write_text("".join(f"e{i}\tr\te{i + 1}\n" for i in range(20)))
    with pytest.raises(TransaError) as caught:
        transa.read(path, **{"split": (0.8, 0.1, 0.1), option: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("entrance", [transa.read, transa.load_graph, transa.datasets.load])
@pytest.mark.parametrize("value", ["", None, 3, b"x", "a\0b", "a" * 10_000, "a\ud800", [], NAN])
def test_paths_and_names(entrance: Callable[[object], object], value):
    with pytest.raises(TransaError) as caught:
        entrance(value)
    assert len(str(caught.value)) < 500


def test_an_option_that_read_does_not_have(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("a\tr\tb\n")
    with pytest.raises(ConfigError, match="read has no option colour"):
        transa.load_graph(path, colour="red")


@pytest.mark.parametrize("index", [2, -1, "a", 0.0, None])
def test_an_id_that_no_label_has(index):
    with pytest.raises(InputError, match="no entity has the id"):
        transa.from_labels(ROWS, split=None).entities.label(index)


def test_a_graph_of_nothing():
    with pytest.raises(InputError, match=r"of the type transa\.Vocabulary"):
        transa.Graph(train=None, entities=None, relations=None)
