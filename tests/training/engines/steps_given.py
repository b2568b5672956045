"""Steps over triples whose corruptions are given; each gives the sum of the losses.

Each is written out, since Numba keeps no kernel that is handed its step in its cache.
"""

from __future__ import annotations

from transa.kernels.jit import lean_kernel
from transa.kernels.margins.readings import margin_of
from transa.kernels.training import transe, transh, transr, unstructured
from transa.models.transe import TransEEnergy
from transa.models.transh import TransHEnergy
from transa.models.transr import TransREnergy
from transa.models.unstructured import UnstructuredEnergy

step_e, step_u, step_h, step_r = transe.step, unstructured.step, transh.step, transr.step


@lean_kernel
def of_transe(entity, relation, triples, sides, negatives, margins, rule, room):
    total = 0.0
    for i in range(triples.shape[0]):
        if sides[i] >= 0:
            m, s = margin_of(margins, i, sides[i]), sides[i]
            total += step_e(entity, relation, triples, i, s, negatives, i, m, rule, room)
    return total


@lean_kernel
def of_unstructured(entity, triples, sides, negatives, margins, rule, room):
    total = 0.0
    for i in range(triples.shape[0]):
        if sides[i] >= 0:
            m, s = margin_of(margins, i, sides[i]), sides[i]
            total += step_u(entity, triples, i, s, negatives, i, m, rule, room)
    return total


@lean_kernel
def of_transh(entity, relation, normal, triples, sides, negatives, margins, rule, room, seen):
    tables = (entity, relation, normal)
    total = 0.0
    for i in range(triples.shape[0]):
        if sides[i] >= 0:
            m, s = margin_of(margins, i, sides[i]), sides[i]
            total += step_h(*tables, triples, i, s, negatives, i, m, rule, room, seen)
    return total


@lean_kernel
def of_transr(entity, relation, projection, triples, sides, negatives, margins, rule, room, seen):
    tables, space = (entity, relation, projection), relation.rows.shape[1]
    total = 0.0
    for i in range(triples.shape[0]):
        if sides[i] >= 0:
            m, s = margin_of(margins, i, sides[i]), sides[i]
            total += step_r(*tables, triples, i, s, negatives, i, m, rule, room, seen, space)
    return total


STEPS_GIVEN = {
    TransEEnergy: of_transe,
    UnstructuredEnergy: of_unstructured,
    TransHEnergy: of_transh,
    TransREnergy: of_transr,
}
"""By the energy that they train."""
