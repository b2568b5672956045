"""Figures in words."""

from __future__ import annotations

from experiments.writing.markdown import number, share, spread, table, wrapped


def test_figures():
    assert number(1234.5) == "1,234"
    assert number(None) == "–"
    assert spread([1.0, 2.0, 3.0], 1) == "2.0 ± 1.0"
    assert spread([2.0], 1) == "2.0"
    assert spread([]) == "–"
    assert share([0.5]) == ".500"
    assert share([0.25, 0.75]) == ".500 ± .354"
    assert share([1.0]) == "1.000"


def test_tables_stay_as_they_are_and_paragraphs_are_wrapped():
    rows = table(["model", "a figure"], [["x" * 120, "1"]])
    assert rows.splitlines()[1] == "| --- | ---: |"
    text = wrapped("\n\n".join(["word " * 40, rows]))
    assert rows in text
    assert all(len(line) <= 100 for line in text.splitlines()[:3])
