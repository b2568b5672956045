"""Callbacks, falling rates and blocks in partitions: as of a run in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from transa.errors import ConfigError, StoreError
from transa.prepared.prepare import Plan, prepare
from transa.settings.config import make_settings
from transa.training.partitioned.run import train_in_partitions

SETTINGS = make_settings("transa", dim=8, epochs=4, threads=1, seed=5, validate_every=0)


class KilledError(Exception):
    """As a kill does."""


@pytest.fixture(scope="module")
def prepared(grid, tmp_path_factory):
    return prepare(grid, tmp_path_factory.mktemp("grid") / "prepared", Plan(partitions=5))


def trained(graph, work, *callbacks, recipe=SETTINGS.recipe, **options):
    how = {"at_hand": 3, "callbacks": callbacks, **options}
    return train_in_partitions(SETTINGS.energy, recipe, graph, work, **how)


def die_after(epoch):
    def die(line):
        if line.epoch == epoch:
            raise KilledError

    return die


def test_one_sees_the_run_and_can_stop_it(prepared, tmp_path):
    seen = []

    def look(run, report):
        seen.append((report.epoch, run.settings["energy"], run.graph, run.model()))
        if report.epoch == 2:
            run.save_checkpoint()
            run.stop()

    stopped = trained(prepared, tmp_path / "work", look)
    assert stopped.stopped == "early"
    assert [(epoch, name) for epoch, name, _, _ in seen] == [(1, "transe"), (2, "transe")]
    *_, graph, model = seen[-1]
    assert graph is prepared
    np.testing.assert_array_equal(model.tables["entity"], stopped.parameters["entity"])
    whole = trained(prepared, tmp_path / "other")
    resumed = trained(prepared, tmp_path / "work", resume=True)
    np.testing.assert_array_equal(resumed.parameters["entity"], whole.parameters["entity"])


def test_a_changed_rate_outlives_a_kill(prepared, tmp_path):
    def halve_at_first(run, report):
        if report.epoch == 1:
            run.rate /= 2

    rates = []
    halved = trained(
        prepared, tmp_path / "one", halve_at_first, lambda run, _: rates.append(run.rate)
    )
    assert rates == [SETTINGS.recipe.lr / 2] * 4

    def halve_and_die(run, report):
        halve_at_first(run, report)
        run._run.hand.check(wait=True)
        raise SystemExit

    with pytest.raises(SystemExit):
        trained(prepared, tmp_path / "two", halve_and_die)
    resumed = trained(prepared, tmp_path / "two", resume=True)
    np.testing.assert_array_equal(resumed.parameters["entity"], halved.parameters["entity"])
    plain = trained(prepared, tmp_path / "three")
    assert not np.array_equal(plain.parameters["entity"], halved.parameters["entity"])


def test_it_is_saved_in_no_other_place(prepared, tmp_path):
    def elsewhere(run, report):
        run.save_checkpoint(tmp_path / "elsewhere")

    with pytest.warns(RuntimeWarning, match="elsewhere failed .*in its own folder alone"):
        assert len(trained(prepared, tmp_path / "work", elsewhere).history) == 4


def test_a_rate_that_falls_does_so_over_the_whole_run(prepared, tmp_path):
    recipe = replace(SETTINGS.recipe, lr_decay="linear")
    falling = trained(prepared, tmp_path / "one", recipe=recipe)

    def by_hand(run, report):
        run.rate = recipe.rate_in(report.epoch) if report.epoch < 4 else run.rate

    constant = replace(recipe, lr_decay="none")
    told = trained(prepared, tmp_path / "two", by_hand, recipe=constant)
    np.testing.assert_array_equal(falling.parameters["entity"], told.parameters["entity"])
    with pytest.raises(KilledError):
        trained(prepared, tmp_path / "three", recipe=recipe, report=die_after(2))
    resumed = trained(prepared, tmp_path / "three", recipe=recipe, resume=True)
    np.testing.assert_array_equal(falling.parameters["entity"], resumed.parameters["entity"])
    longer = replace(recipe, epochs=9)
    with pytest.raises(StoreError, match="of another run"):
        trained(prepared, tmp_path / "three", recipe=longer, resume=True)


def test_more_corruptions_than_there_can_be_are_refused(prepared, tmp_path):
    recipe = replace(SETTINGS.recipe, negatives=10**6)
    with pytest.raises(ConfigError, match="negatives=1,000,000"):
        trained(prepared, tmp_path, recipe=recipe)


def test_blocks_are_as_large_as_is_asked(prepared, tmp_path):
    recipe = replace(SETTINGS.recipe, loss="listwise", adversarial=0.0, epochs=1)
    small = trained(prepared, tmp_path / "one", recipe=replace(recipe, block=4))
    large = trained(prepared, tmp_path / "two", recipe=recipe)
    assert not np.array_equal(small.parameters["entity"], large.parameters["entity"])
