"""The listwise step: a block of triples against one pool of candidates, as one mini-batch.

For a query q with the answer at energy f and candidates at f′ⱼ,

    L = log(1 + wᵣ e^(f + M − ‖r‖) + c Σⱼ e^(f + M − f′ⱼ))
        + λ [softplus(f − γ) + meanⱼ softplus(γ − f′ⱼ)]

where c = n / K lets K entities drawn stand for all n. ‖r‖ is the energy of the candidate that is
near every query, the anchor itself: not left to chance, it counts with the weight of its relation.
The first line is the paper's hinge over all corruptions at once, made smooth: with M = 0, w = 1 and
K = n the cross-entropy of the answer among all entities. Known answers in the pool do not count
for the query whose answers they are. All derivatives are taken at the vectors as the block found
them; a row is updated once, by the sum of its gradients, wherever in the block it occurs. Blocks do
not wait for each other (hogwild).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from transa.kernels.distances import L1, L2
from transa.kernels.exponentials import exp_of_negative, sigmoid, softplus
from transa.kernels.jit import inline, lean_kernel
from transa.kernels.margins.readings import TripleMargins, margin_of
from transa.kernels.random import below, uniform
from transa.kernels.training.blocks import anchor_and_answer
from transa.kernels.training.gradients import direction_scale
from transa.kernels.training.optimisers import Table, descend, descend_entity
from transa.kernels.training.sampling import TAIL, Known, contains, span_of
from transa.kernels.training.step import ListwiseRoom, ListwiseRule
from transa.kernels.training.tiles import GROUP, VECTOR, measure, pull_queries, pull_tile

_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)
# The energy of a candidate that does not count, and a slope too small to be felt.
_NEVER, _NOTHING = np.float32(1e30), np.float32(1e-20)
# A question with more answers than this many times the pool is asked about each of the pool.
_MANY = 4
_HASH = np.uint64(0x9E3779B97F4A7C15)


@inline
def _slot_of(keys: np.ndarray, wanted: int) -> int:
    """Where a key is in the hash table, or would be."""
    last = keys.shape[0] - 1
    slot = np.int64((np.uint64(wanted) * _HASH) >> np.uint64(40)) & last
    while keys[slot] != wanted and keys[slot] >= 0:
        slot = (slot + 1) & last
    return slot


@inline
def draw_candidates(state: np.ndarray, known: Known, room: ListwiseRoom) -> None:
    """Fill the pool with different entities; with all, where there are no more."""
    keys, pool, n = room.keys, room.pool, known.n_entities
    for slot in range(keys.shape[0]):
        keys[slot] = -1
    for j in range(pool.shape[0]):
        x = j
        if pool.shape[0] < n:
            x = below(state, n)
            while keys[_slot_of(keys, x)] == x:
                x = below(state, n)
        keys[_slot_of(keys, x)] = x
        pool[j] = x


@inline
def _row_of(table: np.ndarray, row: int, key: int, room: ListwiseRoom, used: int, dim: int) -> int:
    """The tile's row of a key; `used` where it is new, and then it is laid out there."""
    slot = _slot_of(room.keys, key)
    if room.keys[slot] == key:
        return room.places[slot]
    room.keys[slot], room.places[slot], room.ids[used] = key, used, key
    for x in range(dim):
        room.tile[used, x] = table[row, x]
    return used


@inline
def _lay_out(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    first: int,
    count: int,
    rule: ListwiseRule,
    room: ListwiseRoom,
) -> int:
    """Copy all vectors of a block into its tile, side by side; how many rows are used."""
    keys, n_entities = room.keys, entity.rows.shape[0]
    for slot in range(keys.shape[0]):
        keys[slot] = -1
    for j in range(room.pool.shape[0]):
        _row_of(entity.rows, room.pool[j], room.pool[j], room, j, rule.dim)
    used = room.energies.shape[1]
    for j in range(room.pool.shape[0], used):
        room.ids[j] = -1
    for b in range(count):
        anchor, answer = anchor_and_answer(triples, first + b, room.sides[b])
        r = triples[first + b, 1]
        room.rows[b, 0] = _row_of(entity.rows, anchor, anchor, room, used, rule.dim)
        used += room.rows[b, 0] == used
        room.rows[b, 1] = _row_of(relation.rows, r, n_entities + r, room, used, rule.dim)
        used += room.rows[b, 1] == used
        room.rows[b, 2] = _row_of(entity.rows, answer, answer, room, used, rule.dim)
        used += room.rows[b, 2] == used
    return used


