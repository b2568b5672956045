"""What the engines on PyTorch leave behind in the process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from transa.margins import Fixed
from transa.models.rescal import RESCALEnergy
from transa.settings.recipe import Recipe
from transa.training.engines.torch_engine import torch_threads
from transa.training.loop import train

RECIPE = Recipe(epochs=2, threads=1, margin=Fixed(1.0))


@pytest.fixture(autouse=True)
def two_threads():
    """A number that is neither that of the runs nor, on a machine of one core, what is usual."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def count_of_a_new_thread():
    with ThreadPoolExecutor(1) as fresh:
        return fresh.submit(torch.get_num_threads).result()


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "autograd"},
        {"loss": "softmax", "margin": Fixed(0.0)},
        {"optimiser": "als", "constraint": "none"},
    ],
)
def test_training_leaves_the_threads_of_torch_alone(grid, options):
    train(RESCALEnergy(4), replace(RECIPE, **options), grid)
    assert torch.get_num_threads() == 2


def test_threads_that_train_at_once_leave_the_count_as_it_was(grid):
    recipe = replace(RECIPE, engine="autograd")
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(train, RESCALEnergy(4), recipe, grid) for _ in range(4)]
        for job in jobs:
            job.result()
        assert set(pool.map(lambda _: torch.get_num_threads(), range(4))) == {2}
    assert torch.get_num_threads() == count_of_a_new_thread() == 2


def test_who_comes_while_another_trains_puts_back_what_was_before_both():
    first, second = torch_threads(1), torch_threads(3)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        one.submit(first.__enter__).result()
        other.submit(second.__enter__).result()
        assert one.submit(torch.get_num_threads).result() == 1
        assert other.submit(torch.get_num_threads).result() == 3
        one.submit(first.__exit__, None, None, None).result()
        other.submit(second.__exit__, None, None, None).result()
        assert {pool.submit(torch.get_num_threads).result() for pool in (one, other)} == {2}
    assert torch.get_num_threads() == count_of_a_new_thread() == 2
