"""Questions in frames and files, answers in tables."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest

import transa
from transa.asking.bulk import answers
from transa.asking.bulk.tables import SCHEMA, format_of, write_answers
from transa.errors import ConfigError, InputError
from transa.graph.readers.frame import frame_table

QUESTIONS = {
    "head": ["France", None, "fr", "Spain"],
    "relation": ["borders", "capital", "?", "borders"],
    "tail": ["", "Paris", "es", "?"],
}


@pytest.fixture
def questions() -> pl.DataFrame:
    """Of the three kinds, with every way to leave a place open."""
    return pl.DataFrame(QUESTIONS)


def test_a_frame_of_questions_has_its_answers_in_one_table(fitted, questions):
    table = fitted.predict(questions, k=3)
    assert table.schema == pl.Schema(SCHEMA)
    assert table["question"].unique().to_list() == [0, 1, 2, 3]
    for number, wanted in enumerate(
        [
            fitted.predict_tails("fr", "borders", 3),
            fitted.predict_heads("capital", "p a", 3),
            fitted.predict_relations("fr", "es", 3),
            fitted.predict_tails("es", "borders", 3),
        ]
    ):
        asked = ("tail", "head", "relation", "tail")[number]
        rows = table.filter(pl.col("question") == number)
        assert rows["asked"].unique().to_list() == [asked]
        assert rows[asked].to_list() == [a.label for a in wanted]
        assert rows["rank"].to_list() == [a.rank for a in wanted]
        assert rows["score"].to_list() == pytest.approx([a.score for a in wanted], rel=1e-4)
        assert rows["probability"].to_list() == pytest.approx(
            [a.probability for a in wanted], rel=1e-3
        )
    first = table.row(0, named=True)
    assert (first["head"], first["relation"]) == ("fr", "borders")
    # Entities have names beside their labels, but for one; relations have none.
    shown = dict(zip(table["tail"], table["name"], strict=True))
    assert shown["pt"] == "Portugal"
    assert table.filter(pl.col("asked") == "relation")["name"].null_count() == 1


def test_pandas_frames_and_other_columns_will_do(fitted, questions):
    renamed = questions.rename({"head": "a", "relation": "b", "tail": "c"})
    table = fitted.predict(pd.DataFrame(renamed.to_dict(as_series=False)), columns=("a", "b", "c"))
    assert table.equals(fitted.predict(questions))


def test_a_column_that_is_all_gaps(fitted):
    frame = pl.DataFrame({"head": ["France"], "relation": ["borders"], "tail": [None]})
    assert len(fitted.predict(frame, k=2)) == 2


def test_known_answers_are_marked(fitted, questions):
    table = fitted.predict(questions, k=12, known=True)
    marked = table.filter(pl.col("known").is_not_null())
    assert set(marked["known"]) == {"train", "test"}
    assert marked["probability"].null_count() == len(marked)


def test_blocks_change_nothing(fitted, questions, monkeypatch):
    whole = fitted.predict(questions)
    monkeypatch.setattr(answers, "_QUESTIONS", 1)
    told = []
    assert fitted.predict(questions, progress=lambda *how_far: told.append(how_far)).equals(whole)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_no_answers_are_an_empty_table(fitted):
    frame = pl.DataFrame({"head": ["Nowhere"], "relation": ["borders"], "tail": ["?"]})
    table = fitted.predict(frame, unknown="drop")
    assert table.is_empty()
    assert table.schema == pl.Schema(SCHEMA)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("Frence", "borders", None), "row 1: unknown entity 'Frence'; did you mean 'France'?"),
        (("France", "border", None), "row 1: unknown relation 'border'"),
        (("France", "borders", "Spain"), "row 1: found 0 gaps; a question has one"),
        (("France", None, None), "row 1: found 2 gaps"),
    ],
)
def test_a_bad_question_is_named(fitted, row, words):
    frame = pl.DataFrame(
        [("France", "borders", None), row], schema=["head", "relation", "tail"], orient="row"
    )
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        fitted.predict(frame)


def test_a_choice_that_is_none_is_refused(fitted, questions):
    with pytest.raises(ConfigError, match="unknown is one of error, drop"):
        fitted.predict(questions, unknown="guess")
    with pytest.raises(ConfigError, match="at least 1"):
        fitted.predict(questions, k=0)


@pytest.mark.parametrize("blocks", [1, 8192])
@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.parquet", "a.jsonl"])
def test_every_format_holds_the_same(fitted, questions, tmp_path, monkeypatch, name, blocks):
    wanted = fitted.predict(questions, k=4, known=True)
    monkeypatch.setattr(answers, "_QUESTIONS", blocks)
    table = frame_table(questions, None, "questions", gaps=True)
    path = tmp_path / name
    bulk = fitted.bulk(table, 4, known=True)
    assert write_answers(bulk, path) == len(wanted)
    reading = {
        "tsv": lambda: pl.read_csv(path, separator="\t", quote_char=None, schema=SCHEMA),
        "csv": lambda: pl.read_csv(path, schema=SCHEMA),
        "parquet": lambda: pl.read_parquet(path),
        "jsonl": lambda: pl.DataFrame(
            [json.loads(line) for line in path.read_text().splitlines()], schema=SCHEMA
        ),
    }
    assert reading[format_of(path)]().equals(wanted)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_name_that_tells_no_format_is_refused(fitted, questions, tmp_path):
    bulk = fitted.bulk(frame_table(questions, None, "questions", gaps=True))
    with pytest.raises(ConfigError, match=r"\.tsv, \.csv, \.parquet, \.jsonl, \.ttl or \.nt"):
        write_answers(bulk, tmp_path / "answers.doc")
    with pytest.raises(ConfigError, match="one of tsv, csv, parquet, jsonl"):
        write_answers(bulk, tmp_path / "answers.doc", "doc")
    assert write_answers(bulk, tmp_path / "answers.doc", "csv") > 0


def test_a_label_with_a_tab_is_not_written_between_tabs(tmp_path):
    graph = transa.from_labels([("a", "r", "b\tc"), ("b\tc", "r", "d")], split=None)
    model = transa.TransE(dim=4, epochs=1, threads=1).fit(graph)
    asked = pl.DataFrame({"head": ["d"], "relation": ["r"], "tail": ["?"]})
    bulk = model.bulk(frame_table(asked, None, "questions", gaps=True))
    with pytest.raises(InputError, match="a tab or a line break"):
        write_answers(bulk, tmp_path / "a.tsv")
    write_answers(bulk, tmp_path / "a.csv")
    assert pl.read_csv(tmp_path / "a.csv")["tail"].to_list().count("b\tc") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]
