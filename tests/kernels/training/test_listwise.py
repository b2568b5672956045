"""The listwise step equals one autograd step on its block."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch.nn.functional import softplus

from transa.graph.sampling import known_of
from transa.kernels.distances import NORM_CODES
from transa.kernels.jit import lean_kernel
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.random import generator_state
from transa.kernels.training.listwise import step_block, train_listwise_for
from transa.kernels.training.step import ListwiseRule, listwise_room
from transa.models.transe import TransEEnergy
from transa.training.engines.fused import OPTIMISERS, kernel_tables, steps_of
from transa.training.margins import margins_of
from transa.training.optimisers import fresh_state, step_rows

N_ENTITIES, N_RELATIONS, DIM, TRIPLES = 40, 3, 13, 11


@lean_kernel
def step_given(entity, relation, triples, known, margins, own, rule, room):
    """One step over all triples, whose sides and candidates are in the room; the sum of losses."""
    return step_block(entity, relation, triples, 0, len(triples), known, margins, own, rule, room)


def a_block(rng):
    """Entities that occur several times: as anchors, answers, and in the pool."""
    triples = np.stack(
        [
            rng.integers(0, N_ENTITIES, TRIPLES),
            rng.integers(0, N_RELATIONS, TRIPLES),
            rng.integers(0, N_ENTITIES, TRIPLES),
        ],
        axis=1,
    ).astype(np.int32)
    triples[1] = triples[0, 0], triples[0, 1], (triples[0, 2] + 1) % N_ENTITIES
    each = np.arange(TRIPLES, dtype=np.int32)
    at_head, at_tail = rng.uniform(0.5, 2, (2, TRIPLES)).astype(np.float32)
    return triples, TripleMargins(each, at_head, each, at_tail)


def truths(triples, i, side):
    """The known answers of a triple's question."""
    anchor, answer = (0, 2) if side == 1 else (2, 0)
    same = (triples[:, anchor] == triples[i, anchor]) & (triples[:, 1] == triples[i, 1])
    return set(triples[same, answer].tolist())


def twin(parameters, state, triples, sides, pool, margins, own, rule, norm, optimiser):
    """One step of autograd on all triples at once; the sum of the losses."""
    tensors = {name: torch.tensor(table, requires_grad=True) for name, table in parameters.items()}
    entity, relation = tensors["entity"], tensors["relation"]
    length = {
        "l1": lambda x: x.abs().sum(-1),
        "l2": lambda x: x.square().sum(-1).sqrt(),
        "l2sq": lambda x: x.square().sum(-1),
    }[norm]
    total = torch.zeros(())
    margin = margins_of(margins, np.arange(len(triples)), sides)
    for i, (h, r, t) in enumerate(triples.tolist()):
        anchor, answer, direction = (h, t, 1) if sides[i] == 1 else (t, h, -1)
        query = entity[anchor] + direction * relation[r]
        left_out = truths(triples, i, sides[i])
        share = 0.0 if anchor in left_out else float(own[r])
        left_out.add(anchor)
        counting = [x for x in pool.tolist() if x not in left_out]
        if not counting:
            continue
        f = float(rule.scale) * length(query - entity[answer])
        f_others = float(rule.scale) * length(query - entity[counting])
        spread = N_ENTITIES / len(pool)
        others = spread * torch.exp(f + margin[i] - f_others).sum()
        f_own = float(rule.scale) * length(relation[r])
        others = others + share * torch.exp(f + margin[i] - f_own)
        total = total + torch.log1p(others)
        logistic = softplus(f - rule.gamma) + softplus(rule.gamma - f_others).mean()
        total = total + float(rule.share) * logistic
    total.backward()
    moments = {name: torch.from_numpy(array) for name, array in state.items()}
    for name, tensor in tensors.items():
        table = torch.from_numpy(parameters[name])
        rows = torch.arange(len(table))
        step_rows(table, rows, tensor.grad, moments, name, optimiser, float(rule.rate))
    if rule.ball:
        entity = parameters["entity"]
        lengths = np.sqrt((entity * entity).sum(1, keepdims=True))
        entity /= np.maximum(lengths, 1)
    return float(total.detach())


def combinations():
    """All but Adam with λ = 0 under L1.

    There the pulls on a query cancel to rounding noise, which Adam scales up to a full step.
    """
    for norm, optimiser, ball, margin, (share, scale, own), candidates in itertools.product(
        ("l1", "l2", "l2sq"),
        ("sgd", "adagrad", "adam"),
        (True, False),
        (True, False),
        ((0.0, 1.0, 0.0), (0.3, 1.0, 1.0), (0.3, 1.7, 0.4)),
        (9, N_ENTITIES),
    ):
        if (norm, optimiser, share) != ("l1", "adam", 0.0):
            yield norm, optimiser, ball, margin, share, scale, own, candidates


