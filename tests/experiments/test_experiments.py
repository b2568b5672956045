"""Every experiment, from triples to its part of the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments import by_size, table1, table3, table4
from experiments.catalogue import EXPERIMENTS, experiment_named
from experiments.contests import margin_free, margin_listwise
from experiments.contests.comparison import ADAPTIVE, best_fixed
from experiments.figures import FIGURE_1
from experiments.running.graphs import graph_of
from experiments.running.records import read_all
from experiments.running.scale import Scale
from experiments.writing import paper
from experiments.writing.report import experiment_section, report, write_report
from transa.errors import StoreError, UnknownNameError
from transa.settings.by_size import GraphSize

# On one worker, which runs each experiment once.
pytestmark = pytest.mark.xdist_group("experiments")

COMMITTED = Path(__file__).parents[2]


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_from_triples_to_report(name, ran, scale, tmp_path):
    experiment, folder = experiment_named(name), ran(name)
    found = read_all(folder, name)
    assert {record.digest for record in found} == {u.digest for u in experiment.units(scale)}
    text = experiment_section(experiment, found, tmp_path / "pictures", scale)
    assert "changed since" not in text
    assert not list((folder / ".models").glob("*/"))
    for picture in _pictures(text):
        assert (tmp_path / "pictures" / picture).stat().st_size > 1000


def _pictures(text):
    return [part.split(")")[0] for part in text.split("images/results/")[1:]]


@pytest.mark.parametrize("module", [table1, margin_free])
def test_only_what_was_chosen_on_validation_is_tested(module, ran):
    records = read_all(ran(module.NAME), module.NAME)
    for graph in {record.graph for record in records}:
        of_graph = [record for record in records if record.graph == graph]
        tested = {record.label("margin") for record in of_graph if record.test is not None}
        best = {best_fixed(of_graph, by).label("margin") for by in module.MEASURES}
        assert tested == {ADAPTIVE, *best}


@pytest.mark.parametrize("module", [table1, margin_free, margin_listwise])
def test_nothing_is_said_of_a_grid_that_is_not_finished(module, ran, scale, tmp_path):
    records = read_all(ran(module.NAME), module.NAME)
    graph = records[0].graph
    grid = [record for record in records if record.label("margin") is not None]
    partial = [r for r in grid if r.graph == graph and r.label("margin") != ADAPTIVE]
    text = module.section(partial, tmp_path)
    assert f"Not finished: {graph}" in text
    assert "|" not in text


def test_settings_that_have_changed_since_are_told(ran, tmp_path):
    found = read_all(ran("figure1"), "figure1")
    as_if_full = experiment_section(FIGURE_1, found, tmp_path, Scale(quick=False))
    assert "settings have changed since for 1 of them" in as_if_full


def test_what_was_run_anew_takes_the_place_of_what_was_before(ran, scale, tmp_path):
    (now,) = read_all(ran("figure1"), "figure1")
    before = replace(now, digest="before", validation={"not": "looked at"})
    text = experiment_section(FIGURE_1, [before, now], tmp_path, scale)
    assert "1 record;" in text
    assert "changed since" not in text


def test_what_was_not_run_is_told(tmp_path):
    text = report(tmp_path, tmp_path / "pictures")
    assert text.count("Not run.") == len(EXPERIMENTS)


def test_the_report_on_the_committed_records_is_the_committed_one(tmp_path):
    written = write_report(COMMITTED / "experiments" / "records", tmp_path)
    committed = COMMITTED / "docs" / "results.md"
    assert written.read_text() == committed.read_text(), "run: python -m experiments report"
    for picture in _pictures(committed.read_text()):
        assert (COMMITTED / "docs" / "images" / "results" / picture).exists()


def test_no_such_experiment():
    with pytest.raises(UnknownNameError, match="table1"):
        experiment_named("table2")


def test_table_3_has_every_row_of_the_paper():
    rows = {str(unit.labels["row"]) for unit in table3.units(Scale())}
    assert set(paper.TABLE_3) - {"TransA"} <= rows


def test_table_4_has_just_the_figures_of_the_paper():
    run = {(str(unit.labels["row"]), unit.graph) for unit in table4.units(Scale())}
    assert run == {(row, graph) for row, said in paper.TABLE_4.items() for graph in said}


def test_the_headline_has_three_seeds():
    headline = [u for u in table3.units(Scale()) if u.labels["row"] == table3.HEADLINE]
    assert {(unit.graph, unit.seed) for unit in headline} == {
        (graph, seed) for graph in table3.GRAPHS for seed in range(3)
    }


def test_a_report_on_nothing_is_refused(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "results.md").write_text("mine")
    with pytest.raises(StoreError, match="no records"):
        write_report(tmp_path / "records", tmp_path / "docs")
    assert (tmp_path / "docs" / "results.md").read_text() == "mine"


@pytest.mark.parametrize("graph", by_size.GRAPHS)
def test_sizes_that_are_known_without_reading_are_those_of_the_graphs(graph, datasets, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(datasets))
    assert by_size.size_of(graph) == GraphSize.of(graph_of(graph))
