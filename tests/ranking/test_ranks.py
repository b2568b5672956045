"""Ranks against counting by hand, on both paths."""

from __future__ import annotations

import tracemalloc
import warnings
from dataclasses import asdict, dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transa.errors import ConfigError, InputError
from transa.graph import Graph, Vocabulary
from transa.models import NORMS, FittedModel, TransEEnergy
from transa.models.rotate import RotatEEnergy
from transa.models.transh import TransHEnergy
from transa.models.transr import TransREnergy
from transa.models.unstructured import UnstructuredEnergy
from transa.ranking import counting, rank

DISTANCE = {
    "l1": lambda v: np.abs(v).sum(),
    "l2": lambda v: np.sqrt((v * v).sum()),
    "l2sq": lambda v: (v * v).sum(),
}


def counts_by_definition(triples, known, entity, relation, norm):
    """[raw, filtered][better, equal] of each triple's head and tail, one candidate at a time."""
    truths = {tuple(row) for row in known.tolist()}
    counts = np.zeros((2, 2, len(triples), 2), dtype=int)
    distance = DISTANCE[norm]
    for i, (h, r, t) in enumerate(triples.tolist()):
        truth = distance(entity[h] + relation[r] - entity[t])
        for side, own in enumerate((h, t)):
            for e in range(len(entity)):
                if e == own:
                    continue
                head, tail = (e, t) if side == 0 else (h, e)
                found = distance(entity[head] + relation[r] - entity[tail])
                outcome = np.array([found < truth, found == truth])
                counts[0, :, i, side] += outcome
                counts[1, :, i, side] += outcome & ((head, r, tail) not in truths)
    return counts


def assert_counts(ranks, expected):
    for found, (better, equal) in zip((ranks.raw, ranks.filtered), expected, strict=True):
        np.testing.assert_array_equal(found.better, better)
        np.testing.assert_array_equal(found.equal, equal)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 12),
    d=st.integers(1, 6),
    norm=st.sampled_from(NORMS),
    threads=st.integers(1, 3),
)
def test_ranks_equal_a_count_by_definition(transe, seed, n, d, norm, threads):
    """On a grid, where sums are exact in any order and many candidates tie."""
    rng = np.random.default_rng(seed)
    known = rng.integers(0, [n, 2, n], (rng.integers(1, 30), 3)).astype(np.int32)
    unknown = rng.integers(0, [n, 2, n], (3, 3)).astype(np.int32)
    triples = np.concatenate([known[rng.integers(0, len(known), 6)], unknown])
    entity = rng.integers(-1, 2, (n, d)).astype(np.float32)
    relation = rng.integers(-1, 2, (2, d)).astype(np.float32)

    vectors = {"entity": entity, "relation": relation}
    model = FittedModel(transe(dim=d, norm=norm), vectors, of(known, n, 2))
    ranks = rank(model, triples, threads=threads)
    assert_counts(ranks, counts_by_definition(triples, known, entity, relation, norm))


def of(known, n_entities, n_relations):
    """A graph of these triples."""
    labels = [str(i) for i in range(max(n_entities, n_relations))]
    return Graph(
        train=known,
        entities=Vocabulary("entity", labels[:n_entities]),
        relations=Vocabulary("relation", labels[:n_relations]),
    )


@pytest.mark.parametrize("norm", NORMS)
def test_both_paths_and_any_threads_agree(graph, parameters, generic, norm, monkeypatch):
    triples = graph.known
    expected = rank(FittedModel(TransEEnergy(8, norm), parameters, graph), triples, threads=1)
    assert (expected.filtered.better < expected.raw.better).any()
    monkeypatch.setattr(counting, "TILE", 5)
    monkeypatch.setattr(counting, "BUDGET", 100)
    others = [
        rank(FittedModel(TransEEnergy(8, norm), parameters, graph), triples, threads=2),
        rank(FittedModel(TransEEnergy(8, norm), parameters, graph), triples),
        rank(FittedModel(generic(8, norm), parameters, graph), triples),
    ]
    for ranks in others:
        np.testing.assert_array_equal(ranks.raw.ranks(), expected.raw.ranks())
        np.testing.assert_array_equal(ranks.filtered.ranks(), expected.filtered.ranks())


