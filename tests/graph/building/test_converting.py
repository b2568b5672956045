from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa import Graph, from_frame, from_ids, from_labels
from transa.errors import ConfigError, InputError

ROWS = [("b", "likes", "a"), ("a", "likes", "c"), ("c", "knows", "b"), ("a", "knows", "b")]
FRAME = pl.DataFrame(ROWS, schema=["head", "relation", "tail"], orient="row")


def labels(graph: Graph, split: str = "train") -> list[tuple[str, str, str]]:
    return [
        (graph.entities.label(h), graph.relations.label(r), graph.entities.label(t))
        for h, r, t in graph.split(split)
    ]


LABELS = st.text(min_size=1, max_size=5).filter(lambda text: text.isprintable())


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=20))
def test_labels_come_back_and_ids_follow_their_order(rows):
    graph = from_labels(rows, split=None)
    assert labels(graph) == rows
    assert graph.entities.labels.to_list() == sorted({e for h, _, t in rows for e in (h, t)})
    assert graph.relations.labels.to_list() == sorted({r for _, r, _ in rows})


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.lazy(),
        FRAME.cast(pl.Categorical),
        FRAME.to_pandas(),
        FRAME.to_pandas().astype("category"),
        pd.DataFrame(ROWS, columns=["head", "relation", "tail"], index=[3, 1, 1, 0]),
    ],
    ids=["polars", "lazy", "categorical", "pandas", "pandas category", "pandas index"],
)
def test_frames_of_every_kind(frame):
    assert labels(from_frame(frame, split=None)) == ROWS


def test_columns_by_name_and_by_position():
    frame = FRAME.select(pl.lit(1).alias("weight"), how="relation", whom="tail", who="head")
    assert labels(from_frame(frame, columns=("who", "how", "whom"), split=None)) == ROWS
    assert labels(from_frame(frame, columns=(3, 1, 2), split=None)) == ROWS


def test_whole_numbers_are_labels():
    frame = pd.DataFrame({"s": [10, 2], "p": [0, 0], "o": [2, 10]})
    graph = from_frame(frame, split=None)
    assert labels(graph) == [("10", "0", "2"), ("2", "0", "10")]


def test_valid_and_test_frames_are_not_split():
    graph = from_frame(FRAME, valid=FRAME.head(1), test=FRAME.to_pandas().tail(2))
    assert (len(graph.train), labels(graph, "valid"), labels(graph, "test")) == (
        4,
        ROWS[:1],
        ROWS[2:],
    )


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (FRAME.drop("tail"), "train frame: found the columns 'head', 'relation', expected"),
        (FRAME.clear(), "train frame has no rows"),
        (FRAME.with_columns(head=pl.lit(0.5)), "column 'head' has the type Float64"),
        (FRAME.with_columns(tail=pl.lit(None)), "column 'tail' has the type Null"),
        (pd.DataFrame({"h": ["a", None], "r": "r", "t": "b"}), "row 1: column 'h' is empty"),
        (pd.DataFrame({"h": ["a", 1], "r": "r", "t": "b"}), "mixes types"),
        ([("a", "b", "c")], "expected a Polars or pandas frame, found a list"),
    ],
)
def test_a_bad_frame(frame, words):
    with pytest.raises(InputError) as caught:
        from_frame(frame)
    assert words in str(caught.value)


@pytest.mark.parametrize("rows", [[("a", "b")], [("a", "b", 3)], ["abc", "abcd"]])
def test_bad_labels(rows):
    with pytest.raises(InputError, match=r"train, row \d: expected three labels"):
        from_labels(rows)


def test_unseen_labels_in_a_frame():
    with pytest.raises(InputError, match="test frame, row 0: the entity 'z' does not occur"):
        from_labels(ROWS, test=[("a", "likes", "z")])


def test_ids_are_taken_as_they_are():
    ids = np.array([[0, 1, 2], [2, 0, 0]])
    graph = from_ids(ids, test=ids[:1])
    assert graph.train.tolist() == ids.tolist()
    assert graph.test.tolist() == [[0, 1, 2]]
    assert graph.train.dtype == np.int32
    assert graph.entities.labels.to_list() == ["0", "1", "2"]
    assert len(graph.valid) == 0


def test_ids_with_labels_and_counts():
    graph = from_ids([[0, 0, 1]], n_entities=5, relations=["r", "unused"])
    assert (graph.n_entities, graph.n_relations) == (5, 2)
    assert graph.relations.label(0) == "r"


