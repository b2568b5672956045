"""Ctrl-C and kill, for real: a process of its own, signals from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

PROGRAM = """
import signal
import sys
from pathlib import Path
# Whoever runs the tests may be under nohup.
signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv[3] == "nohup" else signal.SIG_DFL)
import numpy as np
from transa.graph import Graph, Vocabulary
from transa.models import TransEEnergy
from transa.training import loop
from transa.settings.recipe import Recipe

folder, epochs, resume = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "resume"
loop.SAVE_EVERY = 0.05
rng = np.random.default_rng(0)
train = rng.integers(0, [300, 5, 300], (3000, 3))
graph = Graph(train, Vocabulary("entity", [str(i) for i in range(300)]),
              Vocabulary("relation", list("abcde")))
recipe = Recipe(epochs=epochs, threads=1)
trained = loop.train(
    TransEEnergy(32), recipe, graph, checkpoint=folder / "checkpoint", resume=resume,
    report=lambda line: print(line.epoch, flush=True))
print(trained.stopped, len(trained.history), flush=True)
np.save(folder / f"{sys.argv[3]}.npy", trained.parameters["entity"])
"""


def start(folder, epochs, mode):
    command = [sys.executable, "-c", PROGRAM, str(folder), str(epochs), mode]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


def finish(folder, epochs, mode):
    process = start(folder, epochs, mode)
    output, _ = process.communicate()
    assert process.returncode == 0
    return output.splitlines()[-1].split()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_run_that_was_stopped_goes_on_as_if_it_never_was(tmp_path, number):
    process = start(tmp_path, 100_000, "first")
    for line in process.stdout:
        if int(line) >= 20 and (tmp_path / "checkpoint").exists():
            time.sleep(0.1)
            process.send_signal(number)
            break
    rest, said = (text.splitlines() for text in process.communicate())
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert process.returncode == 0
        assert rest[-1].split()[0] == "interrupted"
        assert said == ["stopping once the work in hand is saved; press again to stop immediately"]
        assert list(tmp_path.glob(".*")) == []
    epochs = 5 + max(int(line.split()[0]) for line in rest[:-1] or ["20"])
    assert finish(tmp_path, epochs, "resume") == ["finished", str(epochs)]
    (tmp_path / "checkpoint").unlink()
    assert finish(tmp_path, epochs, "whole") == ["finished", str(epochs)]
    np.testing.assert_array_equal(np.load(tmp_path / "resume.npy"), np.load(tmp_path / "whole.npy"))


def test_under_nohup_a_closed_terminal_stops_nothing(tmp_path):
    process = start(tmp_path, 100_000, "nohup")
    hung_up_at = None
    for line in process.stdout:
        epoch = int(line)
        if hung_up_at is None and epoch >= 5:
            process.send_signal(signal.SIGHUP)
            hung_up_at = epoch
        if hung_up_at is not None and epoch > hung_up_at + 20:
            break
    else:
        pytest.fail("it stopped")
    process.terminate()
    rest, _ = process.communicate()
    assert rest.splitlines()[-1].split()[0] == "interrupted"


COMPILING = """
import os, signal, sys, threading, time
import transa
from transa.kernels.jit import compiling

def stop_it():
    while not compiling():
        time.sleep(0.001)
    print("compiling", flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))

threading.Thread(target=stop_it, daemon=True).start()
rows = [(f"e{i}", "r", f"e{i + 1}") for i in range(99)]
transa.TransE(dim=4, epochs=1, threads=1).fit(transa.from_labels(rows, split=None))
print("learnt")
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_while_nothing_is_learnt_and_kernels_are_compiled_a_signal_ends_it_at_once(tmp_path, name):
    """To compile may take half a minute, and there is nothing to keep."""
    environment = {**os.environ, "TRANSA_CACHE": str(tmp_path)}
    words = [sys.executable, "-c", COMPILING, name]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout == "compiling\n"
    if name == "SIGTERM":
        assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
    else:
        assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert list(tmp_path.rglob("*.nbc")) == []
