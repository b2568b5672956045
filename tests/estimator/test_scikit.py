"""Estimators in scikit-learn's hands: its own checks, grids, folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

import transa
from transa import TripleKFold
from transa.errors import ConfigError, InputError

QUICK = {"dim": 8, "epochs": 3, "threads": 1}

# Those that look at constructors, parameters and tags. All others do not apply: they fit and ask
# with tables of real numbers, and these estimators learn from labels of triples; so do those of
# `predict` and `transform`, of which the first is asked questions and the second is not there.
# Two more are not met on purpose. `check_do_not_raise_errors_in_init_or_set_params`: a wrong
# setting is refused where it is given, not minutes later. `check_no_attributes_set_in_init`: the
# settings as one checked value, `settings`, are set beside the parameters.
APPLY = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_get_params_invariance",
    "check_set_params",
    "check_parameters_default_constructible",
    "check_valid_tag_types",
    "check_estimator_tags_renamed",
    "check_mixin_order",
)


@pytest.fixture(scope="module")
def triples():
    edges = [(i, j) for i in range(12) for j in range(12) if 0 < abs(i - j) < 4]
    return [(f"t{i}", "near", f"t{j}") for i, j in edges]


@pytest.mark.filterwarnings("ignore:ConfigError occurred during set_params")
@pytest.mark.parametrize("check", APPLY)
@pytest.mark.parametrize(
    "model", [transa.TransA(), transa.TransE(dim=4), transa.Estimator("complex")], ids=repr
)
def test_scikit_learns_own_checks(check, model):
    getattr(estimator_checks, check)(type(model).__name__, model)


def test_a_grid_is_searched_by_folds_of_triples(triples):
    grid = {"dim": [4, 8], "lr": [0.01, 0.1]}
    search = GridSearchCV(transa.TransE(**QUICK), grid, cv=TripleKFold(3), error_score="raise")
    search.fit(triples)
    assert len(search.cv_results_["params"]) == 4
    assert 0 < search.best_score_ <= 1
    best = search.best_estimator_
    assert len(best.graph_.train) == len(triples), "the best is fitted to all of them"
    assert best.settings_.recipe.lr == search.best_params_["lr"]
    assert best.score(triples) == pytest.approx(best.evaluate(triples=triples).filtered.mrr)


@pytest.mark.parametrize(
    "form",
    [np.array, lambda t: np.array(t, dtype=object), lambda t: pd.DataFrame(t, columns=list("hrt"))],
    ids=["array", "array of objects", "frame"],
)
def test_arrays_and_frames_are_folded(triples, form):
    scores = cross_val_score(
        transa.TransE(**QUICK), form(triples), cv=TripleKFold(2), error_score="raise"
    )
    assert scores.shape == (2,)
    assert (scores > 0).all()


def test_a_pipeline_ends_in_one(triples):
    pipeline = Pipeline([("model", transa.TransE(**QUICK))]).fit(triples)
    assert pipeline.score(triples) > 0


def test_what_training_has_not_counts_as_missed(triples):
    model = transa.TransE(**QUICK).fit(triples)
    strange = [("t0", "near", "Atlantis")] * len(triples)
    assert model.score([*triples, *strange]) == pytest.approx(model.score(triples) / 2)
    assert model.score(strange) == 0


def test_ids_are_labels(triples):
    ids = np.array([[i, 0, (i + 1) % 9] for i in range(9)])
    model = transa.TransE(**QUICK).fit(ids)
    assert model.graph_.entities.labels.to_list() == [str(i) for i in range(9)]
    assert 0 < model.score(ids) <= 1


def test_it_tells_whether_it_is_fitted(triples):
    model = transa.TransE(**QUICK)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(model)
    check_is_fitted(model.fit(triples))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m.fit([("a", "r", "b")], [1]), ConfigError, "leave y out"),
        (lambda m: m.fit([("a", "b")]), InputError, "expected three labels"),
        (lambda m: m.fit(np.zeros((3, 2))), InputError, "rows of three labels"),
        (lambda m: m.fit(np.zeros((3, 3))), InputError, "expected three labels"),
    ],
)
def test_what_is_no_graph_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(transa.TransE(**QUICK))


@pytest.mark.parametrize("as_frame", [False, True])
def test_folds_can_be_asked_of_what_is_left(triples, as_frame):
    rows = [*triples, triples[0], ("t0", "only", "alone")]
    given = pl.DataFrame(rows, schema=["h", "r", "t"], orient="row") if as_frame else rows
    tested = []
    for train, test in TripleKFold(4, seed=1).split(given):
        left = [rows[i] for i in train]
        held_out = [rows[i] for i in test]
        assert {*train, *test} == {*range(len(rows))}
        for column in range(3):
            assert {row[column] for row in held_out} <= {row[column] for row in left}
        assert not {*held_out} & {*left}, "copies stay together"
        tested += held_out
    assert len(tested) == len(rows) - 1, "each once, but the one that nothing can spare"
    assert TripleKFold(4).get_n_splits() == 4
    assert repr(TripleKFold(4)) == "TripleKFold(4, seed=0)"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: TripleKFold(1), "n_splits is a whole number of at least 2"),
        (lambda: TripleKFold(seed=-1), "seed is not negative"),
        (lambda: [*TripleKFold(2).split([("a", "r", "b")])], "can't be split into 2 folds"),
        (lambda: [*TripleKFold(2).split([1, 2])], "expected rows of head, relation and tail"),
        (lambda: [*TripleKFold(2).split([("a", "b")])], "found 2 columns"),
    ],
)
def test_folds_that_cannot_be(call, words):
    with pytest.raises((ConfigError, InputError), match=words):
        call()
