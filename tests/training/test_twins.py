"""A fused step equals its autograd twin: every loss, norm, optimiser and constraint."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from transa.kernels.margins import TripleMargins
from transa.kernels.rule import scratch
from transa.kernels.translation import step_given
from transa.models import TransEEnergy
from transa.training.autograd import AutogradEngine
from transa.training.fused import rule_of, table_of
from transa.training.margins import margins_of
from transa.training.optimisers import fresh_state
from transa.training.recipe import Recipe
from transa.training.sampling import known_of
from transa.training.work import Work

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


def legal_combinations():
    """All of them but one kind, whose derivatives are ill-conditioned.

    Under L1 and a pairwise loss, components of q's gradient cancel: to zero with one negative, to
    rounding noise with several of unequal weight. Adam scales noise up to a full step, so there the
    twins agree on nothing but the noise's size.
    """
    for norm, loss, optimiser, (k, adversarial, constraint) in itertools.product(
        ("l1", "l2", "l2sq"),
        ("hinge", "softplus", "logistic"),
        ("sgd", "adagrad", "adam"),
        ((1, 0.0, "none"), (5, 0.7, "ball")),
    ):
        if (norm, optimiser) == ("l1", "adam") and loss != "logistic":
            k = 1
        yield norm, loss, optimiser, k, adversarial, constraint


@pytest.mark.parametrize(
    ("norm", "loss", "optimiser", "k", "adversarial", "constraint"), list(legal_combinations())
)
def test_fused_step_equals_autograd(norm, loss, optimiser, k, adversarial, constraint):
    rng = np.random.default_rng(5)
    energy = TransEEnergy(DIM, norm)
    recipe = Recipe(
        loss=loss,
        gamma=1.5,
        negatives=k,
        adversarial=adversarial,
        optimiser=optimiser,
        lr=0.05,
        constraint=constraint,
    )
    parameters = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    state = fresh_state(parameters, optimiser)
    fused_parameters, fused_state = copies(parameters), copies(state)
    triples, sides, negatives = collision_free_steps(rng, k)
    margins = a_margin_each(rng)

    fused_loss = step_given(
        table_of("entity", fused_parameters, fused_state),
        table_of("relation", fused_parameters, fused_state),
        triples,
        sides,
        negatives,
        margins,
        rule_of(energy, recipe),
        scratch(DIM, k),
    )
    work = Work(triples, known_of(triples, N_ENTITIES, N_RELATIONS, "uniform"))
    engine = AutogradEngine(energy, recipe, parameters, state, work)
    autograd_loss = sum(
        engine.step(triples[one], sides[one], negatives[one], margins_of(margins, one, sides[one]))
        for one in np.arange(STEPS)[:, None]
    )

    assert fused_loss == pytest.approx(autograd_loss, rel=1e-5)
    for name, array in {**parameters, **state}.items():
        fused = {**fused_parameters, **fused_state}[name]
        np.testing.assert_allclose(fused, array, rtol=2e-4, atol=2e-6, err_msg=name)
    assert not np.array_equal(
        parameters["entity"],
        energy.initialise(N_ENTITIES, N_RELATIONS, np.random.default_rng(5))["entity"],
    ), "the steps changed nothing"
