"""A folder that cannot be written: models in it are used, and nothing is written, in a sentence."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from random import Random

import transa
from torture.disk import NotAllowedError, mounted
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import SMALL, digest, full_model, furnish, judged, run, workshop


def phase(rng: Random, deadline: float) -> Outcomes:
    """Commands that read, and commands that would write, until the deadline."""
    outcomes = Outcomes()
    with workshop() as folder:
        try:
            with mounted(folder, "size=64m"):
                _work_there(rng, folder, deadline, outcomes)
        except NotAllowedError as reason:
            outcomes.remark = f"left out, for nothing can be mounted here: {reason}"
    return outcomes


def _work_there(rng: Random, folder: Path, deadline: float, outcomes: Outcomes) -> None:
    furnish(folder)
    stands = full_model(1)
    stands.save(folder / "model")
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    place, number = folder / "model", 0
    writes = (
        ("train", folder / "road.tsv", *SMALL, "--out", folder / "new"),
        ("train", folder / "road.tsv", *SMALL, "--out", place),
        ("fold-in", place, folder / "new.tsv", "--out", folder / "larger"),
        ("fold-in", place, folder / "new.tsv", "--out", place),
        ("export", place, "--out", folder / "vectors.tsv"),
        ("margins", place, "--entity", "t1", "--figure", folder / "figure.png"),
        ("classify", place, folder / "new.tsv", "--save"),
        ("predict", place, "--file", folder / "questions.tsv", "--out", folder / "x.parquet"),
        ("discover", place, "--out", folder / "x.tsv"),
        ("inspect", folder / "road.tsv", "--figure", folder / "figure.png"),
        ("prepare", folder / "road.tsv", "--out", folder / "prepared"),
        ("index", place),
        ("calibrate", place),
        ("card", place),
    )
    reads = (
        ("info", place),
        ("predict", place, "--head", "t1", "--relation", "near"),
        ("similar", place, "t1"),
        ("similar", place, "t1", "--index"),
        ("predict", place, "--file", folder / "questions.tsv"),
        ("discover", place),
        ("why", place, "t1", "near", "t9"),
        ("inspect", folder / "road.tsv"),
        ("evaluate", place),
    )
    while number < 1 or time.monotonic() < deadline:
        is_write = number % 3 < 2
        words = rng.choice(writes if is_write else reads)
        outcome = judged(run(*words), (2,) if is_write else (0,))
        if digest(transa.load(place)) != digest(stands):
            outcome = Outcome(Ending.LOST, f"{words}: the model is another")
        outcomes.add(outcome, f"read-only {number}")
        number += 1