@pytest.mark.parametrize(
    ("norm", "optimiser", "ball", "margin", "share", "scale", "own", "candidates"),
    list(combinations()),
)
def test_a_step_equals_autograd(norm, optimiser, ball, margin, share, scale, own, candidates):
    rng = np.random.default_rng(3)
    energy = TransEEnergy(DIM, norm)
    parameters = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    longest = 1.0 if ball else 1.5
    parameters["entity"] *= rng.uniform(0.5, longest, (N_ENTITIES, 1)).astype(np.float32)
    state = fresh_state(parameters, optimiser)
    fused_parameters = {name: table.copy() for name, table in parameters.items()}
    fused_state = {name: array.copy() for name, array in state.items()}
    triples, margins = a_block(rng)
    if not margin:
        margins.at_head[:] = margins.at_tail[:] = 0
    known = known_of(triples, N_ENTITIES, N_RELATIONS, "uniform")
    rule = ListwiseRule(
        DIM,
        NORM_CODES[norm],
        OPTIMISERS[optimiser],
        ball,
        np.float32(0.05),
        np.float32(scale),
        np.float32(share),
        np.float32(1.5),
        np.float32(N_ENTITIES / candidates),
    )
    own = np.full(N_RELATIONS, own, dtype=np.float32)
    room = listwise_room(DIM, candidates, TRIPLES)
    fused_loss = autograd_loss = 0.0
    for _ in range(3):
        room.pool[:] = rng.permutation(N_ENTITIES)[:candidates]
        room.sides[:TRIPLES] = rng.integers(0, 2, TRIPLES)
        sides = room.sides[:TRIPLES].copy()
        tables = kernel_tables(steps_of(energy), fused_parameters, fused_state)
        fused_loss += step_given(*tables, triples, known, margins, own, rule, room)
        autograd_loss += twin(
            parameters, state, triples, sides, room.pool, margins, own, rule, norm, optimiser
        )

    assert fused_loss == pytest.approx(autograd_loss, rel=1e-5)
    for name, array in {**parameters, **state}.items():
        fused = {**fused_parameters, **fused_state}[name]
        np.testing.assert_allclose(fused, array, rtol=3e-4, atol=3e-6, err_msg=name)


def test_a_graph_is_learnt_block_by_block():
    """Fields of a board, one to the right and one below: most are nearest where they should be."""
    field = np.arange(N_ENTITIES, dtype=np.int32).reshape(5, 8)
    right = [(a, 0, b) for a, b in zip(field[:, :-1].flat, field[:, 1:].flat, strict=True)]
    below = [(a, 1, b) for a, b in zip(field[:-1].flat, field[1:].flat, strict=True)]
    triples = np.random.default_rng(0).permutation(np.array(right + below, dtype=np.int32))
    energy = TransEEnergy(DIM, "l1")
    parameters = energy.initialise(N_ENTITIES, 2, np.random.default_rng(0))
    tables = kernel_tables(steps_of(energy), parameters, fresh_state(parameters, "adagrad"))
    known = known_of(triples, N_ENTITIES, 2, "uniform", tail_share=1.0)
    one_group, zero = np.zeros(len(triples), np.int32), np.zeros(1, np.float32)
    rule = ListwiseRule(
        DIM,
        NORM_CODES["l1"],
        OPTIMISERS["adagrad"],
        True,
        *np.array([0.1, 1.0, 0.1, 4.0, N_ENTITIES / 16], dtype=np.float32),
    )
    train = train_listwise_for(*rule[:4])
    room, state, blocks = listwise_room(DIM, 16, 7), generator_state(1), np.arange(10)
    margins = TripleMargins(one_group, zero, one_group, zero.copy())
    for _ in range(200):
        train(
            *tables, triples, blocks, 7, known, margins, np.ones(2, np.float32), rule, state, room
        )
    entity, relation = parameters["entity"], parameters["relation"]
    queries = entity[triples[:, 0]] + relation[triples[:, 1]]
    energies = np.abs(queries[:, None] - entity[None]).sum(-1)
    assert (energies.argmin(1) == triples[:, 2]).mean() > 0.8
    assert np.sqrt((entity**2).sum(1)).max() < 1 + 1e-5
