"""A model bound to its vectors and its graph: immutable, and shared by threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from threading import Barrier

import numpy as np
import pytest

from transa import Graph, from_ids
from transa.asking.answers import answers, similar_entities
from transa.errors import ConfigError
from transa.models import MODELS, FittedModel, TransEEnergy
from transa.models.transh import TransHEnergy
from transa.ranking import evaluate
from transa.storage.tables import map_tables, write_tables

N, M, THREADS = 60, 4, 8


def random_graph() -> Graph:
    triples = np.random.default_rng(0).integers(0, [N, M, N], (400, 3))
    return from_ids(triples[:300], valid=triples[300:350], test=triples[350:], n_entities=N)


def model_of(energy, graph) -> FittedModel:
    return FittedModel(energy, energy.initialise(N, M, np.random.default_rng(1)), graph)


@pytest.fixture
def model():
    return model_of(TransEEnergy(8), random_graph())


def test_nothing_of_it_can_be_changed(model):
    with pytest.raises(FrozenInstanceError):
        model.graph = None
    with pytest.raises(TypeError):
        model.tables["entity"] = np.zeros((N, 8), np.float32)
    for table in model.tables.values():
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_its_tables_are_views(model):
    tables = TransEEnergy(8).initialise(N, M, np.random.default_rng(0))
    bound = replace(model, tables=tables)
    assert all(np.shares_memory(bound.tables[name], table) for name, table in tables.items())
    assert all(table.flags.writeable for table in tables.values()), "the owner may still write"


def test_a_block_of_rows_has_the_energies_of_the_whole(model):
    first, size = 20, 15
    block = {"entity": model.tables["entity"][first : first + size]}
    graph = from_ids([[0, 0, 1]], n_entities=size, n_relations=M)
    part = FittedModel(model.energy, {**model.tables, **block}, graph)
    inside = np.arange(size)
    found = part.energies(inside, 2, inside[::-1])
    whole = model.energies(first + inside, 2, first + inside[::-1])
    np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: {"entity": t["entity"]},
        lambda t: {**t, "entity": t["entity"][:-1]},
        lambda t: {**t, "relation": t["relation"].astype(np.float64)},
    ],
)
def test_tables_of_another_model_are_refused(model, change):
    with pytest.raises(ConfigError, match="transe"):
        replace(model, tables=change(model.tables))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_tables_in_a_file_rank_as_those_in_memory(name, tmp_path):
    model = model_of(MODELS[name].energy(dim=4), random_graph())
    write_tables(tmp_path / "tables", model.tables)
    mapped = replace(model, tables=map_tables(tmp_path / "tables"))
    for name_, table in mapped.tables.items():
        np.testing.assert_array_equal(table, model.tables[name_])
    assert evaluate(mapped, threads=1) == evaluate(model, threads=1)


def ask_everything(model):
    asked = [(h, h % M, None) for h in range(N)] + [(None, t % M, t) for t in range(N)]
    asked += [(h, None, (h + 1) % N) for h in range(N)]
    told = [answers(model, question, 5, known) for question in asked for known in (True, False)]
    told.append(similar_entities(model, 3, 5))
    return told, evaluate(model, "test", threads=2), evaluate(model, "valid", threads=1)


@pytest.mark.parametrize(
    "energy", [TransEEnergy(8, "l1"), TransEEnergy(8, "l2sq"), TransHEnergy(8)], ids=str
)
def test_many_threads_are_told_what_one_is(energy):
    alone = ask_everything(model_of(energy, random_graph()))
    # Nothing of this one is computed yet: all threads come upon it at once.
    shared, begin = model_of(energy, random_graph()), Barrier(THREADS)

    def ask(_):
        begin.wait()
        return ask_everything(shared), shared.known, shared.known.tails

    with ThreadPoolExecutor(THREADS) as pool:
        told = list(pool.map(ask, range(THREADS)))
    for found, known, tails in told:
        assert found == alone
        assert known is told[0][1]
        assert tails is told[0][2]
