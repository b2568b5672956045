"""`transa why`, `discover`, `index` and `similar --index`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from transa import from_ids, from_labels
from transa.models import FittedModel
from transa.settings.config import make_settings
from transa.storage.folder import SavedModel, save
from transa.storage.record import TrainingRecord


def test_why_tells_both_sides(command, folder):
    done = command("why", folder, "France", "borders", "Germany")
    assert done.code == 0
    assert "What speaks for it" in done.out
    assert "Germany · borders · France is known" in done.out
    said = command("why", folder, "France", "borders", "[Atlantis]", "-k", "2", "--json").json
    assert said["question"] == "France · borders · [Atlantis]"
    assert said["sentence"].startswith(said["question"])
    assert [row["speaks"] for row in said["rows"]].count("against") == 2
    assert command("why", folder, "France", "bordrs", "Spain").is_refused("did you mean 'borders'?")
    assert command("why", folder, "fr", "borders", "es", "-k", "0").is_refused("at least 1")


def test_discover_shows_the_best_and_how_long_it_takes(command, folder):
    done = command("discover", folder, "--types", "any", "--top", "30")
    assert done.code == 0
    assert "pairs of head and tail to look at: about 0:0" in done.err
    assert "the best 20 of 30; --out FILE or --json has them all" in done.err
    found = command("discover", folder, "--types", "any", "--top", "3", "--json").json
    assert found["complete"] is True
    assert [fact["rank"] for fact in found["facts"]] == [1, 2, 3]
    only = command("discover", folder, "--relation", "capital", "--types", "any", "--json").json
    assert {fact["relation"] for fact in only["facts"]} == {"capital"}


@pytest.mark.parametrize("ending", ["tsv", "csv", "parquet", "jsonl"])
def test_discover_writes_all_of_them(command, folder, tmp_path, ending):
    out = tmp_path / f"found.{ending}"
    done = command("discover", folder, "--types", "any", "--top", "25", "--out", out)
    assert done.code == 0
    assert done.out == ""
    assert f"25 facts: {out}" in done.err
    read = {
        "tsv": lambda: pl.read_csv(out, separator="\t", quote_char=None),
        "csv": lambda: pl.read_csv(out),
        "parquet": lambda: pl.read_parquet(out),
        "jsonl": lambda: pl.read_ndjson(out),
    }[ending]()
    listed = command("discover", folder, "--types", "any", "--top", "25", "--json").json["facts"]
    assert read["head"].to_list() == [fact["head"] for fact in listed]
    assert read["probability"].to_list() == pytest.approx([f["probability"] for f in listed])


def test_discover_refuses_before_it_begins(command, folder, tmp_path):
    ending = command("discover", folder, "--out", tmp_path / "x.xls")
    assert ending.is_refused("end it in .tsv, .csv, .parquet, .jsonl, .ttl or .nt")
    assert command("discover", folder, "--to", "xls").is_refused("tsv, csv, parquet, jsonl")
    assert command("discover", folder, "--min-probability", "2").is_refused("from 0 to 1")
    assert command("discover", folder, "--top", "0").is_refused("top is a whole number")
    assert command("discover", folder, "--types", "all").is_refused("seen, alike, any")
    nothing = command("discover", folder, "--min-probability", "1")
    assert nothing.code == 0
    assert "nothing new is so plausible" in nothing.err


def saved(folder, graph, dim) -> None:
    """A model folder with vectors that nobody trained."""
    settings = make_settings("transe", dim=dim)
    rng = np.random.default_rng(0)
    tables = settings.energy.initialise(graph.n_entities, graph.n_relations, rng)
    model = FittedModel(settings.energy, tables, graph)
    save(folder, SavedModel(settings, model, TrainingRecord((), 0, "finished")))


def test_a_name_that_a_tsv_cannot_hold_is_told(command, tmp_path):
    rows = [(f"a\t{i}", "near", f"a\t{j}") for i in range(6) for j in range(6) if abs(i - j) == 1]
    saved(tmp_path / "m", from_labels(rows), dim=4)
    done = command("discover", tmp_path / "m", "--out", tmp_path / "x.tsv")
    assert done.code == 2
    assert "has a tab or a line break in it" in done.err
    assert not (tmp_path / "x.tsv").exists()
    assert command("discover", tmp_path / "m", "--out", tmp_path / "x.csv").code == 0
    assert pl.read_csv(tmp_path / "x.csv")["head"].str.contains("\t").all()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_ctrl_c_tells_what_was_found_so_far(tmp_path):
    """A search that would take an hour, stopped by a real signal once it has begun."""
    n = 6000
    triples = np.random.default_rng(0).integers(0, (n, 400, n), (20_000, 3))
    saved(tmp_path / "m", from_ids(triples, n_entities=n), dim=200)
    out = tmp_path / "found.jsonl"
    words = ["discover", tmp_path / "m", "--types", "any", "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "transa", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    first = process.stderr.readline()
    assert "pairs of head and tail to look at" in first
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait() == 130
    assert "stopped: these are the best of the first" in rest
    facts = [json.loads(line) for line in out.read_text().splitlines()]
    assert facts
    assert facts[0]["rank"] == 1


def test_an_index_is_made_and_asked(command, folder):
    assert command("similar", folder, "France", "--index").is_refused("`transa index` makes one")
    done = command("index", folder)
    assert done.code == 0
    assert "index of 12 entities" in done.err
    by_index = command("similar", folder, "France", "-k", "3", "--index", "--json").json
    assert by_index == command("similar", folder, "France", "-k", "3", "--json").json
