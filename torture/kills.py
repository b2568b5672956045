"""kill -9 at any moment of a training run, a save and a fold-in.

After each kill what had been saved is still there, and a run that is resumed until it comes to its
end has learnt what one has that nobody disturbed, to the bit.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import transa
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import TRANSA, a_moment, digest, killed, model, run, timed, workshop

_SAVES = """
import sys, transa
one, other = map(transa.load, sys.argv[1:3])
print("ready", flush=True)
while True:
    one.save(sys.argv[3])
    other.save(sys.argv[3])
"""


def phase(rng: Random, deadline: float) -> Outcomes:
    """Storms over each of the three in turn, until the deadline."""
    outcomes = Outcomes()
    with workshop() as folder:
        kinds, storms, number = (_Saving, _FoldingIn, _Training), {}, 0
        while number < 1 or time.monotonic() < deadline:
            kind = kinds[number % len(kinds)]
            storm = storms[kind] = storms.get(kind) or kind(folder)
            for outcome in storm.once(rng):
                outcomes.add(outcome, f"kill {number}, {type(storm).__name__}")
            number += 1
    return outcomes


class _Training:
    """A run that is killed and resumed a few times, and then comes to its end."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._out = folder, folder / "trained"
        # Looks at validation, each of which leaves a checkpoint.
        self._options = [folder / "road.tsv", "--split", "0.8,0.1,0.1", "--dim", "8", "--quiet"]
        self._options += ["--threads", "1", "--epochs", "20", "--patience", "0"]
        self._options += ["--validate-every", "5", "--engine", "autograd"]
        self._seconds = timed("train", *self._options, "--out", folder / "undisturbed")
        self._expected = digest(transa.load(folder / "undisturbed"))

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
        return self._out.with_name("trained.training")

    def _command(self) -> list[str]:
        resume = ["--resume"] if (self._work / "checkpoint.safetensors").exists() else []
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


class _FoldingIn:
    """Entities added to a model, into a folder that is new or holds a larger model already."""

    def __init__(self, folder: Path) -> None:
        model(3).save(folder / "small")
        self._out = folder / "larger"
        self._words = ["fold-in", folder / "small", folder / "new.tsv", "--out", self._out]
        self._seconds = timed(*self._words)
        self._expected = digest(transa.load(self._out))

    def once(self, rng: Random) -> list[Outcome]:
        if rng.random() < 0.5:
            _remove(self._out)
        stood = self._out.exists()
        killed([*TRANSA, *map(str, self._words)], a_moment(rng, self._seconds))
        if stood or self._out.exists():
            first = _is_one_of(self._out, {self._expected})
        else:
            first = Outcome(Ending.SURVIVED)
        done = run(*self._words)
        if done.returncode:
            return [first, Outcome(Ending.LOST, f"not again: {done.stderr[-600:]}")]
        return [first, _is_one_of(self._out, {self._expected})]


def _is_one_of(folder: Path, digests: set[str]) -> Outcome:
    try:
        found = digest(transa.load(folder))
    except transa.TransaError as error:
        return Outcome(Ending.LOST, str(error))
    return Outcome(Ending.SURVIVED if found in digests else Ending.LOST, "another model")


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
