"""A fused step equals its autograd twin: every model, loss, norm, optimiser and constraint."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.training.engines.steps_given import STEPS_GIVEN
from transa.graph.sampling import known_of
from transa.kernels.margins.readings import TripleMargins
from transa.models.registry import MODELS
from transa.models.transe import TransEEnergy
from transa.models.transh import TransHEnergy
from transa.models.transr import TransREnergy
from transa.models.unstructured import UnstructuredEnergy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket
from transa.training.engines.autograd import AutogradEngine
from transa.training.engines.fused import kernel_tables, rule_of, steps_of
from transa.training.margins import margins_of
from transa.training.optimisers import fresh_state

N_ENTITIES, N_RELATIONS, DIM, STEPS = 60, 4, 13, 25


def collision_free_steps(rng, k):
    """Triples with corruptions in which no entity occurs twice within a step.

    A row that occurs twice is updated twice by the fused engine and once, by the sum, by autograd.
    """
    triples = np.empty((STEPS, 3), dtype=np.int32)
    negatives = np.empty((STEPS, k), dtype=np.int32)
    for i in range(STEPS):
        drawn = rng.choice(N_ENTITIES, size=k + 2, replace=False)
        triples[i] = drawn[0], rng.integers(N_RELATIONS), drawn[1]
        negatives[i] = drawn[2:]
    return triples, rng.integers(0, 2, STEPS).astype(np.int8), negatives


def a_margin_each(rng):
    each = np.arange(STEPS, dtype=np.int32)
    at_head, at_tail = rng.uniform(0.5, 2, (2, STEPS)).astype(np.float32)
    return TripleMargins(each, at_head, each, at_tail)


def copies(arrays):
    return {name: array.copy() for name, array in arrays.items()}


def energies():
    """Every model with a kernel, in every norm it has; soft constraints that are felt."""
    yield UnstructuredEnergy(DIM)
    for norm in ("l1", "l2", "l2sq"):
        yield TransEEnergy(DIM, norm)
        yield TransHEnergy(DIM, norm, soft=0.5)
        yield TransREnergy(DIM, norm, relation_dim=7)


def legal_combinations():
    """All of them but one kind, whose derivatives are ill-conditioned.

    Under L1 and a pairwise loss, components of q's gradient cancel: to zero with one negative, to
    rounding noise with several of unequal weight. Adam scales noise up to a full step, so there the
    twins agree on nothing but the noise's size.
    """
    for energy, loss, optimiser, (k, adversarial, constraint) in itertools.product(
        energies(),
        ("hinge", "softplus", "logistic"),
        ("sgd", "adagrad", "adam"),
        ((1, 0.0, "none"), (5, 0.7, "ball")),
    ):
        if (getattr(energy, "norm", ""), optimiser) == ("l1", "adam") and loss != "logistic":
            k = 1
        yield energy, loss, optimiser, k, adversarial, constraint


def initialised(energy, constraint, rng):
    """Parameters away from where derivatives jump: entities short and, if they may be, long."""
    longest = 1.0 if constraint == "ball" else 1.5
    parameters = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    parameters["entity"] *= rng.uniform(0.5, longest, (N_ENTITIES, 1)).astype(np.float32)
    if "projection" in parameters:
        noise = rng.normal(0, 0.2, parameters["projection"].shape)
        parameters["projection"] += noise.astype(np.float32)
    return parameters


def test_every_kernel_has_its_twin():
    energies = {entry.energy for entry in MODELS.values()}
    assert set(STEPS_GIVEN) == {kind for kind in energies if kind().fused_steps()}


@pytest.mark.parametrize(
    ("energy", "loss", "optimiser", "k", "adversarial", "constraint"),
    list(legal_combinations()),
    ids=lambda value: (
        f"{value.name}-{getattr(value, 'norm', '')}" if hasattr(value, "name") else None
    ),
)
def test_fused_step_equals_autograd(energy, loss, optimiser, k, adversarial, constraint):
    rng = np.random.default_rng(5)
    recipe = Recipe(
        loss=loss,
        gamma=1.5 if loss == "logistic" else None,
        negatives=k,
        adversarial=adversarial,
        optimiser=optimiser,
        lr=0.05,
        constraint=constraint,
    )
    parameters = initialised(energy, constraint, rng)
    state = fresh_state(parameters, optimiser)
    before, fused_parameters, fused_state = copies(parameters), copies(parameters), copies(state)
    triples, sides, negatives = collision_free_steps(rng, k)
    margins = a_margin_each(rng)

    fused_loss = STEPS_GIVEN[type(energy)](
        *kernel_tables(steps_of(energy), fused_parameters, fused_state),
        triples,
        sides,
        negatives,
        margins,
        rule_of(energy, recipe),
        *steps_of(energy).room(k, 0),
    )
    known = known_of(triples, N_ENTITIES, N_RELATIONS, "uniform")
    engine = AutogradEngine(energy, recipe, Bucket(parameters, state, triples, known, margins))
    autograd_loss = sum(
        engine.step(triples[one], sides[one], negatives[one], margins_of(margins, one, sides[one]))
        for one in np.arange(STEPS)[:, None]
    )

    assert fused_loss == pytest.approx(autograd_loss, rel=1e-5)
    for name, array in {**parameters, **state}.items():
        fused = {**fused_parameters, **fused_state}[name]
        np.testing.assert_allclose(fused, array, rtol=2e-4, atol=2e-6, err_msg=name)
    for name, table in parameters.items():
        assert not np.array_equal(table, before[name]), f"the steps did not move {name}"
