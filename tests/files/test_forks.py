"""What a forked process can do: everything but wait for Polars' threads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

# In a process of its own: pytest's has used Polars long since.
PARENT = """
import multiprocessing, sys, transa

def work(_):
    try:
        return transa.datasets.load("countries").n_relations
    except transa.TransaError as error:
        return str(error)

if {used}:
    transa.datasets.load("countries")
with multiprocessing.get_context({way!r}).Pool(1) as pool:
    print(pool.map_async(work, [0]).get(30)[0])
"""


def told(*, used: bool, way: str) -> str:
    """What a worker says that reads a graph."""
    code = PARENT.format(used=used, way=way)
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_graph_is_refused_in_the_child_of_one_that_has_read_some():
    assert "get_context('spawn')" in told(used=True, way="fork")


def test_a_child_that_was_forked_before_reads_graphs():
    assert told(used=False, way="fork").strip().isdigit()


# What a parent has used, each with threads: the kernels' pool, PyTorch, BLAS.
FITS = """
import multiprocessing, numpy as np, transa

graph = transa.datasets.load("countries")
common = dict(dim=8, epochs=1, validate_every=0)
works = {
    "fused": dict(model="transe", threads=2),
    "autograd": dict(model="transe", engine="autograd", threads=2),
    "softmax": dict(model="distmult", loss="softmax", threads=2),
    "als": dict(model="rescal", optimiser="als", threads=2),
}

def work(name):
    model = transa.Estimator(**works[name], **common).fit(graph)
    model.evaluate(threads=2)
    return len(model.predict_tails("France", "borders"))

here = {name: work(name) for name in works}
for name, expected in here.items():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(work, [name]).get(60)[0] == expected, name
print("all")
"""


def test_every_engine_fits_in_a_child_on_a_graph_of_its_parent():
    command = [sys.executable, "-W", "ignore", "-c", FITS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "all\n", done.stderr
