"""kill -9 at any moment of whatever writes.

That is training, in memory and in partitions, a save, a fold-in, `prepare`, answering a file of
questions, `index` and `calibrate`. After each kill what had been saved is still there, and work
that is taken up again until its end has made what it makes undisturbed, to the bit.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Protocol

import polars as pl

import transa
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import TRANSA, a_moment, digest, killed, model, prepared, run, timed, workshop
from transa.prepared.record import check_files, read_record

_SAVES = """
import sys, transa
one, other = map(transa.load, sys.argv[1:3])
print("ready", flush=True)
while True:
    one.save(sys.argv[3])
    other.save(sys.argv[3])
"""


def phase(rng: Random, deadline: float) -> Outcomes:
    """Storms over each of them in turn, until the deadline."""
    outcomes = Outcomes()
    with workshop() as folder:
        storms: dict[str, Storm] = {}
        number = 0
        while number < 1 or time.monotonic() < deadline:
            name = list(_STORMS)[number % len(_STORMS)]
            if name not in storms:
                storms[name] = _STORMS[name](folder)
            for outcome in storms[name].once(rng):
                outcomes.add(outcome, f"kill {number}, {name}")
            number += 1
    return outcomes


class Storm(Protocol):
    """Work that is killed again and again."""

    def once(self, rng: Random) -> list[Outcome]:
        """Kill it, and see."""


class _Training:
    """A run that is killed and resumed a few times, and then comes to its end."""

    def __init__(self, folder: Path, checkpoint: str, options: list[object]) -> None:
        self._folder, self._out = folder, folder / f"trained-{checkpoint}"
        self._checkpoint = self._work / checkpoint
        # Looks at validation, each of which leaves a checkpoint.
        self._options = [*options, "--dim", "8", "--quiet", "--threads", "1", "--epochs", "20"]
        self._options += ["--patience", "0", "--validate-every", "5"]
        whole = folder / f"undisturbed-{checkpoint}"
        self._seconds = timed("train", *self._options, "--out", whole)
        self._expected = digest(transa.load(whole))

    def once(self, rng: Random) -> list[Outcome]:
        outcomes = []
        for _ in range(rng.randint(1, 4)):
            if killed(self._command(), a_moment(rng, 1.2 * self._seconds)):
                outcomes.append(self._after_a_kill())
            if self._out.exists():
                break
        if not self._out.exists():
            done = subprocess.run(self._command(), capture_output=True, text=True, check=False)
            if done.returncode:
                return [*outcomes, Outcome(Ending.LOST, f"cannot go on: {done.stderr[-600:]}")]
        same = digest(transa.load(self._out)) == self._expected
        ending = Ending.SURVIVED if same else Ending.LOST
        _remove(self._out)
        _remove(self._work)
        return [*outcomes, Outcome(ending, "a resumed run has learnt something else")]

    @property
    def _work(self) -> Path:
        return self._out.with_name(f"{self._out.name}.training")

    def _command(self) -> list[str]:
        resume = ["--resume"] if self._checkpoint.exists() else []
        return [*TRANSA, "train", *map(str, self._options), "--out", str(self._out), *resume]

    def _after_a_kill(self) -> Outcome:
        if self._out.exists():
            return _is_one_of(self._out, {self._expected})
        return Outcome(Ending.SURVIVED)


class _Saving:
    """Two models saved to one folder by turns, until the kill."""

    def __init__(self, folder: Path) -> None:
        self._places = [folder / "one", folder / "other", folder / "saved"]
        models = [model(seed) for seed in (1, 2)]
        for one, place in zip((*models, models[0]), self._places, strict=True):
            one.save(place)
        self._model, self._digests = models[0], {digest(one) for one in models}

    def once(self, rng: Random) -> list[Outcome]:
        command = [sys.executable, "-c", _SAVES, *map(str, self._places)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(a_moment(rng, 0.2))
            process.kill()
        saved = self._places[-1]
        found = _is_one_of(saved, self._digests)
        self._model.save(saved)
        left = [path.name for path in saved.parent.glob(".*") if ".saved." in path.name]
        if left:
            return [Outcome(Ending.CRASHED, f"the next save leaves {left}")]
        return [found]


class _Again:
    """A command that is simply given again, where its result is yet missing or stands already."""

    def __init__(
        self, folder: Path, out: str, look: Callable[[Path], str], words: list[object]
    ) -> None:
        self._out, self._words, self._look = folder / out, words, look
        self._seconds = timed(*words)
        self._expected = look(self._out)

    def once(self, rng: Random) -> list[Outcome]:
        if self._words[0] not in _IN_PLACE and rng.random() < 0.5:
            _remove(self._out)
        stood = self._out.exists()
        killed([*TRANSA, *map(str, self._words)], a_moment(rng, self._seconds))
        first = Outcome(Ending.SURVIVED)
        if stood or self._out.exists():
            first = self._looked()
        done = run(*self._words)
        if done.returncode:
            return [first, Outcome(Ending.LOST, f"not again: {done.stderr[-600:]}")]
        left = [path.name for path in self._out.parent.glob(f".{self._out.name}.*")]
        if left or self._out.with_name(f"{self._out.name}.preparing").exists():
            return [first, Outcome(Ending.CRASHED, f"{self._words}: left behind: {left}")]
        return [first, self._looked()]

    def _looked(self) -> Outcome:
        try:
            found = self._look(self._out)
        except (transa.TransaError, OSError, pl.exceptions.PolarsError) as error:
            return Outcome(Ending.LOST, f"{self._words}: {error}")
        ending = Ending.SURVIVED if found == self._expected else Ending.LOST
        return Outcome(ending, f"{self._words}: it is another")


# What these commands change was there before, and has to be there after.
_IN_PLACE = ("index", "calibrate")


def _digest_of(folder: Path) -> str:
    return digest(transa.load(folder))


def _graph_of(folder: Path) -> str:
    return str(check_files(folder) or read_record(folder).sums)


def _training(folder: Path) -> Storm:
    source = [folder / "road.tsv", "--split", "0.8,0.1,0.1", "--engine", "autograd"]
    return _Training(folder, "checkpoint.safetensors", source)


def _training_in_partitions(folder: Path) -> Storm:
    return _Training(folder, "partitions", [prepared(folder)])


def _folding_in(folder: Path) -> Storm:
    model(3).save(folder / "small")
    words = ["fold-in", folder / "small", folder / "new.tsv", "--out", folder / "larger"]
    words += ["--overwrite"]
    return _Again(folder, "larger", _digest_of, words)


def _preparing(folder: Path) -> Storm:
    told = ["--partitions", "5", "--held-out", "20", "--out", folder / "graph"]
    return _Again(folder, "graph", _graph_of, ["prepare", folder / "road.tsv", *told])


def _answering(folder: Path) -> Storm:
    model(4).save(folder / "asked")
    told = ["--file", folder / "questions.tsv", "--out", folder / "answers.parquet"]

    def look(path: Path) -> str:
        return str(pl.read_parquet(path).hash_rows().sum())

    return _Again(folder, "answers.parquet", look, ["predict", folder / "asked", *told])


def _indexing(folder: Path) -> Storm:
    model(5).save(folder / "indexed")
    return _Again(folder, "indexed", _digest_of, ["index", folder / "indexed"])


def _calibrating(folder: Path) -> Storm:
    model(6).save(folder / "calibrated")
    return _Again(folder, "calibrated", _digest_of, ["calibrate", folder / "calibrated"])


_STORMS: dict[str, Callable[[Path], Storm]] = {
    "a save": _Saving,
    "fold-in": _folding_in,
    "training": _training,
    "prepare": _preparing,
    "training in partitions": _training_in_partitions,
    "predict --file": _answering,
    "index": _indexing,
    "calibrate": _calibrating,
}


def _is_one_of(folder: Path, digests: set[str]) -> Outcome:
    try:
        found = digest(transa.load(folder))
    except transa.TransaError as error:
        return Outcome(Ending.LOST, str(error))
    return Outcome(Ending.SURVIVED if found in digests else Ending.LOST, "another model")


def _remove(path: Path) -> None:
    if path.is_file():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)
