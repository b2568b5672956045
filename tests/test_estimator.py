"""Estimators: fit, then questions by name."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import transa
from transa import Adaptive, Fixed, Recipe, TransA, TransE
from transa.errors import (
    ConfigError,
    InputError,
    NotFittedError,
    TransaError,
    UnknownNameError,
)
from transa.estimator import ESTIMATORS
from transa.settings.config import make_settings, suited


def energy_of(model, h, r, t):
    vectors = model.parameters_
    return np.abs(vectors["entity"][h] + vectors["relation"][r] - vectors["entity"][t]).sum()


def ranking(model, question, left_out=()):
    """All candidates for the gap in ids, by definition."""
    gap = question.index(None)
    n = model.graph_.n_relations if gap == 1 else model.graph_.n_entities
    scored = []
    for candidate in set(range(n)) - set(left_out):
        h, r, t = (candidate if part is None else part for part in question)
        scored.append((energy_of(model, h, r, t), candidate))
    return [candidate for _, candidate in sorted(scored)]


def test_a_constructor_keeps_what_it_was_given():
    model = TransE(dim=20, norm="l2", margin=2, lr=0.5, seed=3)
    assert (model.settings.energy.dim, model.settings.energy.norm) == (20, "l2")
    recipe = model.settings.recipe
    assert (recipe.margin, recipe.lr, recipe.seed) == (Fixed(2.0), 0.5, 3)
    assert recipe.epochs == Recipe().epochs, "of the L2 norm no rule knows"
    assert isinstance(TransA().settings.recipe.margin, Adaptive)
    assert TransE(margin=Adaptive(mu=0.5)).settings.recipe.margin == Adaptive(mu=0.5)


def test_keywords_are_known_before_it_runs(tmp_path):
    known = inspect.signature(TransA).parameters
    assert set(known) == set(make_settings("transa").by_name)
    assert (known["lr"].default, known["dim"].default) == (None, None)
    assert known["validate_every"].default == 10
    snippet = tmp_path / "snippet.py"
    snippet.write_text(
        "import transa\n"
        "transa.TransA(50, 'l2', lr=1, margin=transa.Adaptive(mu=0.3))\n"
        "transa.TransE(dim=None, margin=2.0, loss='hinge').fit('countries')\n"
        "transa.TransA(learning_rate=1)\n"
        "transa.TransE(epochs='three')\n"
        "transa.TransE(loss='hing')\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", str(snippet)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    wrong = re.findall(r"snippet\.py:(\d+): error: .*\[(.*)\]", found)
    assert wrong == [("4", "call-arg"), ("5", "arg-type"), ("6", "arg-type")], found


@pytest.mark.parametrize(
    "model",
    [
        TransA(),
        TransE(dim=5, margin=2, lr="1e-2"),
        TransA(margin=Adaptive(mu=0.3)),
        TransE(loss="logistic", negatives=128),
        TransE(scale=2.0, adversarial=0.25),
        transa.Estimator("ntn", slices=3, epochs=7),
    ],
    ids=repr,
)
def test_estimators_are_cloned_as_in_scikit_learn(model):
    twin = clone(model)
    assert type(twin) is type(model)
    assert (twin.settings, repr(twin)) == (model.settings, repr(model))
    assert type(model)(**model.get_params()).settings == model.settings
    assert set(model.get_params()) >= {*make_settings(model.settings.model).by_name}


def test_params_can_be_set():
    model = TransA(dim=7)
    assert model.set_params(lr=0.3, epochs=2) is model
    assert repr(model) == "TransA(dim=7, norm='l1', lr=0.3, epochs=2)"
    assert repr(model.set_params(dim=None)) == "TransA(norm='l1', lr=0.3, epochs=2)"
    with pytest.raises(ConfigError, match="did you mean 'epochs'"):
        model.set_params(epoch=1)
    assert model.get_params()["epochs"] == 2


def test_fit_leaves_the_settings_as_asked(atlas, tmp_path):
    model = TransA(epochs=1, validate_every=0, threads=1)
    asked = model.settings
    model.fit(atlas)
    assert model.settings == asked
    assert model.settings_.recipe.loss == "listwise"
    assert model.settings_.recipe.scale < asked.recipe.scale
    assert repr(model) == repr(TransA(epochs=1, validate_every=0, threads=1))
    model.save(tmp_path / "model")
    assert transa.load(tmp_path / "model").settings == model.settings_


def test_rooms_and_names_of_before_are_found():
    code = (
        "import warnings, transa\n"
        "assert transa.models.MODELS and transa.ranking.evaluate and transa.storage\n"
        "warnings.simplefilter('error')\n"
        "try: transa.config\n"
        "except DeprecationWarning as said: print(said)\n"
        "warnings.simplefilter('ignore')\n"
        "assert all(getattr(transa, name) for name in transa._MOVED)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "transa.config is transa.settings.config now\n"


def test_it_prints_as_the_call_that_makes_it():
    assert repr(TransA(dim=5)) == "TransA(dim=5, norm='l1')"
    assert repr(TransA()) == "TransA(norm='l1')"
    model = TransE(dim=5, margin=2, epochs=7)
    assert eval(repr(model), {"TransE": TransE, "Fixed": Fixed}).settings == model.settings


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: TransA(learning_rate=1), "no option 'learning_rate' for transa"),
        (lambda: TransA(epoch=1), "did you mean 'epochs'"),
        (lambda: TransA(dim=0), "dim is at least 1"),
        (lambda: TransA(norm="l3"), "norm is one of"),
        (lambda: TransA(margin=1.0), "makes it TransE"),
        (lambda: TransE(margin=-1), "at least 0"),
    ],
)
def test_wrong_options(call, sentence):
    with pytest.raises(ConfigError, match=sentence):
        call()


def test_before_fit_there_is_nothing_learnt():
    model = TransA()
    assert not hasattr(model, "graph_")
    for ask in (
        lambda: model.parameters_,
        lambda: model.predict_tails("a", "b"),
        lambda: model.score([("a", "b", "c")]),
        lambda: model.save("nowhere"),
    ):
        with pytest.raises(NotFittedError, match=r"this TransA has not learnt yet: call fit"):
            ask()


def test_fit_learns_and_returns_itself(atlas):
    model = TransE(dim=4, epochs=3, validate_every=0, threads=1)
    assert model.fit(atlas) is model
    assert model.graph_ is atlas
    assert model.parameters_["entity"].shape == (12, 4)
    assert [report.epoch for report in model.history_] == [1, 2, 3]


def test_fit_takes_a_data_set_by_name_and_a_path(tmp_path):
    file = tmp_path / "few.tsv"
    file.write_text("a\tr\tb\nb\tr\tc\nc\tr\ta\n" * 4)
    options = {"dim": 4, "epochs": 1, "validate_every": 0, "threads": 1}
    assert TransA(**options).fit("countries").graph_.name == "countries"
    assert TransA(**options).fit(file).graph_.n_entities == 3
    assert TransA(**options).fit(str(file)).graph_.name == "few"
    with pytest.raises(UnknownNameError, match="did you mean 'countries'"):
        TransA().fit("countrie")


def test_options_of_a_reader_are_for_files(atlas, tmp_path):
    file = tmp_path / "few.txt"
    file.write_text("r,a,b\nr,b,c\nr,c,a\n")
    graph = transa.load_graph(file, columns=("relation", "head", "tail"), split=None)
    assert graph.relations.labels.to_list() == ["r"]
    for source in ("countries", atlas):
        with pytest.raises(ConfigError, match="split: for files"):
            transa.load_graph(source, split=None)


def test_ctrl_c_keeps_what_was_learnt(atlas):
    model = TransA(dim=4, epochs=10_000, validate_every=0, threads=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(atlas, report=lambda report: os.kill(os.getpid(), signal.SIGINT))
    assert 1 <= len(model.history_) < 10_000
    assert model.learnt_.training.stopped == "interrupted"


def test_the_same_seed_gives_the_same_answers(atlas, fitted):
    options = {"epochs": 6, "validate_every": 2, "patience": 0, "threads": 1}
    again = TransA(dim=8, **options).fit(atlas)
    for name, table in fitted.parameters_.items():
        np.testing.assert_array_equal(again.parameters_[name], table)


def test_tails_leave_out_what_is_known_in_any_split(fitted):
    ids = fitted.graph_.entities
    # France borders Spain, Belgium and Germany; nothing in the atlas borders itself.
    wanted = ranking(fitted, (0, 0, None), left_out={0, 1, 3, 4})
    found = fitted.predict_tails("fr", "borders", k=100)
    assert [ids.id(answer.label) for answer in found] == wanted
    assert [answer.rank for answer in found] == list(range(1, 9))
    assert all(answer.known is None for answer in found)
    assert found.question == "France · borders · ?"
    assert fitted.predict_tails("France", "borders", k=3).rows == found.rows[:3]


def test_known_answers_can_stay_marked_with_their_split(fitted):
    found = fitted.predict_tails("Belgium", "borders", k=100, known=True)
    splits = {answer.name: answer.known for answer in found if answer.known}
    assert splits == {"France": "train", "Germany": "valid"}
    (paris,) = (a for a in fitted.predict_tails("fr", "capital", 99, known=True) if a.known)
    assert (paris.name, paris.known) == ("Paris", "test")


def test_heads_and_relations(fitted):
    ids = fitted.graph_.entities
    heads = fitted.predict_heads("capital", "Madrid", k=100)
    wanted = ranking(fitted, (None, 1, 7), left_out={1, 7})
    assert [ids.id(answer.label) for answer in heads] == wanted
    assert heads.question == "? · capital · Madrid"
    relations = fitted.predict_relations("fr", "es", k=5, known=True)
    wanted = ranking(fitted, (0, None, 1))
    assert [fitted.graph_.relations.id(answer.label) for answer in relations] == wanted
    assert {a.label: a.known for a in relations} == {"borders": "train", "capital": None}


def test_an_entity_may_answer_about_itself_where_the_relation_has_loops():
    rows = [("a", "likes", "a"), ("b", "likes", "b"), ("a", "knows", "b"), ("c", "likes", "b")]
    graph = transa.from_labels(np.array(rows), split=None)
    model = TransA(dim=4, epochs=1, threads=1).fit(graph)
    assert "c" in {a.label for a in model.predict_tails("c", "likes")}
    assert "c" not in {a.label for a in model.predict_tails("c", "knows")}


def test_scores_are_minus_the_energy(fitted):
    triples = [("fr", "borders", "es"), ("Spain", "capital", "m a")]
    expected = [-energy_of(fitted, 0, 0, 1), -energy_of(fitted, 1, 1, 7)]
    np.testing.assert_allclose(fitted.score(triples), expected, rtol=1e-5)
    np.testing.assert_allclose(fitted.score(np.array(triples)), expected, rtol=1e-5)
    assert fitted.score([]).shape == (0,)
    best = fitted.predict_tails("fr", "borders")[0]
    assert best.score == pytest.approx(fitted.score([("fr", "borders", best.label)])[0])


def test_similar_are_the_nearest_vectors(fitted):
    vectors = fitted.parameters_["entity"]
    distances = np.abs(vectors - vectors[4]).sum(axis=1)
    wanted = [i for i in np.argsort(distances, kind="stable") if i != 4]
    found = fitted.similar("Germany", k=100)
    assert [fitted.graph_.entities.id(answer.label) for answer in found] == wanted
    assert found[0].score == pytest.approx(-distances[wanted[0]])


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda m: m.predict_tails("Frence", "borders"), "unknown entity 'Frence'.*'France'"),
        (lambda m: m.predict_tails("France", "border"), "unknown relation 'border'.*'borders'"),
        (lambda m: m.predict_heads("capital", "paris"), "did you mean 'Paris'"),
        (lambda m: m.predict_tails("France", "borders", k=0), "at least 1; found 0"),
        (lambda m: m.similar("France", k=-1), "at least 1; found -1"),
        (lambda m: m.similar("Frankreich"), "unknown entity"),
        (lambda m: m.score([("France", "borders")]), "row 0: expected three labels"),
        (lambda m: m.evaluate("tests"), "no split 'tests'"),
    ],
)
def test_wrong_questions_are_told_in_a_sentence(fitted, ask, sentence):
    with pytest.raises(TransaError, match=sentence):
        ask(fitted)


def test_evaluate_ranks_a_split(fitted):
    found = fitted.evaluate("test")
    # The one test triple: France's capital among the tails, and the country among the heads.
    tail = 1 + ranking(fitted, (0, 1, None)).index(6)
    head = 1 + ranking(fitted, (None, 1, 6)).index(0)
    assert found.raw.mr == pytest.approx((tail + head) / 2)
    assert fitted.evaluate("valid", ties="optimistic").ties == "optimistic"


def test_margins_are_those_of_the_margin_asked_for(fitted, atlas):
    frame = fitted.margins(Adaptive(mu=0.25, reading="spheres"))
    head, tail = transa.margins.adaptive_margins(
        atlas.train, *fitted.parameters_.values(), mu=0.25, norm=1, reading="spheres"
    )
    np.testing.assert_array_equal(frame["head_anchored"], head)
    np.testing.assert_array_equal(frame["tail_anchored"], tail)
    assert frame.row(0)[:3] == ("fr", "borders", "es")
    assert fitted.margins().equals(fitted.margins(fitted.settings.recipe.margin))


@pytest.mark.parametrize("kind", ESTIMATORS.values())
def test_a_model_comes_back_as_what_it_was(kind, atlas, tmp_path):
    model = kind(dim=4, norm="l2", epochs=2, threads=1).fit(atlas)
    model.save(tmp_path / "model")
    back = transa.load(tmp_path / "model")
    assert type(back) is kind
    assert back.settings == model.settings
    assert back.predict_tails("fr", "capital") == model.predict_tails("fr", "capital")
    assert back.history_ == model.history_


def modules_with_examples():
    package = Path(transa.__file__).parent
    for file in sorted(package.rglob("*.py")):
        if ">>> " in file.read_text(encoding="utf-8"):
            parts = file.relative_to(package.parent).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("module", list(modules_with_examples()))
def test_examples_in_docstrings(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def test_every_public_name_is_there():
    for name in transa.__all__:
        assert getattr(transa, name) is not None
    assert set(dir(transa)) == set(transa.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        transa.nosuch  # noqa: B018


def test_importing_transa_imports_nothing_heavy():
    code = "import sys, transa; print(sorted({'numpy', 'polars', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_dimensions_suit_the_graph_unless_given(atlas):
    ids = np.arange(400, dtype=np.int32)
    crowd = transa.from_ids(np.stack([ids % 5, ids // 25, ids // 5 % 5], axis=1))
    few = {"epochs": 1, "validate_every": 0, "threads": 1, "loss": "logistic"}
    assert TransA(**few).fit(atlas).parameters_["entity"].shape[1] == 50
    assert TransA(dim=60, **few).fit(atlas).parameters_["entity"].shape[1] == 60
    again = TransA(**few).fit(atlas).fit(crowd)
    assert again.parameters_["entity"].shape[1] == 200, "not what suited the first graph"
    default = make_settings("transa")
    assert suited(default, n_entities=1_000, n_triples=3_000).energy.dim == 50
    assert suited(default, n_entities=100, n_triples=3_000).energy.dim == 200
    assert suited(default, n_entities=50_000, n_triples=100_000).energy.dim == 200


def test_checkpoint_and_log_may_be_words(atlas, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TransE(dim=4, epochs=2, threads=1).fit(atlas, checkpoint="state", log="log")
    assert (tmp_path / "state").exists()
    assert len((tmp_path / "log").read_text().splitlines()) == 2


@pytest.mark.parametrize("given", [[("a", "r", "b")], np.zeros((1, 3), int)])
def test_what_is_no_graph_is_told_how_to_become_one(given):
    with pytest.raises(InputError, match=r"transa\.from_frame, from_ids and from_labels"):
        TransE().fit(given)


def test_a_file_is_split_by_the_seed_of_the_recipe(tmp_path):
    file = tmp_path / "ring.tsv"
    file.write_text("".join(f"{i}\tr{j}\t{(i + j) % 40}\n" for i in range(40) for j in (1, 2, 3)))
    few = {"dim": 4, "epochs": 1, "threads": 1}
    for seed in (0, 3):
        split = TransE(seed=seed, **few).fit(file).graph_
        np.testing.assert_array_equal(split.test, transa.read(file, seed=seed).test)
    assert not np.array_equal(transa.read(file, seed=0).test, transa.read(file, seed=3).test)


def test_margins_are_for_translations(atlas):
    model = transa.Estimator("ntn", dim=4, epochs=1, threads=1).fit(atlas)
    with pytest.raises(ConfigError, match="not defined for ntn, which is no translation"):
        model.margins()


def test_a_model_may_be_called_as_in_its_paper():
    assert transa.Estimator("TransH").settings.model == "transh"


@pytest.mark.parametrize("k", [0, 1.5, "3"])
def test_a_number_of_answers_that_is_none_is_refused(fitted, k):
    with pytest.raises(ConfigError, match="is a whole number of at least 1"):
        fitted.similar("Spain", k)