@inline
def _ask(count: int, rule: ListwiseRule, width: int, room: ListwiseRoom) -> None:
    """Fill the queries and the energies of their answers."""
    tile, queries = room.tile, room.queries
    for b in range(count):
        anchor, r, answer = room.rows[b, 0], room.rows[b, 1], room.rows[b, 2]
        direction = np.float32(2 * room.sides[b] - 1)
        total, length = _ZERO, _ZERO
        for x in range(width):
            q = tile[anchor, x] + direction * tile[r, x]
            queries[b, x] = q
            difference = q - tile[answer, x]
            if rule.norm == L1:
                total += abs(difference)
                length += abs(tile[r, x])
            else:
                total += difference * difference
                length += tile[r, x] * tile[r, x]
        room.positives[b] = np.float32(math.sqrt(total)) if rule.norm == L2 else total
        room.own[b] = np.float32(math.sqrt(length)) if rule.norm == L2 else length


@inline
def _leave_out_known(known: Known, i: int, b: int, room: ListwiseRoom) -> None:
    """Let the known answers of triple i not count as its candidates."""
    pool, side = room.pool, room.sides[b]
    start, stop = span_of(known, i, side)
    answers = known.tails if side == TAIL else known.heads
    if stop - start > _MANY * pool.shape[0]:
        for j in range(pool.shape[0]):
            if contains(answers, start, stop, pool[j]):
                room.energies[b, j] = _NEVER
        return
    for a in range(start, stop):
        slot = _slot_of(room.keys, answers[a])
        if room.keys[slot] >= 0 and room.places[slot] < pool.shape[0]:
            room.energies[b, room.places[slot]] = _NEVER


@inline
def _count_own(known: Known, i: int, b: int, share: np.float32, room: ListwiseRoom) -> None:
    """Let the anchor of triple i count by itself and not in the pool; not at all, if it is true."""
    row = room.rows[b, 0]
    if row < room.pool.shape[0]:
        room.energies[b, row] = _NEVER
    start, stop = span_of(known, i, room.sides[b])
    answers = known.tails if room.sides[b] == TAIL else known.heads
    true = contains(answers, start, stop, room.ids[row])
    room.own_shares[b] = _ZERO if true else share


@inline
def _judge(b: int, margin: np.float32, rule: ListwiseRule, room: ListwiseRoom) -> np.float32:
    """The loss of query b; fills its weights with −dL/df′ⱼ (not yet as pulls) and its dL/df."""
    energies, weights, k = room.energies, room.weights, room.pool.shape[0]
    positive = rule.scale * room.positives[b]
    nearest, counting = _NEVER, _ZERO
    for j in range(k):
        nearest = min(nearest, energies[b, j])
        counting += _ONE if energies[b, j] < _NEVER else _ZERO
    if counting == _ZERO:
        for j in range(energies.shape[1]):
            weights[b, j] = _ZERO
        room.slopes[b] = room.own_weights[b] = _ZERO
        return _ZERO
    share = room.own_shares[b]
    at_own = positive + margin - rule.scale * room.own[b]
    base = positive + margin + np.float32(math.log(rule.spread))
    top = max(_ZERO, at_own if share > _ZERO else _ZERO, base - rule.scale * nearest)
    true = exp_of_negative(-top)
    own = share * exp_of_negative(min(at_own - top, _ZERO))
    total = true + own
    for j in range(k):
        term = exp_of_negative(base - top - rule.scale * energies[b, j])
        weights[b, j] = term
        total += term
    value = top + np.float32(math.log(total))
    inverse = _ONE / total
    slope = _ONE - true * inverse
    room.own_weights[b] = rule.scale * own * inverse
    each = rule.share / counting
    if rule.share > _ZERO:
        value += rule.share * softplus(positive - rule.gamma)
        slope += rule.share * sigmoid(positive - rule.gamma)
        logistic = _ZERO
        for j in range(k):
            x = rule.gamma - rule.scale * energies[b, j]
            logistic += softplus(x)
            weights[b, j] = inverse * weights[b, j] + each * sigmoid(x)
        value += each * logistic
    else:
        for j in range(k):
            weights[b, j] *= inverse
    for j in range(k):
        weight = weights[b, j]
        felt = energies[b, j] < _NEVER and weight > _NOTHING
        weights[b, j] = rule.scale * weight if felt else _ZERO
    room.slopes[b] = rule.scale * slope
    return value


