"""`transa classify` and `transa fold-in`."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import transa

TRIPLES = "head\trelation\ttail\nFrance\tborders\tSpain\nNarnia\tborders\tSpain\nfr\trules\tes\n"


@pytest.fixture
def asked(tmp_path):
    file = tmp_path / "asked.tsv"
    file.write_text(TRIPLES)
    return file


def expected(fitted, **options):
    """A copy of the model that both the command and the test may fit."""
    model = transa.estimator.estimator_of(fitted.settings)
    model._learnt = fitted.learnt_
    return model.fit_thresholds(**options)


def test_a_split(command, folder, fitted):
    found = command("classify", folder, "--split", "valid", "--json").json
    assert found == expected(fitted).evaluate_classification("valid").to_dict()
    body = found["triple_classification"]
    assert {"accuracy", "per_relation", "roc_auc", "average_precision"} <= body.keys()
    assert body["negatives"] == "made, seed 0"
    told = command("classify", folder, "--split", "valid")
    assert told.code == 0
    assert "accuracy" in told.out
    assert "borders" in told.out


def test_ones_own_triples(command, folder, fitted, asked):
    found = command("classify", folder, asked, "--json").json["verdicts"]
    rows = pl.read_csv(asked, separator="\t").rows()
    assert found == expected(fitted).classify(rows).to_dicts()
    known, stranger, odd = found
    assert known["verdict"] in (True, False)
    assert stranger["reason"] == "entity 'Narnia' is unknown to this model"
    assert odd["reason"] == "relation 'rules' is unknown to this model"
    told = command("classify", folder, asked)
    assert "Narnia" in told.out
    assert "unknown" in told.out


def test_files_of_any_kind(command, folder, tmp_path, asked):
    wanted = command("classify", folder, asked, "--json").json
    frame = pl.read_csv(asked, separator="\t")
    frame.write_parquet(tmp_path / "asked.parquet")
    assert command("classify", folder, tmp_path / "asked.parquet", "--json").json == wanted
    swapped = tmp_path / "asked.txt"
    swapped.write_text("\n".join(f"{t};{r};{h}" for h, r, t in frame.rows()), encoding="utf-8")
    options = ("--delimiter", ";", "--columns", "2,1,0", "--no-header")
    assert command("classify", folder, swapped, *options, "--json").json == wanted


def test_a_treatment_of_the_unseen(command, folder, fitted, tmp_path):
    file = tmp_path / "asked.csv"
    file.write_text("Frances,borders,Spain\n")
    (row,) = command("classify", folder, file, "--unseen", "words", "--json").json["verdicts"]
    assert row["verdict"] is not None
    assert "estimated from 'France'" in row["reason"]
    options = ("--split", "valid", "--unseen", "words", "--calibration", "isotonic", "--json")
    found = command("classify", folder, *options).json
    model = expected(fitted, unseen="words", calibration="isotonic")
    assert found == model.evaluate_classification("valid").to_dict()


@pytest.mark.parametrize("kind", ["local", "names"])
def test_thresholds_that_move(command, folder, fitted, asked, kind):
    found = command("classify", folder, asked, "--thresholds", kind, "--json").json["verdicts"]
    rows = pl.read_csv(asked, separator="\t").rows()
    assert found == expected(fitted, thresholds=kind).classify(rows).to_dicts()


def test_thresholds_are_kept_when_asked_and_checked(command, folder):
    before = command("classify", folder, "--split", "valid", "--seed", 5, "--save", "--json").json
    kept = json.loads((folder / "classifier.json").read_text())
    assert kept["fitted_on"] == "made, seed 5"
    again = command("classify", folder, "--split", "valid", "--seed", 5, "--json").json
    assert again == before
    # Another seed makes other triples to test on, and is judged by the thresholds kept.
    model = transa.load(folder)
    other = command("classify", folder, "--split", "valid", "--seed", 6, "--json").json
    assert other == model.evaluate_classification("valid", seed=6).to_dict()
    command("classify", folder, "--split", "valid", "--seed", 6, "--save")
    kept = json.loads((folder / "classifier.json").read_text())
    assert kept["fitted_on"] == "made, seed 6"
    refitted = command("classify", folder, "--unseen", "words", "--split", "valid", "--json").json
    assert refitted["triple_classification"]["unseen"] == "words"
    (folder / "classifier.json").write_text(json.dumps(kept | {"threshold": 1e9}))
    refused = command("classify", folder)
    assert refused.is_refused("classifier.json is not as it was written")


def test_a_figure(command, folder, tmp_path, asked):
    figure = tmp_path / "reliability.png"
    assert command("classify", folder, "--split", "valid", "--figure", figure).code == 0
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert command("classify", folder, asked, "--figure", figure).is_refused("give no file")
    assert command("classify", folder, asked, "--split", "valid").is_refused("a file is judged or")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--split", "tests"), ("no split 'tests'",)),
        (("--thresholds", "magic"), ("thresholds is one of relation, local, names",)),
        (("--unseen", "magic"), ("unseen is one of none, words",)),
        (("--calibration", "beta"), ("calibration is one of platt, isotonic",)),
        (("--seed", "-1"), ("seed is not negative",)),
        (("nowhere.tsv",), ("nowhere.tsv",)),
    ],
)
def test_refusals(command, folder, arguments, words):
    assert command("classify", folder, *arguments).is_refused(*words)


def test_fold_in(command, folder, tmp_path):
    file, out = tmp_path / "new.tsv", tmp_path / "larger"
    file.write_text("Monaco\tborders\tFrance\nFrance\tborders\tMonaco\nFrance\tborders\tSpain\n")
    done = command("fold-in", folder, file, "--out", out, "--json")
    assert done.json == {"folder": str(out), "entities": 1, "triples": 2, "left_out": 1}
    larger, smaller = transa.load(out), transa.load(folder)
    assert larger.graph_.n_entities == smaller.graph_.n_entities + 1
    np.testing.assert_array_equal(larger.parameters_["entity"][:-1], smaller.parameters_["entity"])
    asked = tmp_path / "asked.tsv"
    asked.write_text("Monaco\tborders\tSpain\n")
    assert command("classify", out, asked, "--json").json["verdicts"][0]["verdict"] is not None
    again = command("fold-in", folder, file, "--out", out)
    assert again.is_refused("holds a finished model", "--overwrite")
    told = command("fold-in", folder, file, "--out", out, "--overwrite")
    assert "1 entities added, from 2 triples; 1 triples have no new entity" in told.err
    file.write_text("France\tborders\tSpain\n")
    assert command("fold-in", folder, file, "--out", tmp_path / "more").is_refused(
        "new to this model"
    )
    taken = tmp_path / "taken"
    taken.write_text("")
    assert command("fold-in", folder, file, "--out", taken).is_refused("a file is there")
