"""The external sphere's radius γ, measured instead of searched for.

The pointwise loss holds energies against a threshold. What is far depends on the space: its
dimension, its norm, how its entities are spread. Two entities drawn at random are unrelated, so
their mean distance before training says how far apart unrelated things are; there the external
sphere lies. It is measured once: a threshold that follows the vectors lets the space grow with it.

Where a distance is not one between entities but between what relations make of them, the mean
energy of triples drawn at random says the same. Where energies are no distances but products, of
either sign, 0 is the threshold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import Energy, Parameters, lengths
from transa.models.families import Similarity, Translation
from transa.models.tensors import as_tensors
from transa.settings.recipe import Recipe

# Pairs of entities drawn: the mean is then good to three digits.
PAIRS = 10_000
# Relations drawn for them, where relations make a difference; some have a matrix each.
RELATIONS = 100


def with_external_radius(recipe: Recipe, energy: Energy, parameters: Parameters) -> Recipe:
    """The recipe with its gamma measured, where it needs one and has none."""
    has_use = recipe.loss in ("logistic", "listwise") and not isinstance(energy, Similarity)
    if recipe.gamma is not None or not has_use:
        return recipe
    rng = np.random.default_rng((recipe.seed, PAIRS))
    entity = parameters["entity"]
    one = rng.integers(0, len(entity), PAIRS)
    # Another entity: none is far from itself.
    other = (one + rng.integers(1, len(entity), PAIRS)) % len(entity)
    if isinstance(energy, Translation):
        distances = lengths(entity[one] - entity[other], energy.norm)
    else:
        distances = _energies(energy, parameters, one, other, rng)
    return replace(recipe, gamma=float(distances.mean()))


def _energies(
    energy: Energy,
    parameters: Parameters,
    heads: NDArray[np.int64],
    tails: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.floating]:
    """The energies of pairs under relations drawn at random."""
    import torch

    n_relations = max(
        (len(parameters[name]) for name, rows in energy.tables.items() if rows == "relation"),
        default=1,
    )
    r = torch.from_numpy(rng.integers(0, n_relations, (RELATIONS, 1)))
    h, t = (torch.from_numpy(ids).view(RELATIONS, -1) for ids in (heads, tails))
    found: NDArray[np.floating] = energy.energy(as_tensors(parameters), h, r, t).numpy()
    return found
