"""Questions by the file, and triples of one's own to rank."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import transa
from transa.models import TransEEnergy

FULL = Path("/dev/full")


@pytest.fixture
def questions(tmp_path):
    """Three questions, a blank line among them."""
    file = tmp_path / "questions.tsv"
    file.write_text("France\tborders\t\n\n?\tcapital\tParis\nfr\t?\tes\n")
    return file


def test_answers_are_printed_as_a_table_or_as_lines_of_json(command, folder, questions, fitted):
    printed = command("predict", folder, "--file", questions, "-k", 2)
    assert printed.code == 0
    lines = [line.split("\t") for line in printed.out.splitlines()]
    assert lines[0][:6] == ["question", "head", "relation", "tail", "asked", "rank"]
    tails, heads = (
        fitted.predict_tails("fr", "borders", 2),
        fitted.predict_heads("capital", "p a", 2),
    )
    wanted = [
        *((0, "fr", "borders", a.label, "tail", a.rank) for a in tails),
        *((1, a.label, "capital", "p a", "head", a.rank) for a in heads),
        (2, "fr", "capital", "es", "relation", 1),
    ]
    assert [line[:6] for line in lines[1:]] == [[str(cell) for cell in row] for row in wanted]
    as_json = command("predict", folder, "--file", questions, "-k", 2, "--json")
    rows = [json.loads(line) for line in as_json.out.splitlines()]
    assert [(r["question"], r["head"], r["tail"]) for r in rows] == [
        (row[0], row[1], row[3]) for row in wanted
    ]


def test_answers_go_to_a_file(command, folder, questions, tmp_path):
    out = tmp_path / "answers.parquet"
    done = command("predict", folder, "--file", questions, "--out", out, "-k", 3, "--known")
    assert done.code == 0
    assert "answers to 3 questions" in done.err
    found = pl.read_parquet(out)
    assert found["question"].unique().to_list() == [0, 1, 2]
    told = command("predict", folder, "--file", questions, "--out", out, "--to", "csv", "--json")
    assert told.json["questions"] == 3
    assert told.json["dropped"] == 0
    assert told.json["answers"] == len(pl.read_csv(out))


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "nt"])
def test_a_full_disk_is_told(folder, questions, form):
    words = [sys.executable, "-m", "transa", "predict", str(folder), "--file", str(questions)]
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*words, "--to", form], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "the output cannot be written (No space left on device)" in done.stderr
    assert "Traceback" not in done.stderr


def test_questions_with_unknown_labels_can_be_left_out(command, folder, tmp_path):
    file = tmp_path / "q.csv"
    file.write_text("head,relation,tail\nFrance,borders,?\nFrence,borders,?\n")
    assert command("predict", folder, "--file", file).is_refused("line 3", "did you mean 'France'?")
    done = command("predict", folder, "--file", file, "--unknown", "drop", "-k", 1)
    assert len(done.out.splitlines()) == 2
    assert "1 with unknown labels left out" in done.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("France\tborders\t?\nFrance\tborders\n", ("line 2", "found 2 columns")),
        ("France\tborders\t?\n\nFrance\tborders\tSpain\n", ("line 3", "found 0 gaps")),
        ("France\tborders\t?\n?\t\tSpain\n", ("line 2", "found 2 gaps")),
        ("France\tborders\t?\n\t\t\n", ("line 2", "empty")),
        ('a,b,?\n"a"x,b,?\n', ("line 2", "quotes")),
    ],
)
def test_a_bad_line_is_told_by_its_number(command, folder, tmp_path, text, words):
    file = tmp_path / "q.txt"
    file.write_text(text)
    out = tmp_path / "out.tsv"
    assert command("predict", folder, "--file", file, "--out", out).is_refused(*words)
    assert not out.exists()


def test_what_does_not_go_together_is_refused(command, folder, questions):
    one = ("--head", "France", "--relation", "borders")
    assert command("predict", folder, *one, "--file", questions).is_refused("--file")
    assert command("predict", folder, *one, "--out", "a.tsv").is_refused("--out and --to")
    assert command("predict", folder, "--file", questions, "--to", "doc").is_refused("tsv, csv")
    refused = command("predict", folder, "--file", questions, "--to", "parquet")
    assert refused.is_refused("--out")
    refused = command("predict", folder, "--file", questions, "--out", "answers.doc")
    assert refused.is_refused("the name tells no format")


@pytest.mark.parametrize("form", ["tsv", "parquet"])
def test_after_ctrl_c_there_is_no_half_file(tmp_path, form):
    """A process of its own, stopped for real while it writes."""
    rng = np.random.default_rng(0)
    graph = transa.from_ids(rng.integers(0, [4000, 3, 4000], (6000, 3)), n_entities=4000)
    model = transa.TransE(dim=64, epochs=1, threads=1).fit(graph)
    model.save(tmp_path / "model")
    asked = rng.integers(0, [4000, 3], (200_000, 2))
    file = tmp_path / "questions.tsv"
    file.write_text("".join(f"{h}\t{r}\t?\n" for h, r in asked.tolist()))
    out = tmp_path / f"answers.{form}"
    before = {path.name for path in tmp_path.iterdir()}
    command = [sys.executable, "-m", "transa", "predict", "model", "--file", file.name]
    process = subprocess.Popen(
        [*command, "--out", out.name, "-k", "20"], cwd=tmp_path, env=os.environ,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    while not any(path.name.endswith(".part") for path in tmp_path.iterdir()):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert {path.name for path in tmp_path.iterdir()} - {f".{out.name}.lock"} == before


def test_triples_of_ones_own_are_ranked(command, folder, fitted, tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("France\tcapital\tParis\nGermany\tborders\tSpain\n")
    found = command("evaluate", folder, "--file", file, "--json").json["link_prediction"]
    assert found["split"] == str(file)
    assert found["filtered"]["count"] == 4
    wanted = fitted.evaluate(triples=[("fr", "capital", "p a"), ("de", "borders", "es")])
    assert found["filtered"] == wanted.filtered.to_dict()
    # The test split by another name has its ranks.
    file.write_text("France\tcapital\tParis\n")
    again = command("evaluate", folder, "--file", file, "--json").json["link_prediction"]
    assert again["filtered"] == fitted.evaluate("test").filtered.to_dict()
    # A long path is broken over the lines of the title.
    assert str(file) in "".join(command("evaluate", folder, "--file", file).out.split())


def test_what_the_file_has_is_not_counted_against_its_own(fitted):
    """Three tails of one head, of which two are always before the third."""
    graph = transa.from_ids([[0, 0, 1]], n_entities=5)
    tables = {"entity": np.float32([[0], [9], [1], [2], [3]]), "relation": np.float32([[0]])}
    model = transa.FittedModel(TransEEnergy(1, "l1"), tables, graph)
    ids = np.array([[0, 0, 2], [0, 0, 3], [0, 0, 4]], dtype=np.int32)
    offered = transa.evaluate(model, triples=ids, protocol="offered")
    assert offered.overall.tail.filtered.mr == 1
    assert transa.evaluate(model, triples=ids).overall.tail.filtered.mr == 2
    assert transa.evaluate(model, triples=ids).overall.tail.raw.mr == 3


def test_triples_of_unknown_labels_are_refused(command, folder, tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("France\tborders\tSpain\nFrance\tborders\tSpane\nx\tborders\ty\n")
    refused = command("evaluate", folder, "--file", file)
    assert refused.is_refused("line 2", "did you mean 'Spain'?", "1 other rows")
    refused = command("evaluate", folder, "--file", file, "--split", "test")
    assert refused.is_refused("give no --split")


def test_the_protocol_is_said_and_refused_if_it_is_none(command, folder):
    told = command("evaluate", folder, "--protocol", "offered")
    assert "offered candidates" in told.out
    assert command("evaluate", folder, "--json").json["link_prediction"]["protocol"] == "published"
    assert command("evaluate", folder, "--protocol", "usual").is_refused("published, offered")


def test_how_probabilities_bear_out(command, folder, fitted):
    told = command("evaluate", folder, "--split", "valid", "--probabilities")
    assert "Probabilities of heads" in told.out
    plain = command("evaluate", folder, "--split", "valid", "--probabilities", "--json").json
    wanted = fitted.evaluate_probabilities("valid")["tail"]
    assert plain["probabilities"]["tail"]["error"] == wanted.error


def test_an_older_folder_gets_its_probabilities(command, folder, fitted):
    checksums = json.loads((folder / "checksums.json").read_text())
    del checksums["probabilities.json"]
    (folder / "checksums.json").write_text(json.dumps(checksums))
    (folder / "probabilities.json").unlink()
    asked = ("predict", folder, "--head", "France", "--relation", "borders", "--json")
    assert {row["probability"] for row in command(*asked).json["predictions"]} == {None}
    assert "transa calibrate" in command("info", folder).out
    assert command("info", folder, "--json").json["probabilities"] is None
    assert command("evaluate", folder, "--split", "valid", "--probabilities").is_refused(
        "no probabilities"
    )
    done = command("calibrate", folder)
    assert done.code == 0
    assert "off by" in done.err
    wanted = fitted.predict_tails("France", "borders").to_dicts()
    assert command(*asked).json["predictions"] == wanted
    assert "off by" in command("info", folder).out
    assert command("info", folder, "--json").json["probabilities"]["tail"]["questions"] == 2


def test_without_validation_triples_there_is_nothing_to_calibrate_on(command, tmp_path):
    graph = transa.from_labels([("a", "r", "b"), ("b", "r", "c")], split=None)
    transa.TransE(dim=4, epochs=1, threads=1).fit(graph).save(tmp_path / "model")
    assert command("calibrate", tmp_path / "model").is_refused("no validation triples")
    assert "no validation triples" in command("info", tmp_path / "model").out
