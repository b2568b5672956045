"""`python -m experiments` as its user meets it."""

from __future__ import annotations

import pytest

from experiments.__main__ import commands
from transa.cli.app import run


@pytest.fixture
def command(call_in_process):
    """Run `python -m experiments` with these arguments, in this process."""
    return call_in_process(lambda: run(commands, "python -m experiments"))


@pytest.fixture
def quick(command, triples, tmp_path):
    """Run an experiment on the road of `triples`, quickly."""

    def call(name, *options):
        out = ("--out", tmp_path / "records", "--threads", 1)
        return command(name, "--quick", "--graph", triples, *out, *options)

    return call


def test_an_experiment_ends_in_its_table(quick):
    done = quick("theorem1")
    assert done.code == 0
    assert "R_emp" in done.out
    assert "[4/4]" in done.err
    assert "Rough" in done.out
    assert "records/.pictures" in done.err.replace("\n", "")


def test_in_json(quick):
    done = quick("figure1", "--json")
    (record,) = done.json["records"]
    assert record["unit"]["experiment"] == "figure1"


def test_the_report(quick, command, tmp_path):
    quick("figure1")
    done = command("report", "--out", tmp_path / "records", "--docs", tmp_path / "docs")
    assert done.code == 0
    assert "Figure 1" in (tmp_path / "docs" / "results.md").read_text()
    assert "results.md" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("table2",), ("no experiment 'table2'", "table1")),
        (("table1", "--seeds", 0), ("--seeds is at least 1",)),
        (("table1", "--graph", "nowhere"), ("nowhere",)),
    ],
)
def test_wrong_use_is_one_sentence(command, tmp_path, arguments, words):
    assert command(*arguments, "--out", tmp_path).is_refused(*words)


def test_a_folder_in_the_way_is_one_sentence(command, tmp_path):
    (tmp_path / "file").write_text("")
    done = command("figure1", "--out", tmp_path / "file")
    assert done.is_refused("file: records cannot be written there")