def test_ids_can_be_split():
    ids = np.random.default_rng(0).integers(0, 5, (100, 3))
    graph = from_ids(ids, split=(0.8, 0.1, 0.1), duplicates="drop")
    assert len(graph.valid) > 0
    assert graph.report.duplicates == "drop"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"train": [[0, 0, 7]], "n_entities": 5}, "train: row 0 has tail id 7, expected 0 to 4"),
        ({"train": [[0, 0, 1], [0, 3, 1]], "n_relations": 2}, "row 1 has relation id 3"),
        ({"train": [[0, 0, 1]], "valid": [[0, 0, -1]]}, "valid: row 0 has tail id -1"),
        ({"train": [[0, 0, 2**40]], "n_entities": 5}, f"row 0 has tail id {2**40}"),
        ({"train": [[0, 0, 1]], "entities": ["only one"]}, "row 0 has tail id 1, expected 0 to 0"),
        ({"train": [[0, 0]]}, "train: triples have shape (n, 3), found (1, 2)"),
        ({"train": [[0.0, 0.0, 1.0]]}, "train: ids are integers, found float64"),
        ({"train": []}, "has no training triples"),
        (
            {"train": [[0, 0, 1]], "entities": ["a", "b"], "n_entities": 3},
            "2 entity labels were given, and a count of 3",
        ),
    ],
)
def test_bad_ids(arguments, words):
    with pytest.raises(InputError) as caught:
        from_ids(**arguments)
    assert words in str(caught.value)


def test_an_array_of_the_caller_stays_writable():
    ids = np.array([[0, 0, 1]], dtype=np.int32)
    graph = from_ids(ids)
    ids[0, 0] = 1
    assert graph.train[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        graph.train[0, 0] = 1


def test_an_id_beyond_all_measure_is_refused_before_it_fills_the_memory():
    with pytest.raises(InputError, match=r"largest entity id is 2,147,483,648.*or give n_entities"):
        from_ids([[0, 0, 2**31]])
    with pytest.raises(InputError, match="largest relation id"):
        from_ids([[0, 10**9, 1]])
    assert from_ids([[0, 0, 900]]).n_entities == 901


def test_labels_are_strings_and_rows_are_not():
    with pytest.raises(InputError, match="entity labels are a list of strings"):
        from_ids([[0, 0, 1]], entities=[5, 6])
    with pytest.raises(InputError, match="row 0: expected three labels, found 'abc'"):
        from_labels(["abc"])
    with pytest.raises(InputError, match="a label is a string, found 3"):
        from_labels(ROWS, split=None).entities.id(3)


def test_a_single_share_and_a_negative_seed_are_refused():
    with pytest.raises(ConfigError, match=r"as in \(0.8, 0.1, 0.1\).*found 0.8"):
        from_labels(ROWS, split=0.8)
    with pytest.raises(ConfigError, match="seed is not negative"):
        from_labels(ROWS, seed=-1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (FRAME.to_pandas(), "found a frame; its rows are frame.itertuples"),
        (FRAME, "found a frame"),
        (None, "expected .head, relation, tail. labels, found None"),
        ([None], "row 0: expected three labels, found None"),
        ([1], "row 0: expected three labels, found 1"),
    ],
    ids=["pandas", "polars", "none", "a none", "a number"],
)
def test_what_is_no_list_of_labels_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        from_labels(given)


def test_rows_of_an_array_of_labels_will_do():
    assert labels(from_labels(np.array(ROWS), split=None)) == ROWS


def test_columns_of_the_same_name_are_refused():
    frame = pd.DataFrame(ROWS, columns=["head", "relation", "head"])
    with pytest.raises(InputError, match="several columns have the same name"):
        from_frame(frame)


def test_ids_are_split_as_labels_are():
    ids = np.unique(np.random.default_rng(0).integers(0, 10, (200, 3)), axis=0)
    labels = [tuple(map(str, row)) for row in ids.tolist()]
    sizes = [
        [len(graph.split(split)) for split in ("train", "valid", "test")]
        for graph in (from_ids(ids), from_labels(labels))
    ]
    assert sizes[0] == sizes[1]
    assert min(sizes[0]) > 0
    assert len(from_ids(ids, split=None).train) == len(from_ids(ids, test=ids[:3]).train)