@pytest.mark.parametrize(
    "energy",
    [
        UnstructuredEnergy(8),
        *(kind(8, norm) for kind in (TransHEnergy, TransREnergy) for norm in NORMS),
    ],
    ids=lambda energy: f"{energy.name}-{getattr(energy, 'norm', '')}",
)
def test_images_are_ranked_as_the_energy_says(graph, energy, monkeypatch):
    rng = np.random.default_rng(2)
    drawn = energy.initialise(graph.n_entities, graph.n_relations, rng)
    parameters = {
        name: (table + rng.normal(0, 0.3, table.shape)).astype(np.float32)
        for name, table in drawn.items()
    }

    @dataclass(frozen=True)
    class Redefined(type(energy)):
        """The same, for the generic path."""

    monkeypatch.setattr(counting, "TILE", 5)
    monkeypatch.setattr(counting, "_RELATIONS", 1)
    expected = rank(FittedModel(Redefined(**asdict(energy)), parameters, graph), graph.known)
    for threads in (1, 2):
        ranks = rank(FittedModel(energy, parameters, graph), graph.known, threads=threads)
        np.testing.assert_array_equal(ranks.raw.ranks(), expected.raw.ranks())
        np.testing.assert_array_equal(ranks.filtered.ranks(), expected.filtered.ranks())


@pytest.mark.parametrize("reciprocal", [False, True])
def test_distances_of_moduli_are_ranked_as_the_energy_says(graph, reciprocal):
    class Redefined(RotatEEnergy):
        """The same, for the generic path."""

        def energy(self, parameters, h, r, t):
            return RotatEEnergy.energy(self, parameters, h, r, t)

    energy, other = (kind(6, reciprocal=reciprocal) for kind in (RotatEEnergy, Redefined))
    assert other.queries() is None
    tables = energy.initialise(graph.n_entities, graph.n_relations, np.random.default_rng(3))
    expected = rank(FittedModel(other, tables, graph), graph.known)
    for threads in (1, 3):
        ranks = rank(FittedModel(energy, tables, graph), graph.known, threads=threads)
        np.testing.assert_array_equal(ranks.filtered.ranks(), expected.filtered.ranks())


def test_a_collapsed_model_ranks_in_the_middle(transe, graph, parameters):
    zeros = {name: np.zeros_like(table) for name, table in parameters.items()}
    ranks = rank(FittedModel(transe(dim=8), zeros, graph), graph.test)
    n = graph.n_entities
    assert (ranks.raw.ranks("realistic") == (n + 1) / 2).all()
    assert (ranks.raw.ranks("optimistic") == 1).all()
    assert (ranks.raw.ranks("pessimistic") == n).all()
    truths = graph.known
    for i, (h, r, t) in enumerate(graph.test):
        tails = np.sum((truths[:, 0] == h) & (truths[:, 1] == r))
        heads = np.sum((truths[:, 2] == t) & (truths[:, 1] == r))
        # The true answer is one of the known, and stays a candidate.
        assert ranks.filtered.ranks("pessimistic")[i].tolist() == [n - heads + 1, n - tails + 1]


@pytest.mark.parametrize("norm", NORMS)
def test_twins_tie_exactly(transe, norm):
    """Every entity has a twin 80 places on, in another block, with vectors that are not round."""
    rng = np.random.default_rng(3)
    half = rng.normal(size=(80, 19)).astype(np.float32)
    relation = rng.normal(size=(2, 19)).astype(np.float32)
    triples = rng.integers(0, [160, 2, 160], (200, 3)).astype(np.int32)
    vectors = {"entity": np.concatenate([half, half]), "relation": relation}
    model = FittedModel(transe(dim=19, norm=norm), vectors, of(triples[:1], 160, 2))
    ranks = rank(model, triples)
    assert (ranks.raw.equal == 1).all()
    assert (ranks.raw.better % 2 == 0).all()