@inline
def _as_pulls(b: int, rule: ListwiseRule, room: ListwiseRoom) -> None:
    """Turn −dL/df′ⱼ into what rows add to each other's gradients; see `tiles`."""
    weights, energies, norm = room.weights, room.energies, rule.norm
    for j in range(room.pool.shape[0]):
        if norm == L1:
            weights[b, j] *= _TWO
        else:
            weights[b, j] *= direction_scale(norm, energies[b, j])


@inline
def _pull_triples(count: int, rule: ListwiseRule, width: int, room: ListwiseRoom) -> None:
    """Add the answers' share to their queries, and to each triple's rows their gradients."""
    tile, gradients, q_gradients = room.tile, room.gradients, room.q_gradients
    for b in range(count):
        anchor, r, answer = room.rows[b, 0], room.rows[b, 1], room.rows[b, 2]
        direction = np.float32(2 * room.sides[b] - 1)
        slope = room.slopes[b]
        if rule.norm != L1:
            slope *= direction_scale(rule.norm, room.positives[b])
        for x in range(width):
            difference = room.queries[b, x] - tile[answer, x]
            g = math.copysign(slope, difference) if rule.norm == L1 else slope * difference
            q_gradients[b, x] += g
            gradients[answer, x] -= g
        for x in range(width):
            gradients[anchor, x] += q_gradients[b, x]
        own = room.own_weights[b]
        if rule.norm != L1 and own > _ZERO:
            own *= direction_scale(rule.norm, room.own[b])
        for x in range(width):
            g = math.copysign(own, tile[r, x]) if rule.norm == L1 else own * tile[r, x]
            gradients[r, x] += direction * q_gradients[b, x] - g


@inline
def step_block(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    first: int,
    count: int,
    known: Known,
    margins: TripleMargins,
    own: np.ndarray,
    rule: ListwiseRule,
    room: ListwiseRoom,
) -> float:
    """Step over `count` triples, whose sides and candidates are drawn; the sum of their losses.

    `own` has one number a relation: how much an anchor counts as a candidate of its own query.
    """
    # Of common sizes known when the kernel is compiled, unlike the shape of the tile.
    width, k = -(-rule.dim // VECTOR) * VECTOR, room.energies.shape[1]
    n_entities, weights = entity.rows.shape[0], room.weights
    used = _lay_out(entity, relation, triples, first, count, rule, room)
    _ask(count, rule, width, room)
    whole = -(-count // GROUP) * GROUP
    measure(room.queries, room.tile, whole, room.pool.shape[0], rule.norm, width, room.energies)
    total = 0.0
    for b in range(count):
        _leave_out_known(known, first + b, b, room)
        _count_own(known, first + b, b, own[triples[first + b, 1]], room)
        margin = margin_of(margins, first + b, room.sides[b])
        total += _judge(b, margin, rule, room)
        _as_pulls(b, rule, room)
    for b in range(count, whole):
        for j in range(k):
            weights[b, j] = _ZERO
    shape = (whole, k, rule.norm, width)
    pull_queries(room.queries, room.tile, weights, *shape, room.q_gradients)
    pull_tile(room.queries, room.tile, weights, *shape, room.gradients, room.totals)
    for row in range(k, used):
        for x in range(width):
            room.gradients[row, x] = _ZERO
    _pull_triples(count, rule, width, room)
    for row in range(used):
        key = room.ids[row]
        if key >= n_entities:
            descend(relation, key - n_entities, room.gradients[row], rule, rule.dim)
        elif key >= 0:
            descend_entity(entity, key, room.gradients[row], rule)
    return total


@cache
def train_listwise_for(dim: int, norm: int, optimiser: int, ball: bool) -> Callable[..., float]:
    """`train_listwise`, compiled for what is the same in every step of a run; `dim` may be ANY."""

    @lean_kernel
    def train_listwise(
        entity: Table,
        relation: Table,
        triples: np.ndarray,
        blocks: np.ndarray,
        block_size: int,
        known: Known,
        margins: TripleMargins,
        own: np.ndarray,
        given: ListwiseRule,
        state: np.ndarray,
        room: ListwiseRoom,
    ) -> float:
        """Draw and step over these blocks, in this order; the sum of the losses."""
        rule = ListwiseRule(dim or given.dim, norm, optimiser, ball, *given[4:])
        total = 0.0
        for at in range(blocks.shape[0]):
            first = blocks[at] * block_size
            count = min(block_size, triples.shape[0] - first)
            draw_candidates(state, known, room)
            for b in range(count):
                room.sides[b] = uniform(state) < known.tail_rate[triples[first + b, 1]]
            total += step_block(
                entity, relation, triples, first, count, known, margins, own, rule, room
            )
        return total

    return train_listwise
