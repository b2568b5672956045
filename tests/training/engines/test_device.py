"""Training on another device than the CPU: every model, by every loss and engine that has one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from transa import Fixed
from transa.models import MODELS
from transa.settings.config import make_settings
from transa.training.loop import Run

from .pretended import GPU, PretendedGPU

COMMON = {"dim": 4, "epochs": 2, "batch": 8, "negatives": 3, "threads": 1, "validate_every": 0}
LOSSES = ("hinge", "softplus", "logistic", "listwise")
RUNS = [(name, {"loss": loss, "margin": Fixed(1.0)}) for name in MODELS for loss in LOSSES]
RUNS += [
    (name, {"loss": "softmax", "margin": Fixed(0.0)})
    for name, entry in MODELS.items()
    if entry.energy().by_products
]
RUNS += [
    ("rescal", {"optimiser": "als", "constraint": "none"}),
    ("transe", {"loss": "logistic", "optimiser": "adam", "constraint": "sphere"}),
    ("distmult", {"loss": "softmax", "margin": Fixed(0.0), "dropout": 0.25}),
    ("ntn", {"loss": "hinge", "optimiser": "sgd", "dropout": 0.25}),
    ("transa", {"loss": "logistic", "margin": "adaptive"}),
    ("transe", {"loss": "listwise", "reciprocal": True}),
]


@pytest.fixture
def gpu(monkeypatch):
    """A GPU, as far as PyTorch tells the engines."""
    generator = torch.Generator
    monkeypatch.setattr(torch, "Generator", lambda device: generator("cpu"))
    with PretendedGPU() as pretended:
        yield pretended


def made(name, options, **where):
    own = {"margin": "adaptive"} if name == "transa" else {}
    return make_settings(name, **{**COMMON, **options, **own, **where})


@pytest.mark.parametrize(("name", "options"), RUNS, ids=lambda value: str(value)[:60])
def test_training_there_gives_what_training_here_gives(name, options, atlas, gpu):
    here, there = made(name, options, engine="autograd"), made(name, options, device="cuda")
    runs = [Run(each.energy, each.recipe, atlas, None) for each in (here, there)]
    assert gpu.moved > 0
    for run in runs:
        for _ in range(2):
            report = run.one_epoch()
            assert np.isfinite(report.loss)
        run.engine.synchronise()
    expected, found = (run.parameters for run in runs)
    initial = Run(here.energy, here.recipe, atlas, None).parameters
    for table in expected:
        np.testing.assert_allclose(found[table], expected[table], rtol=1e-5, atol=1e-6)
    assert any(not np.array_equal(found[table], initial[table]) for table in found)


def test_the_pretended_device_catches_what_a_real_one_would(gpu):
    there = torch.ones(2).to(GPU)
    assert there.device == GPU
    for mixed in (lambda: there + torch.ones(2), lambda: there.index_select(0, torch.tensor([0]))):
        with pytest.raises(RuntimeError, match="on the CPU and on the GPU"):
            mixed()
    with pytest.raises(TypeError, match="NumPy"):
        there.numpy()
    assert (there + torch.zeros(2, device=GPU)).device == GPU
    assert there.cpu().numpy().tolist() == [1, 1]
