from __future__ import annotations

from dataclasses import replace

import pytest

from transa.graph.building.report import ReadReport, SharedTriples, SourceReport

PLAIN = SourceReport("train", "train.tsv", "tab-separated text", 1234)


def test_a_plain_graph_takes_one_line():
    report = ReadReport((PLAIN,))
    assert str(report) == "train.tsv: tab-separated text, 1,234 triples"
    assert not report.has_findings
    assert not report.has_duplicates


def test_a_line_taken_for_a_header_is_worth_telling():
    assert ReadReport((replace(PLAIN, format="comma-separated text with a header"),)).has_findings


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (
            ReadReport((SourceReport("train", "x", "y", 9, repeated=2),), duplicates="drop"),
            "x: y, 9 triples, 2 of them repeated (dropped)",
        ),
        (
            ReadReport((SourceReport("test", "x", "y", 9, unseen=3),), unseen="keep"),
            "x: y, 9 triples, 3 with a label that train does not have (kept)",
        ),
        (
            ReadReport((SourceReport("train", "x", "y", 9, literals_dropped=4),)),
            "x: y, 9 triples, 4 more with a literal (dropped)",
        ),
        (
            ReadReport((PLAIN,), shared=(SharedTriples("train", "test", 5),)),
            "5 triples in both train and test (kept)",
        ),
        (ReadReport((PLAIN,), split_short_by=6), "valid and test have 6 triples fewer than asked"),
    ],
)
def test_what_was_found_is_said(report, words):
    assert words in str(report)
    assert report.has_findings


def test_sources_that_share_nothing_are_not_mentioned():
    report = ReadReport((PLAIN,), shared=(SharedTriples("train", "test", 0),))
    assert "both" not in str(report)
