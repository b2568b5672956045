"""The command line, with every option and any value, by the grammar or against it.

A command ends with 0, 2, 130 or 141, and with a sentence where it refuses; in this process, since
to start one takes longer than to use it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from typer.main import get_command

import transa
from torture.children import run_on_all_cores
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import SMALL, full_model, furnish, prepared
from transa.cli import output
from transa.cli.app import app, run

_A_CHILD = 1000
_CODES = (0, 2, 130, 141)
_WORDS = (
    *("", " ", "x", "0", "1", "2", "-1", "3.5", "nan", "inf", "1e999", "99999999999999999999"),
    *("t0", "t1", "near", "linked", "model", "road.tsv", "new.tsv", "nowhere", ".", "/", "a\0b"),
    *("questions.tsv", "prepared", "out.parquet", "out.jsonl", "a/b", "hf://a/b", "t1@x", "4GB"),
    *("a" * 5000, "\udc80", "é", "[b]", "--", "-", "-k", "--help", "--json", "--quiet", "@x"),
    *("valid", "test", "train", "tsv", "parquet", "word2vec", "0.8,0.1,0.1", "0,1,2", "a=b"),
    *(
        "head",
        "tab",
        ",",
        "out.png",
        "out.txt",
        "true",
        "drop",
        "l1",
        "l2",
        "adaptive",
        "--version",
    ),
)
# What would take long, or reach for the network, is left to other tests.
_KEPT = {"engine": ("autograd", "x", ""), "epochs": ("1", "2", "0", "-1", "x", "1e999")}
_KEPT |= {"negatives": ("1", "2", "0", "x", "99999999999999999999"), "loss": ("hinge", "x")}
_KEPT |= {"config": ("nowhere", ".", "road.tsv"), "batch": ("1", "9", "0", "x")}
_KEPT |= {"margin": ("1", "0", "adaptive", "x"), "rounds": ("1", "2", "-1", "x")}
_SENSIBLE: dict[str, tuple[str, ...]] = {
    "folder": ("model", "model", "model-in-partitions"),
    "source": ("road.tsv", "road.tsv", "prepared"),
    "graph": ("road.tsv", "prepared"),
    "file": ("new.tsv", "questions.tsv"),
    "repo": ("a/b", "a/b@c"),
    "out": ("out.tsv", "out.parquet", "out.jsonl", "out.png"),
    "partitions": ("1", "3"),
    **dict.fromkeys(("entity", "name", "head", "tail"), ("t1", "t2")),
    "relation": ("near", "linked"),
}
# An address that is not ours, so that a server that is told to serve does not.
_NOT_OURS = ["--host", "203.0.113.1"]


def phase(rng: Random, deadline: float) -> Outcomes:
    """Call commands until the deadline."""
    return run_on_all_cores("torture.commands", rng, deadline, per_child=_A_CHILD)


def inputs(rng: Random) -> Iterator[list[str]]:
    """Argument lists without end."""
    while True:
        words = _random(rng) if rng.random() < 0.2 else _by_grammar(rng)
        if words[0] == "serve":
            words += _NOT_OURS
        # No name of a graph that would be downloaded.
        yield [word.replace("\0", "") for word in words]


def try_one(one: list[str], folder: Path) -> Outcome:
    """Call `transa` with these."""
    get_ready(folder)
    # Answers to a file of questions are written as bytes.
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    sys.argv = ["transa", *one]
    # Consoles remember the width and the stream they were made for.
    output.results.cache_clear()
    output.notes.cache_clear()
    code: object = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        return Outcome(Ending.CRASHED, f"{one!r:.300}: {traceback.format_exc()[-600:]}")
    said = err.getvalue()
    if code not in _CODES or "Traceback" in said:
        return Outcome(Ending.CRASHED, f"{one!r:.300}: {code}, {said[-300:]}")
    if code == 2:
        # Without a command the answer is the help.
        last = said.strip().splitlines()[-1] if said.strip() else ""
        out.seek(0)
        fine = last.startswith("transa: ") or (not said and "Usage" in out.read())
        return Outcome(Ending.REFUSED if fine else Ending.CRASHED, f"{one!r:.300}: {said[-300:]}")
    return Outcome(Ending.SURVIVED)


def get_ready(folder: Path) -> None:
    """Have in this folder whatever the words can mean; what a command has spoilt, anew."""
    os.chdir(folder)
    os.environ["TRANSA_DATA"] = str(folder / "no-graphs")
    # Nothing listens there, and a model on the hub is asked for at once in vain.
    os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    if not (folder / "road.tsv").is_file() or not (folder / "questions.tsv").is_file():
        furnish(folder)
    for name in ("model", "model-in-partitions", "prepared"):
        # By the file that is written last.
        last = "prepared.json" if name == "prepared" else "checksums.json"
        if not (folder / name / last).exists():
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(_made() / name, folder / name)


@cache
def _made() -> Path:
    place = Path(tempfile.mkdtemp(prefix="torture-"))
    furnish(place)
    full_model().save(place / "model")
    small = {"dim": 4, "epochs": 1, "threads": 1, "negatives": 1}
    model_in_partitions = transa.Estimator("transe", **small).fit(prepared(place))
    model_in_partitions.fit_thresholds().fit_probabilities().save(place / "model-in-partitions")
    return place


def _random(rng: Random) -> list[str]:
    names = [*_commands(), "x", ""]
    return [rng.choice(names), *rng.choices(_WORDS, k=rng.randrange(6))]


def _by_grammar(rng: Random) -> list[str]:
    # `demo` trains for seconds and is always the same.
    name = rng.choice([name for name in _commands() if name != "demo"])
    words = [name]
    for kind, names in _commands()[name]:
        if kind == "argument":
            if rng.random() < 0.95:
                words.append(_value(rng, names[0]))
        elif rng.random() < (0.08 if name == "train" else 0.3):
            words.append(rng.choice(names))
            if kind == "option":
                words.append(_value(rng, names[0].lstrip("-").replace("-", "_")))
    if name == "predict" and rng.random() < 0.5:
        words += ["--file", "questions.tsv"]
    if name == "train":
        place = rng.choice(("out-a", "out-b", "model", "road.tsv", "."))
        words = [words[0], *SMALL, "--quiet", "--out", place, *words[1:]]
    return words


def _value(rng: Random, name: str) -> str:
    if name in _SENSIBLE and rng.random() < 0.85:
        return rng.choice(_SENSIBLE[name])
    return rng.choice(_KEPT.get(name, _WORDS))


@cache
def _commands() -> dict[str, list[tuple[str, list[str]]]]:
    """Of every command its parameters: an argument, an option with a value, or a flag."""
    group: Any = get_command(app)
    found = {}
    for name, command in group.commands.items():
        with command.make_context(name, [], resilient_parsing=True) as context:
            parameters = command.get_params(context)
        found[name] = [
            (
                "argument"
                if each.param_type_name == "argument"
                else "flag"
                if each.is_flag
                else "option",
                [str(each.name)]
                if each.param_type_name == "argument"
                else [*each.opts, *each.secondary_opts],
            )
            for each in parameters
        ]
    return found
