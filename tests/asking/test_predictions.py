"""Answers as tables."""

from __future__ import annotations

import polars as pl
import pytest

from transa import Prediction, Predictions

ANSWERS = Predictions(
    "France · borders · ?",
    (
        Prediction(1, "es", "Spain", -0.5, "train"),
        Prediction(2, "xx", "[Atlantis]", -1.25, None, 0.25),
    ),
)


def test_they_are_a_sequence():
    assert len(ANSWERS) == 2
    assert [answer.name for answer in ANSWERS] == ["Spain", "[Atlantis]"]
    assert ANSWERS[-1].label == "xx"
    assert ANSWERS[:1] == (ANSWERS[0],)
    with pytest.raises(AttributeError):
        ANSWERS.rows = ()


def test_they_print_as_a_table():
    lines = [line.split() for line in str(ANSWERS).splitlines()]
    assert lines[0] == ["France", "·", "borders", "·", "?"]
    assert lines[2] == ["answer", "label", "probability", "score", "known"]
    assert lines[4] == ["1", "Spain", "es", "-0.500", "train"]
    # Brackets are part of a name, not a style.
    assert lines[5] == ["2", "[Atlantis]", "xx", "0.250", "-1.250"]


def test_columns_that_say_nothing_are_left_out():
    plain = Predictions("q", (Prediction(1, "Spain", "Spain", -0.5),))
    assert str(plain).splitlines()[2].split() == ["answer", "score"]


def test_they_become_frames():
    frame = ANSWERS.to_polars()
    assert frame.schema["score"] == pl.Float32
    assert frame.rows() == [
        (1, "es", "Spain", -0.5, "train", None),
        (2, "xx", "[Atlantis]", -1.25, None, 0.25),
    ]
    assert ANSWERS.to_pandas()["name"].tolist() == ["Spain", "[Atlantis]"]
    assert Predictions("q", ()).to_polars().columns == frame.columns