def test_the_heads_side_the_tails_side_and_the_triple_share_one_energy(generic, parameters):
    import torch

    energy, n = generic(dim=8), len(parameters["entity"])
    tensors = {name: torch.from_numpy(table) for name, table in parameters.items()}
    everyone = np.arange(n)
    heads, tails = (
        counting.all_energies(energy, tensors, side, np.full(n, 2), everyone, n)
        for side in ("head", "tail")
    )
    np.testing.assert_array_equal(heads, tails.T)
    ids = torch.arange(n)
    triple = energy.energy(tensors, ids, torch.full((n,), 2), ids.flip(0)).numpy()
    np.testing.assert_array_equal(tails[everyone, everyone[::-1]], triple)


def test_a_triple_asked_twice_and_one_not_known(transe, graph, parameters):
    everything = {tuple(row) for row in graph.known.tolist()}
    unknown = next((0, 0, t) for t in range(30) if (0, 0, t) not in everything)
    triples = np.array([graph.test[0], unknown, graph.test[0]], dtype=np.int32)
    ranks = rank(FittedModel(transe(dim=8), parameters, graph), triples).filtered.ranks()
    alone = rank(FittedModel(transe(dim=8), parameters, graph), graph.test[:1]).filtered.ranks()
    np.testing.assert_array_equal(ranks[[0, 2]], np.repeat(alone, 2, axis=0))


def test_progress_counts_every_rank_once(transe, graph, parameters, monkeypatch):
    monkeypatch.setattr(counting, "TILE", 3)
    monkeypatch.setattr(counting, "BUDGET", 100)
    told = []
    rank(
        FittedModel(transe(dim=8), parameters, graph),
        graph.test,
        threads=1,
        progress=lambda done, total: told.append((done, total)),
    )
    done = [d for d, _ in told]
    assert len(told) > 10
    assert done == sorted(set(done))
    assert told[-1] == (2 * len(graph.test), 2 * len(graph.test))
    assert {total for _, total in told} == {2 * len(graph.test)}


def test_read_only_tables_are_ranked_without_a_warning(transe, graph, parameters):
    for table in parameters.values():
        table.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank(FittedModel(transe(dim=8), parameters, graph), graph.test)


@pytest.mark.parametrize(("table", "value"), [("entity", np.nan), ("relation", np.inf)])
def test_vectors_that_are_not_finite_are_refused(transe, graph, parameters, table, value):
    parameters[table][3, 2] = value
    with pytest.raises(InputError, match=f"the {table} vectors hold NaN or infinity"):
        rank(FittedModel(transe(dim=8), parameters, graph), graph.test)


def test_energies_that_are_not_numbers_are_refused(generic, graph, parameters):
    class Undefined(generic):
        def energy(self, parameters, h, r, t):
            return super().energy(parameters, h, r, t).sub(1e3).sqrt()

    with pytest.raises(InputError, match="not a number"):
        rank(FittedModel(Undefined(dim=8), parameters, graph), graph.test)


def test_triples_out_of_range_are_refused(graph, parameters):
    for bad in ([30, 0, 0], [0, 4, 0], [0, 0, -1]):
        with pytest.raises(
            InputError, match=r"triples to rank: row 1 has \w+ id -?\d+, expected 0"
        ):
            rank(FittedModel(TransEEnergy(8), parameters, graph), np.array([[0, 0, 0], bad]))


def test_no_triples_are_refused(graph, parameters):
    with pytest.raises(InputError, match="no triples to rank"):
        rank(FittedModel(TransEEnergy(8), parameters, graph), graph.test[:0])


def test_unknown_rule_for_ties_is_refused(graph, parameters):
    ranks = rank(FittedModel(TransEEnergy(8), parameters, graph), graph.test)
    with pytest.raises(ConfigError, match="realistic, optimistic, pessimistic"):
        ranks.raw.ranks("hopeful")


def test_memory_does_not_grow_with_questions_times_entities(transe):
    """1,000 questions over 40,000 entities are 160 MB of energies, which nobody keeps."""
    rng = np.random.default_rng(0)
    n = 40_000
    parameters = transe(dim=2).initialise(n, 1, rng)
    triples = rng.integers(0, [n, 1, n], (500, 3)).astype(np.int32)
    model = FittedModel(transe(dim=2), parameters, of(triples, n, 1))
    tracemalloc.start()
    rank(model, triples)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6
