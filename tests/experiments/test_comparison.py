"""Grids against the adaptive margin, from records made up for the purpose."""

from __future__ import annotations

import pytest

from experiments import margin_free
from experiments.contests.comparison import ADAPTIVE, best_fixed, contests
from experiments.running.records import Record


def record(margin, mr, mrr, *, seed=0, tested=False):
    figures = {"mr": mr, "mrr": mrr, "hits@10": mrr}
    unit = {"graph": "toy", "labels": {"margin": margin}, "settings": {"seed": seed, "epochs": 5}}
    return Record(
        unit=unit,
        digest=f"{margin}-{seed}",
        counts={},
        made={"processor_seconds_training": 2.0},
        training={"chosen_margin": 1.5},
        validation=figures,
        test=figures if tested else None,
    )


def contest_of(*records):
    found, unfinished = contests(records, ["mrr", "mr"])
    assert not unfinished
    return found["toy"]


def test_the_best_is_chosen_by_each_measure_among_runs_of_one_seed():
    grid = [record(1.0, 50, 0.3), record(2.0, 40, 0.2), record(4.0, 60, 0.4)]
    others = [record(ADAPTIVE, 1, 0.9), record(1.0, 2, 0.8, seed=1)]
    assert best_fixed([*grid, *others], "mr").label("margin") == 2.0
    assert best_fixed([*grid, *others], "mrr").label("margin") == 4.0


def test_a_contest_is_over_when_all_that_was_chosen_is_tested():
    records = [
        record(1.0, 50, 0.3, tested=True),
        record(2.0, 60, 0.4),
        record(ADAPTIVE, 45, 0.35, tested=True),
    ]
    assert contests(records, ["mr"])[1] == []
    assert contests(records, ["mrr"])[1] == ["toy"]
    assert contests(records[:2], ["mr"])[1] == ["toy"]
    assert contests(records[2:], ["mr"])[1] == ["toy"]


@pytest.mark.parametrize(
    ("adaptive", "verdict"),
    [
        ([(45, 0.36)], ("better", "better")),
        ([(55, 0.24)], ("worse", "worse")),
        ([(50.4, 0.298)], ("level", "level")),
        # Seeds that differ by much leave it open.
        ([(30, 0.5), (60, 0.2), (50, 0.3)], ("level", "level")),
    ],
)
def test_the_verdict(adaptive, verdict):
    own = [
        record(ADAPTIVE, mr, mrr, seed=seed, tested=True) for seed, (mr, mrr) in enumerate(adaptive)
    ]
    contest = contest_of(record(1.0, 50, 0.3, tested=True), *own)
    assert tuple(margin_free._verdict(contest, by, by) for by in ("mr", "mrr")) == verdict


def test_the_cost_of_a_fixed_margin_is_that_of_its_grid(tmp_path):
    grid = [record(float(margin), 50 + margin, 0.3, tested=not margin) for margin in range(12)]
    text = margin_free.section([*grid, record(ADAPTIVE, 50, 0.3, tested=True)], tmp_path)
    own, best = (line for line in text.splitlines() if line.startswith("| toy"))
    assert "fixed 0, best of 12 by MRR and MR" in best
    assert own.endswith("2.0 |")
    assert best.endswith("24.0 |")
