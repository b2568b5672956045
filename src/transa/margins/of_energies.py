"""The margin of any model: M_ent measured in energies instead of distances.

Definition 2 of the paper asks how far a true answer is and how far a false one, in distances of
vectors. An energy says the same of a question (h, r, ?) for every model, so that

    M_ent(h) = the mean over R_h of the mean of |f_r(h, t′) − max over P_r of f_r(h, t)|

over entities t′ drawn at random outside P_r, as in the reading `active`; of heads likewise, with t
in h's place. For Unstructured, whose energy is ‖h − t‖₂², it is that reading in the squared norm.
M_rel compares lengths of relations, which other models do not have: it counts as 0, and M_opt is
μ M_ent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.kernels.margins.readings import Neighbourhoods
from transa.margins.margin import Adaptive
from transa.margins.margin_graph import Floats, MarginGraph
from transa.models.energy import Energy, Tables
from transa.models.scoring import energies_one_way

# Tries to draw another entity in the place of a positive. Of a group that has nearly all entities
# for positives some draws may be missing; where all are, the margin is 0.
_TRIES = 16


def energy_margins(
    graph: MarginGraph,
    energy: Energy,
    tables: Tables,
    margin: Adaptive,
    shares: tuple[Floats, Floats],
    out: tuple[Floats, Floats],
    *,
    epoch: int = 0,
    seed: tuple[int, ...] = (0,),
) -> None:
    """Fill `out` with M_opt per group, times the group's share.

    As `transa.margins.by_block.margins_from`, of one model and all its tables. Where relations have
    inverses, the graph has their triples too.
    """
    for number, (side, share, margins) in enumerate(zip(graph.sides, shares, out, strict=True)):
        around, at_tail = side.around, number == 1
        rng = np.random.default_rng((*seed, number))
        group, entity = _outside(around, graph.n_entities, margin.rounds, rng)
        groups = around.positive_group
        positives = _energies(
            energy, tables, around, groups, around.neighbour[around.positive], at_tail
        )
        radii = np.maximum.reduceat(positives, around.positive_ptr[:-1])
        drawn = _energies(energy, tables, around, group, entity, at_tail)
        gaps = _mean_by(group, np.abs(drawn - radii[group]), len(radii))
        anchors = around.group_anchor[: len(radii)]
        m_ent = _mean_by(anchors, gaps, graph.n_entities)
        margins[...] = margin.mu_in(epoch) * share * m_ent[anchors]


def _energies(
    energy: Energy,
    tables: Tables,
    around: Neighbourhoods,
    group: NDArray[np.integer],
    other: NDArray[np.integer],
    at_tail: bool,
) -> NDArray[np.float32]:
    """F of an anchor under the relation of each group, with an entity at the other end."""
    ends = around.group_anchor[group], other
    head, tail = reversed(ends) if at_tail else ends
    return energies_one_way(energy, tables, head, around.group_relation[group], tail)


def _outside(
    around: Neighbourhoods, n_entities: int, rounds: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Entities drawn for every group, none of its positives: the groups, ascending, and whom."""
    others = around.neighbour[around.positive].astype(np.int64)
    known = np.sort(around.positive_group.astype(np.int64) * n_entities + others)
    group = np.repeat(np.arange(len(around.group_relation), dtype=np.int64), rounds)
    entity = rng.integers(n_entities, size=len(group))
    for _ in range(_TRIES):
        again = np.flatnonzero(_among(group * n_entities + entity, known))
        entity[again] = rng.integers(n_entities, size=len(again))
    free = ~_among(group * n_entities + entity, known)
    return group[free], entity[free]


def _among(keys: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the keys are among the known ones, which are sorted."""
    found: NDArray[np.bool_] = known[np.searchsorted(known, keys).clip(max=len(known) - 1)] == keys
    return found


def _mean_by(
    number: NDArray[np.integer], values: NDArray[np.floating], count: int
) -> NDArray[np.float64]:
    """The mean of the values of each number below `count`; 0 where there is none."""
    sums = np.bincount(number, weights=values, minlength=count)
    means: NDArray[np.float64] = sums / np.bincount(number, minlength=count).clip(min=1)
    return means
