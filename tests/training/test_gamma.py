from __future__ import annotations

import numpy as np
import pytest

from transa.models import TransEEnergy
from transa.models.energy import lengths
from transa.settings.recipe import Recipe
from transa.training.gamma import with_external_radius


def test_gamma_is_the_mean_distance_of_two_entities():
    energy = TransEEnergy(6, "l1")
    parameters = energy.initialise(5, 2, np.random.default_rng(0))
    entity = parameters["entity"]
    apart = [
        lengths(entity[[i]] - entity[[j]], "l1")[0] for i in range(5) for j in range(5) if i != j
    ]
    found = with_external_radius(Recipe(), energy, parameters)
    assert found.gamma == pytest.approx(np.mean(apart), rel=0.02)
    assert with_external_radius(Recipe(gamma=3.0), energy, parameters).gamma == 3.0
    assert with_external_radius(Recipe(loss="hinge"), energy, parameters).gamma is None
