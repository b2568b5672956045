"""Ranks counted block by block are those among all entities at once."""

from __future__ import annotations

import numpy as np
import pytest

from transa.errors import ConfigError, InputError
from transa.graph import Graph, Vocabulary
from transa.models import MODELS, FittedModel
from transa.ranking import crowds
from transa.ranking.in_blocks import BlockQuestions, check_exact_in_blocks
from transa.ranking.ranks import rank

N, RELATIONS = 50, 3


def model_of(name: str, norm: str, coarse: bool) -> FittedModel:
    rng = np.random.default_rng(1)
    ends = (rng.random((300, 2)) ** 2 * N).astype(np.int32)
    relations = rng.integers(RELATIONS, size=300, dtype=np.int32)
    triples = np.unique(np.stack([ends[:, 0], relations, ends[:, 1]], axis=1), axis=0)
    graph = Graph(
        triples[::2],
        Vocabulary("entity", [f"e{i}" for i in range(N)]),
        Vocabulary("relation", [f"r{i}" for i in range(RELATIONS)]),
        valid=triples[1::4],
        test=triples[3::4],
    )
    options = {} if name == "unstructured" else {"norm": norm}
    energy = MODELS[name].energy(dim=6, **options)
    tables = energy.initialise(N, RELATIONS, rng)
    if coarse:
        # Many of the same energy.
        tables["entity"] = np.round(tables["entity"] * 2) / 2
    return FittedModel(energy, tables, graph)


def in_blocks(model: FittedModel, bounds: list[int], protocol: str):
    questions = BlockQuestions.of(model.graph.test, model.known, protocol)
    tables = dict(model.tables)
    asked_of = {"entity": tables["entity"][questions.entities]}
    counts = [
        questions.count(
            model.energy, tables | {"entity": tables["entity"][a:b]}, a, asked_of, threads=1
        )
        for a, b in zip([0, *bounds], [*bounds, N], strict=True)
    ]
    nobody = tables | {"entity": tables["entity"][:0]}
    alone = questions.count(model.energy, nobody, 0, asked_of, threads=1)
    return questions.ranks(counts, alone)


@pytest.mark.parametrize("protocol", ["published", "offered"])
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(
    ("name", "norm"), [("transe", "l1"), ("transe", "l2"), ("transh", "l1"), ("unstructured", "")]
)
@pytest.mark.parametrize("crowd", [2, 256])
def test_blocks_add_up_to_the_whole(name, norm, coarse, protocol, crowd, monkeypatch):
    monkeypatch.setattr(crowds, "CROWD", crowd)
    model = model_of(name, norm, coarse)
    whole = rank(model, model.graph.test, protocol=protocol, threads=1)
    parts = in_blocks(model, [7, 8, 40], protocol)
    for kind in ("raw", "filtered"):
        for what in ("better", "equal"):
            expected, found = (getattr(getattr(each, kind), what) for each in (whole, parts))
            np.testing.assert_array_equal(found, expected)


def test_a_block_that_is_not_finite_is_refused():
    model = model_of("transe", "l1", coarse=False)
    rows = model.tables["entity"].copy()
    rows[3] = np.nan
    questions = BlockQuestions.of(model.graph.test, model.known)
    with pytest.raises(InputError, match="no ranks"):
        questions.count(
            model.energy,
            {**model.tables, "entity": rows},
            0,
            {"entity": rows[questions.entities]},
            threads=1,
        )


def test_what_would_not_be_exact_is_refused():
    with pytest.raises(ConfigError, match=r"rank transr on one machine"):
        check_exact_in_blocks(MODELS["transr"].energy(dim=4))
    check_exact_in_blocks(MODELS["transe"].energy(dim=4))
