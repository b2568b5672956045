"""What makes the hot loops fast, held without a clock on the wall.

LLVM's own words tell whether a loop was vectorised and whether it counts references; tracemalloc
tells what is allocated; and the processor time of the same work done in PyTorch, in this process,
gives a ratio whose band is far from what is measured.
"""

from __future__ import annotations

import re
import time
import tracemalloc
from dataclasses import dataclass, replace
from functools import cache

import numba
import numpy as np
import pytest
import torch

from transa import from_ids
from transa.graph.sampling import BLOCK
from transa.kernels.margins import readings as margins
from transa.kernels.ranking import counting as ranking
from transa.kernels.sizes import compiled_dim, compiled_sizes
from transa.kernels.training.transe import train_blocks_for
from transa.margins import Adaptive, Fixed
from transa.models import FittedModel, TransEEnergy
from transa.ranking import rank
from transa.settings.recipe import Recipe
from transa.training.engines.fused import rule_of
from transa.training.loop import Run

# On one worker: it compiles once for all of them, and no two watch the clock at a time.
pytestmark = pytest.mark.xdist_group("the clock")

# One that kernels are compiled for, and one that shares its kernel with others.
DIM, ODD = 100, 64
ENERGY = TransEEnergy(DIM)
HINGE = Recipe(
    loss="hinge",
    margin=Fixed(1.0),
    negatives=1,
    adversarial=0.0,
    optimiser="sgd",
    lr=0.01,
    constraint="none",
    average=False,
    validate_every=0,
    threads=1,
)


@dataclass(frozen=True)
class SlowEnergy(TransEEnergy):
    """TransE's energy defined anew, so that no kernel is known to compute it: PyTorch does."""

    def energy(self, parameters, h, r, t):
        return super().energy(parameters, h, r, t)


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    triples = np.stack([rng.integers(n, size=20_000) for n in (2_000, 10, 2_000)], axis=1)
    return from_ids(triples[:-200], test=triples[-200:], n_entities=2_000, n_relations=10)


@pytest.fixture(scope="module")
def vectors(graph):
    """In steps of 1/64, so that sums have the same bits in whatever order they are made."""
    drawn = ENERGY.initialise(graph.n_entities, graph.n_relations, np.random.default_rng(0))
    return {name: np.round(table * 64) / np.float32(64) for name, table in drawn.items()}


@pytest.fixture(scope="module")
def used_kernels(graph):
    """Each kernel has been called, and so knows what it is called with."""
    for energy in (TransEEnergy(ODD), ENERGY):
        run = Run(energy, replace(HINGE, margin=Adaptive()), graph, checkpoint=None)
        run.one_epoch()
    rank(FittedModel(ENERGY, run.parameters, graph), graph.test, threads=1)


@cache
def llvm_of(kernel) -> str:
    """The optimised code of a kernel, compiled afresh: a cached one has machine code only."""
    options = {name: value for name, value in kernel.targetoptions.items() if name != "nopython"}
    afresh = numba.njit(**options)(kernel.py_func)
    # Other tests may have called it with double precision.
    single = next(found for found in kernel.signatures if "float64, 2" not in str(found))
    afresh.compile(single)
    return afresh.inspect_llvm(single)


RULE = rule_of(ENERGY, HINGE)
TRAIN_BLOCKS, SHARED_TRAIN_BLOCKS = (
    train_blocks_for(*compiled_sizes(dim, RULE.negatives), *RULE[2:6]) for dim in (DIM, ODD)
)
PAIR_DISTANCES, SHARED_PAIR_DISTANCES = (
    margins.pair_distances_for(compiled_dim(dim), RULE.norm) for dim in (DIM, ODD)
)
ASKING_AHEAD = [TRAIN_BLOCKS, SHARED_TRAIN_BLOCKS, PAIR_DISTANCES, SHARED_PAIR_DISTANCES]
HOT = [*ASKING_AHEAD, ranking.count_translations]


@pytest.mark.usefixtures("used_kernels")
@pytest.mark.parametrize("kernel", HOT, ids=lambda kernel: kernel.py_func.__name__)
def test_hot_loops_are_vectorised(kernel):
    code = llvm_of(kernel)
    for operation in (r"llvm\.fabs\.v(\d+)f32", r"fsub [a-z ]*<(\d+) x float>"):
        lanes = [int(found) for found in re.findall(operation, code)]
        assert lanes, f"{kernel.py_func.__name__} has no vectors in it: {operation}"
        assert max(lanes) >= 4
    if kernel is not ranking.count_translations:
        assert "NRT_" not in code, "references are counted, or memory allocated"


@pytest.mark.usefixtures("used_kernels")
def test_rows_are_asked_for_ahead():
    for kernel in ASKING_AHEAD:
        assert "llvm.prefetch" in llvm_of(kernel)


@pytest.mark.parametrize("negatives", [1, 16])
def test_an_epoch_allocates_next_to_nothing(graph, negatives):
    run = Run(ENERGY, replace(HINGE, negatives=negatives), graph, checkpoint=None)
    run.one_epoch()
    numbers_of_blocks = 3 * 8 * len(graph.train) // BLOCK
    room_of_a_thread = 100_000
    assert peak_bytes(run.one_epoch) < numbers_of_blocks + room_of_a_thread


def test_ranking_keeps_no_table_of_energies(graph, vectors):
    table = 4 * 2 * len(graph.test) * graph.n_entities

    model = FittedModel(ENERGY, vectors, graph)

    def rank_all():
        rank(model, graph.test, threads=1)

    rank_all()
    assert peak_bytes(rank_all) < table / 4


def test_a_fused_epoch_takes_a_fraction_of_autograd_s(graph):
    fused, autograd = (
        Run(ENERGY, replace(HINGE, engine=engine), graph, checkpoint=None)
        for engine in ("fused", "autograd")
    )
    assert processor_seconds(autograd.one_epoch) > 3 * processor_seconds(fused.one_epoch)


def test_fused_ranking_takes_a_fraction_of_pytorch_s(graph, vectors):
    def ranking_by(energy):
        model = FittedModel(energy, vectors, graph)
        return lambda: rank(model, graph.test, threads=1)

    slow, fused = ranking_by(SlowEnergy(DIM)), ranking_by(ENERGY)
    np.testing.assert_array_equal(slow().filtered.better, fused().filtered.better)
    assert processor_seconds(slow) > 3 * processor_seconds(fused)


def peak_bytes(work) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def processor_seconds(work) -> float:
    """The least of a few runs on one thread, after one that may compile."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return min(_seconds(work) for _ in range(4))
    finally:
        torch.set_num_threads(threads)


def _seconds(work) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
