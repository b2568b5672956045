"""What a unit is told apart by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import digest_of
from transa.margins import Adaptive, Fixed


def other_recipe(unit, **changes):
    settings = replace(unit.settings, recipe=replace(unit.settings.recipe, **changes))
    return replace(unit, settings=settings)


def test_everything_that_decides_the_figures_is_in_the_digest(unit):
    others = [
        replace(unit, graph="wn18"),
        replace(unit, task=Links(sample=7)),
        replace(unit, pooled=True),
        other_recipe(unit, epochs=5),
        unit.with_seed(1),
        replace(unit, settings=replace(unit.settings, energy=replace(unit.settings.energy, dim=9))),
    ]
    assert len({unit.digest, *(other.digest for other in others)}) == len(others) + 1


def test_names_and_threads_are_not(unit):
    assert replace(unit, labels={"row": "other"}).digest == unit.digest
    assert replace(unit, experiment="other").digest == unit.digest
    assert other_recipe(unit, threads=2).digest == unit.digest


def test_a_record_from_before_a_setting_existed_is_of_the_same_work(unit):
    now = other_recipe(unit, average=False, same_position=0.0)
    before = now.plain
    del before["settings"]["average"], before["settings"]["same_position"]
    assert digest_of(before) == now.digest
    assert other_recipe(now, average=True).digest != now.digest


def test_a_record_from_before_a_setting_was_the_margins_is_of_the_same_work(unit):
    now = other_recipe(unit, margin=Adaptive(local=0.25, halved_at=2.0))
    before = now.plain
    for name in ("local", "halved_at"):
        before["settings"][name] = before["settings"]["margin"].pop(name)
    assert digest_of(before) == now.digest
    for other in (Adaptive(local=0.5, halved_at=2.0), Adaptive(local=0.25)):
        assert other_recipe(unit, margin=other).digest != now.digest


def test_a_record_from_before_the_margin_had_a_setting_is_of_the_same_work(unit):
    now = other_recipe(unit, margin=Adaptive(mu=1.0))
    before = now.plain
    del before["settings"]["margin"]["mu_halved_after"]
    assert digest_of(before) == now.digest
    falling = Adaptive(mu=1.0, mu_halved_after=40.0)
    assert other_recipe(unit, margin=falling).digest != now.digest


def test_what_stood_beside_a_fixed_margin_decided_nothing(unit):
    now = other_recipe(unit, margin=Fixed(2.0))
    before = now.plain
    before["settings"] |= {"local": 0.25, "halved_at": 2.0}
    assert digest_of(before) == now.digest


def test_a_file_name_is_one_on_every_system(unit):
    awkward = replace(unit, labels={"row": "μ 0.5 / <a> " + "x" * 200})
    assert awkward.file_name.isascii()
    assert not set('/\\:*?"<>| ') & set(awkward.file_name)
    assert len(awkward.file_name) < 120


def test_a_scale_without_seeds_is_refused():
    with pytest.raises(ValueError, match="--seeds"):
        Scale(seeds=0)


def test_quick_is_short_and_of_one_seed():
    assert Scale(quick=True).epochs(200) == 20
    assert list(Scale(quick=True, seeds=5).all_seeds) == [0]
    assert list(Scale(seeds=2).all_seeds) == [0, 1]
