"""Many questions at once say what one at a time says; and what ranks say."""

from __future__ import annotations

import numpy as np
import pytest

import transa
from transa.asking.answers import answers
from transa.asking.bulk import answers as bulk
from transa.asking.bulk.answers import as_predictions, best_answers, questions_at_a_time
from transa.asking.bulk.best import best_new
from transa.asking.probability.fitting import fit_probabilities
from transa.errors import ConfigError, InputError
from transa.graph import Graph, Vocabulary
from transa.graph.known import GAP, KnownIndex
from transa.models import FittedModel, TransEEnergy
from transa.ranking import rank

MODELS = {
    "transe l1": ("transe", {"norm": "l1"}),
    "transe l2": ("transe", {"norm": "l2"}),
    "transe l2sq": ("transe", {"norm": "l2sq"}),
    "reciprocal": ("transe", {"reciprocal": True}),
    "transh": ("transh", {"norm": "l2"}),
    "transr": ("transr", {"norm": "l1"}),
    "distmult": ("distmult", {}),
    "complex, reciprocal": ("complex", {"reciprocal": True}),
}


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Seventy entities, four relations, of which one has loops."""
    rng = np.random.default_rng(7)
    triples = np.unique(rng.integers(0, [70, 4, 70], (900, 3)), axis=0)
    triples = triples[(triples[:, 0] != triples[:, 2]) | (triples[:, 1] == 2)]
    triples = np.concatenate([triples, [[5, 2, 5]]])
    rng.shuffle(triples)
    return Graph(
        train=triples[:600],
        valid=triples[600:700],
        test=triples[700:],
        entities=Vocabulary("entity", [f"e{i}" for i in range(70)]),
        relations=Vocabulary("relation", list("abcd")),
        name="random",
    )


@pytest.fixture(scope="module", params=MODELS)
def model(request, graph) -> FittedModel:
    """A model of each kind that answers in a way of its own, with fresh vectors."""
    name, options = MODELS[request.param]
    energy = transa.Estimator(name, dim=6, **options).settings.energy
    tables = energy.initialise(70, 4, np.random.default_rng(1))
    return FittedModel(energy, tables, graph)


@pytest.fixture(scope="module")
def questions() -> np.ndarray:
    """A hundred and twenty, of the three kinds, some of them twice."""
    rng = np.random.default_rng(3)
    asked = rng.integers(0, [70, 4, 70], (120, 3))
    asked[np.arange(120), np.arange(120) % 3] = GAP
    return np.concatenate([asked, asked[:10]])


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("k", [3, 100])
def test_they_are_those_of_one_question_at_a_time(model, questions, known, k):
    probabilities = fit_probabilities(model, threads=1)
    found = best_answers(model, questions, k, known=known, probabilities=probabilities, threads=2)
    for question, table in zip(
        questions.tolist(), as_predictions(model, questions, found), strict=True
    ):
        asked = tuple(None if id_ == GAP else id_ for id_ in question)
        wanted = answers(model, asked, k, known, probabilities)
        assert table.question == wanted.question
        assert [(a.rank, a.label, a.known) for a in table] == [
            (a.rank, a.label, a.known) for a in wanted
        ]
        np.testing.assert_allclose(
            [a.score for a in table], [a.score for a in wanted], rtol=1e-4, atol=1e-6
        )
        for one, other in zip(table, wanted, strict=True):
            assert (one.probability is None) == (one.known is not None)
            if one.probability is not None:
                assert one.probability == pytest.approx(other.probability, rel=1e-3)


def test_ranks_are_places_among_what_is_offered(model, graph):
    """`evaluate --protocol offered` and `predict` have one order, answer by answer."""
    counts = rank(model, graph.test, protocol="offered", threads=1).filtered
    first, last = counts.ranks("optimistic"), counts.ranks("pessimistic")
    for row, triple in enumerate(graph.test[:60]):
        others = graph.known[(graph.known != triple).any(axis=1)]
        known = KnownIndex(others, graph.n_entities, graph.n_relations)
        for column, gap in enumerate((0, 2)):
            question = triple.astype(np.int64)
            question[gap] = GAP
            best = best_new(model, question[None], 70, known=known, threads=1)
            (place,) = np.flatnonzero(best.ids[0] == triple[gap])
            assert first[row, column] <= place + 1 <= last[row, column]


def test_published_ranks_count_the_entity_asked_about_too(graph):
    """As the papers do: a vector near 0 for a relation puts it first."""
    energy = TransEEnergy(4, "l1")
    tables = energy.initialise(70, 4, np.random.default_rng(0))
    tables["relation"][:] = 0
    model = FittedModel(energy, tables, graph)
    loopless = graph.test[graph.test[:, 1] != 2]
    published = rank(model, loopless, threads=1).filtered
    offered = rank(model, loopless, protocol="offered", threads=1).filtered
    np.testing.assert_array_equal(published.better - offered.better, 1)
    with_loops = graph.test[graph.test[:, 1] == 2]
    published = rank(model, with_loops, threads=1).filtered
    offered = rank(model, with_loops, protocol="offered", threads=1).filtered
    np.testing.assert_array_equal(published.better, offered.better)


def test_where_there_are_fewer_candidates_there_are_fewer_answers():
    everyone = [(i, 0, j) for i in range(12) for j in range(12) if i != j]
    full = transa.from_ids(everyone, test=[[0, 0, 1]])
    energy = TransEEnergy(3)
    model = FittedModel(energy, energy.initialise(12, 1, np.random.default_rng(0)), full)
    questions = np.array([[0, 0, GAP], [0, GAP, 1], [0, GAP, 0]])
    found = best_answers(model, questions, 5)
    assert found.ids[:2].tolist() == [[-1] * 5] * 2
    assert found.ids[2].tolist() == [0, -1, -1, -1, -1]
    assert np.isnan(found.probabilities).all()
    assert len(as_predictions(model, questions, found)[0]) == 0


def test_what_cannot_be_asked_is_refused(model):
    with pytest.raises(ConfigError, match="at least 1"):
        best_answers(model, np.array([[0, 0, GAP]]), 0)
    broken = {name: np.full_like(table, np.nan) for name, table in model.tables.items()}
    with pytest.raises(InputError, match="NaN"):
        best_answers(FittedModel(model.energy, broken, model.graph), np.array([[0, 0, GAP]]), 1)


def test_a_block_holds_no_more_numbers_however_many_answers_are_wanted():
    assert questions_at_a_time(1) == bulk._QUESTIONS
    assert questions_at_a_time(10**6) * 10**6 <= bulk._NUMBERS
    assert questions_at_a_time(10**9) == 1
