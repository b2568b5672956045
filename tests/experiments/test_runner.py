"""Units are run once, stop and resume, and are tested only where they are chosen."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from experiments.running import records
from experiments.running.pooling import PooledMargins
from experiments.running.runner import Runner
from transa.datasets.sources import load_graph
from transa.errors import StoreError
from transa.margins.spheres import spheres_of
from transa.models import FittedModel
from transa.settings.config import to_plain


def test_a_record_says_everything(runner, unit):
    (record,) = runner.validated([unit])
    assert record.settings == to_plain(unit.settings)
    assert record.digest == unit.digest
    assert record.seed == 0
    assert record.counts["relations"] == 5
    assert {"transa", "began", "threads", "seconds", "processor_seconds_training"} <= set(
        record.made
    )
    assert record.training["best_epoch"] in (2, 4)
    assert record.mean_margin > 0
    assert record.validation["mr"] >= 1
    assert record.test is None


def test_a_unit_with_a_record_is_not_run_again(runner, unit):
    lines = []
    watched = replace(runner, say=lines.append)
    (first,) = watched.validated([unit])
    (again,) = watched.validated([unit])
    assert again == first
    assert len(lines) == 1
    assert "[1/1]" in lines[0]


def test_only_what_is_tested_has_test_figures(runner, unit):
    other = unit.with_seed(1)
    runner.validated([unit, other])
    (tested,) = runner.tested([other])
    assert tested.test is not None
    path = records.path_of(runner.folder, unit)
    assert records.read(path).test is None


def test_testing_needs_no_vectors_from_before(runner, unit):
    (kept,) = runner.tested([unit])
    path = records.path_of(runner.folder, unit)
    records.write(path, replace(kept, test=None))
    runner.tidy([unit])
    (retrained,) = runner.tested([unit])
    assert retrained.test == kept.test


def test_stopped_and_resumed_it_comes_to_the_same(runner, unit, tmp_path):
    def interrupt(epoch):
        if epoch.epoch == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        replace(runner, watch=interrupt).validated([unit])
    assert not records.path_of(runner.folder, unit).exists()
    epochs = []
    (resumed,) = replace(runner, watch=lambda epoch: epochs.append(epoch.epoch)).validated([unit])
    (straight,) = Runner(tmp_path / "straight", threads=1).validated([unit])
    assert epochs == [3, 4]
    assert resumed.validation == straight.validation
    assert resumed.mean_margin == straight.mean_margin


def test_a_checkpoint_of_another_version_is_passed_over(runner, unit):
    (runner.folder / ".models" / f"{unit.digest}.checkpoint").write_text("of old")
    (record,) = runner.validated([unit])
    assert record.training["epochs"] == 4


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--out"):
        Runner(tmp_path / "file" / "records")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 1, "what": 2}'])
def test_a_damaged_record_is_a_sentence(tmp_path, content):
    (tmp_path / "record.json").write_text(content)
    with pytest.raises(StoreError, match=r"record\.json: not a record"):
        records.read(tmp_path / "record.json")


def test_pooled_margins_are_those_of_the_graph_read_both_ways(unit, ring):
    graph, energy = load_graph(ring), unit.settings.energy
    margin = replace(unit.settings.recipe.margin, reading="spheres", mu=0.7, local=1.0)
    recipe = replace(unit.settings.recipe, margin=margin)
    parameters = energy.initialise(graph.n_entities, graph.n_relations, np.random.default_rng(0))
    margins = PooledMargins(energy, recipe, graph.train, graph.n_entities)
    margins.compute(parameters, 0, threads=1)

    both_ways = np.concatenate([graph.train, graph.train[:, ::-1]])
    model = FittedModel(energy, parameters, replace(graph, train=both_ways))
    found = []
    for triple, (h, r, t) in enumerate(graph.train.tolist()):
        for anchor, group, values in (
            (h, margins.current.head_group, margins.current.at_head),
            (t, margins.current.tail_group, margins.current.at_tail),
        ):
            around = spheres_of(model, anchor, "outgoing")
            (sphere,) = (s for s in around.relations if s.relation == r)
            expected = around.m_opt(sphere, 0.7, "spheres")
            assert values[group[triple]] == pytest.approx(expected, rel=1e-4)
            found.append(expected)
    assert margins.mean() == pytest.approx(np.mean(found), rel=1e-4)
