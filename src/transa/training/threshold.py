"""The external sphere's radius γ, measured instead of searched for.

The pointwise loss holds energies against a threshold. What is far depends on the space: its
dimension, its norm, how its entities are spread. Two entities drawn at random are unrelated, so
their mean distance before training says how far apart unrelated things are; there the external
sphere lies. It is measured once: a threshold that follows the vectors lets the space grow with it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from transa.errors import ConfigError
from transa.models.energy import Energy, Parameters, lengths
from transa.models.transe import TransEEnergy
from transa.training.recipe import Recipe

# Pairs of entities drawn: the mean is then good to three digits.
PAIRS = 10_000


def with_external_radius(recipe: Recipe, energy: Energy, parameters: Parameters) -> Recipe:
    """The recipe with its gamma measured, where it needs one and has none."""
    if recipe.loss != "logistic" or recipe.gamma is not None:
        return recipe
    if not isinstance(energy, TransEEnergy):
        raise ConfigError(f"the logistic loss of {energy.name} needs a gamma, for example 10")
    rng = np.random.default_rng((recipe.seed, PAIRS))
    entity = parameters["entity"]
    one, other = rng.integers(0, len(entity), (2, PAIRS))
    distances = lengths(entity[one] - entity[other], energy.norm)
    return replace(recipe, gamma=float(distances.mean()))
