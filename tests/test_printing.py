"""Tables in narrow terminals, and in notebooks."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from rich.text import Text

from transa.asking.predictions import Prediction, Predictions
from transa.printing import Table, as_html

ROWS = [
    ("http://example.org/a/long/label/of/an/entity", "1,234,567", "0.123456"),
    ("[bold]", "2", "–"),
]


def printed(table, width):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(table)
    return console.file.getvalue()


def a_table(headers=("entity", "facts in train", "share of all"), **options):
    table = Table(*headers, **options)
    for name, *numbers in ROWS:
        table.add_row(Text(name), *numbers)
    return table


@pytest.mark.parametrize("width", [200, 80, 60, 50, 40, 30, 20])
def test_numbers_and_headings_are_whole_at_any_width(width):
    out = printed(a_table(), width)
    for word in ("1,234,567", "0.123456", "facts in train", "share of all"):
        assert word in out
    assert max(map(len, out.splitlines())) <= width


def test_words_are_folded_and_not_cut():
    for width in (60, 30):
        letters = re.sub(r"[^a-z:/.]", "", printed(a_table(), width))
        assert ROWS[0][0].split("/")[2] in letters
        assert printed(a_table(title="The title"), width).lstrip().startswith("The title")
    assert "…" not in printed(a_table(), 30)


def test_a_row_that_does_not_fit_is_told_line_by_line():
    lines = printed(a_table(caption="as of today"), 30).splitlines()
    assert " [bold]" in lines
    assert "  facts in train  2" in [line.rstrip() for line in lines]
    assert lines[-1].startswith("as of today")
    assert "  share of all    –" in [line.rstrip() for line in lines]


def test_headings_in_two_lines_are_told_in_one():
    table = a_table(("relation", "tail corrupted\nmedian", "\nmean"))
    assert table.headings() == ["relation", "tail corrupted median", "tail corrupted mean"]
    assert "  tail corrupted mean" in printed(table, 34)


def test_answers_have_their_rank_in_the_name():
    rows = tuple(Prediction(n, f"e{n}", f"A name {n}", -1.5, None, 0.25) for n in (1, 2))
    out = printed(Predictions("France · borders · ?", rows), 24)
    assert " 1 A name 1\n" in out
    assert "  probability  0.250" in out


def test_html_has_what_the_text_has_and_no_markup_of_its_own():
    table = a_table(title="<Title>", caption="[dim]small[/]")
    html = as_html(table)
    assert html.startswith("<table><caption>&lt;Title&gt;</caption><thead>")
    assert '<th style="text-align: right">facts in train</th>' in html
    assert '<td style="text-align: left">[bold]</td>' in html
    assert html.endswith("<p><small><small>small</small></small></p>")
    assert html.count("<tr>") == 3


def test_results_are_html_in_a_notebook(fitted):
    answers = fitted.predict_tails("France", "borders", k=2)
    html = answers._repr_html_()
    assert '<p style="white-space: pre-line"><strong>France · borders · ?</strong></p>' in html
    assert f'<td style="text-align: left">{answers[0].name}</td>' in html
    assert "Hits@10" in fitted.evaluate()._repr_html_()
    reasons = fitted.reasons("France", "borders", "Spain")
    assert "What speaks for it" in reasons._repr_html_()
    import transa

    assert "<th" in transa.inspect(fitted.graph_)._repr_html_()
