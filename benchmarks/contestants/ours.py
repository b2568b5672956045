"""This library."""

from __future__ import annotations

import time
from dataclasses import replace

from benchmarks.tasks import MARGIN, RATE, RankingTask, TrainingPass, TrainingTask
from transa.margins import Fixed
from transa.models import TransEEnergy
from transa.ranking import evaluate
from transa.settings.recipe import Recipe
from transa.training.loop import Run

NAME = "transa"

HINGE = Recipe(
    loss="hinge",
    margin=Fixed(MARGIN),
    adversarial=0.0,
    optimiser="sgd",
    lr=RATE,
    constraint="none",
    average=False,
    epochs=1_000_000,
    validate_every=0,
)


class Trainer:
    """Epochs of one task, from fresh vectors as often as wished."""

    def __init__(self, task: TrainingTask, recipe: Recipe = HINGE) -> None:
        self._task = task
        recipe = replace(recipe, negatives=task.negatives, threads=task.threads)
        self.run = Run(TransEEnergy(task.dim, task.norm), recipe, task.graph, checkpoint=None)
        self._fresh = {name: table.copy() for name, table in self.run.parameters.items()}
        self.run.one_epoch()  # compiles

    def restart(self) -> None:
        """Forget what was learnt."""
        for name, table in self._fresh.items():
            self.run.parameters[name][...] = table

    def train(self, epochs: int = 2) -> TrainingPass:
        """Some epochs from fresh vectors, all of them timed.

        A hinge that is satisfied costs less, and the first epochs have the fewest of those.
        """
        self.restart()
        began = time.perf_counter()
        losses = tuple(self.run.one_epoch().loss for _ in range(epochs))
        seconds = time.perf_counter() - began
        return TrainingPass(epochs * len(self._task.graph.train) / seconds, losses)


def rank_all(task: RankingTask) -> None:
    """Rank the whole test split: raw ranks and all breakdowns included."""
    evaluate(task.model, threads=task.threads)
