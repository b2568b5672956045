"""One trial within its time."""

from __future__ import annotations

import pytest

from transa.searching.clock import Clock
from transa.searching.trial import PLACES, run_trial
from transa.settings.config import make_settings
from transa.training.interrupt import never

LONG = 10**6


def settings_of(**options):
    given = {"dim": 8, "threads": 1, "batch": 64, "negatives": 64, "validate_every": 5, "epochs": 6}
    return make_settings("distmult", **{**given, **options})


def on(graph, settings, seconds=30.0, total=60.0, stopped=never, hopeless=lambda *_: False):
    return run_trial(graph, settings, Clock(total), seconds, stopped, hopeless)


def test_what_it_came_to(road):
    outcome = on(road, settings_of())
    assert (outcome.ended, outcome.epochs) == ("finished", 6)
    assert outcome.mrr == outcome.saved.training.history[-1].best > 0
    tables = outcome.saved.model.tables.values()
    assert outcome.numbers == sum(table.size for table in tables)
    assert outcome.saved.settings == settings_of()


def test_it_is_planned_to_what_its_time_allows(road):
    outcome = on(road, settings_of(epochs=LONG, lr_decay="linear"), seconds=0.5)
    assert outcome.ended == "out of time"
    assert outcome.seconds < 10
    assert outcome.saved.settings.recipe.epochs < LONG / 10, "the rate falls by its end"
    assert outcome.mrr is not None


@pytest.mark.parametrize("total", [0.0, 1.0])
def test_it_is_stopped_when_the_time_is_over(road, total):
    outcome = on(road, settings_of(epochs=LONG), total=total)
    assert outcome.ended == "out of time"
    assert (outcome.saved is None) == (outcome.mrr is None)
    assert outcome.seconds < 10


def test_it_is_stopped_when_told(road):
    outcome = on(road, settings_of(epochs=LONG), stopped=lambda: True)
    assert (outcome.ended, outcome.mrr) == ("stopped", None)


def test_without_hope_it_ends(road):
    told = []

    def hopeless(best, place):
        told.append((best, place))
        return place >= 3

    outcome = on(road, settings_of(epochs=60), hopeless=hopeless)
    assert outcome.ended == "pruned"
    assert outcome.epochs == 30
    assert [place for _, place in told] == [1, 2, 3]
    on(road, settings_of(epochs=60), hopeless=lambda _, place: told.append(place))
    assert told[-1] == PLACES - 1


def test_without_patience_it_has_finished(road):
    outcome = on(road, settings_of(epochs=400, patience=1, lr=0.1))
    assert outcome.ended == "finished"
    assert outcome.epochs < 400


def test_one_that_fails_says_why(road):
    outcome = on(road, settings_of(optimiser="sgd", lr=1e30))
    assert (outcome.ended, outcome.mrr) == ("failed", None)
    assert "no longer finite" in outcome.why
