from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from transa.errors import ConfigError
from transa.margins import Adaptive
from transa.models import TransEEnergy
from transa.settings.recipe import Recipe
from transa.training.margins import Margins

ENERGY = TransEEnergy(8, "l1")
OWN = Adaptive(local=1.0)


@pytest.fixture
def questions_of_many_sizes():
    rng = np.random.default_rng(2)
    # Squared, so that some entities and relations have many triples and most have few.
    return np.unique((rng.random((300, 3)) ** 2 * [30, 4, 30]).astype(np.int32), axis=0)


def margins_of_triples(margin, triples, epoch=0):
    """Per triple: with its tail and with its head corrupted."""
    margins = Margins(ENERGY, Recipe(threads=1, margin=margin), triples, 30)
    margins.compute(ENERGY.initialise(30, 4, np.random.default_rng(0)), epoch, threads=1)
    head_group, at_head, tail_group, at_tail = margins.current
    return at_head[head_group], at_tail[tail_group]


def test_a_margin_is_halved_by_so_many_other_answers(questions_of_many_sizes):
    triples = questions_of_many_sizes
    whole = margins_of_triples(OWN, triples)
    asked = margins_of_triples(replace(OWN, halved_at=3.0), triples)
    tails = Counter((h, r) for h, r, _ in triples.tolist())
    heads = Counter((r, t) for _, r, t in triples.tolist())
    assert {1, 4} < set(tails.values()), "else there is no half to see"
    for i, (h, r, t) in enumerate(triples.tolist()):
        assert asked[0][i] == pytest.approx(whole[0][i] * 3 / (2 + tails[h, r]))
        assert asked[1][i] == pytest.approx(whole[1][i] * 3 / (2 + heads[r, t]))


def test_margins_are_drawn_to_their_mean(questions_of_many_sizes):
    triples = questions_of_many_sizes
    own = margins_of_triples(OWN, triples)
    mean = np.mean(own)
    assert np.std(own) > 0.1 * mean, "else there is nothing to draw"
    for local in (0.0, 0.25):
        drawn = margins_of_triples(replace(OWN, local=local), triples)
        for side, found in zip(own, drawn, strict=True):
            assert found == pytest.approx(mean + local * (side - mean), rel=1e-5)


def test_mu_falls_as_training_goes(questions_of_many_sizes):
    falling = replace(OWN, mu=0.8, mu_halved_after=10, reading="spheres")
    for epoch, mu in ((0, 0.8), (10, 0.4), (30, 0.08)):
        found = margins_of_triples(falling, questions_of_many_sizes, epoch)
        expected = margins_of_triples(
            replace(OWN, mu=mu, reading="spheres"), questions_of_many_sizes
        )
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("wrong", [-1, float("inf"), float("nan")])
def test_epochs_that_are_none_are_refused(wrong):
    with pytest.raises(ConfigError, match=r"mu_halved_after is (a number|at least 0), found"):
        Adaptive(mu_halved_after=wrong)
