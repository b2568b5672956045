"""PyKEEN to a given mean rank: TransE, self-adversarial loss (Sun et al. 2019), Adam."""

from __future__ import annotations

import time

import torch
from pykeen.losses import NSSALoss
from pykeen.models import TransE
from pykeen.training import SLCWATrainingLoop, TrainingCallback

from benchmarks.contestants.pykeen import factory_of
from benchmarks.machine import THREADS
from benchmarks.works.time_to_quality import (
    DIM,
    LOOK_EVERY,
    NEGATIVES,
    RADIUS,
    TARGET,
    TEMPERATURE,
    WORTH_A_TEST,
)
from transa import datasets
from transa.models import FittedModel, TransEEnergy
from transa.ranking import evaluate
from transa.settings.recipe import Recipe
from transa.training.validation import Validator

BATCH, RATE = 1024, 0.01


class _Referee(TrainingCallback):
    """Looks at the vectors every few epochs, off the clock."""

    def __init__(self, began: float, limit: float) -> None:
        super().__init__()
        self.graph, self.energy = datasets.load("fb15k"), TransEEnergy(DIM)
        recipe = Recipe(validate_every=LOOK_EVERY, stop_on="mr", threads=THREADS)
        self._validator = Validator.of(self.energy, recipe, self.graph, THREADS)
        self._began, self._limit, self._looking = began, limit, 0.0
        self.found: dict[str, float] = {"test": 0.0, "validation": 0.0}

    def post_epoch(self, epoch: int, epoch_loss: float, **_: object) -> None:  # noqa: ARG002
        now = time.perf_counter()
        clock = now - self._began - self._looking
        late = clock > self._limit
        if epoch % LOOK_EVERY == 0 or late:
            self._look()
            self._looking += time.perf_counter() - now
        reached = 0 < self.found["test"] <= TARGET
        if reached or late:
            self.found |= {"clock": clock, "epochs": epoch, "reached": reached}
            self.training_loop._should_stop = True  # as PyKEEN's own early stopping does

    def _look(self) -> None:
        tables = {
            "entity": self.model.entity_representations[0],
            "relation": self.model.relation_representations[0],
        }
        vectors = {name: table().detach().numpy() for name, table in tables.items()}
        self.found["validation"] = self._validator.measure(vectors)
        if self.found["validation"] <= WORTH_A_TEST:
            model = FittedModel(self.energy, vectors, self.graph)
            found = evaluate(model, threads=THREADS)
            self.found["test"] = found.filtered.mr


def reach(began: float, limit: float) -> dict[str, float]:
    """Train until a filtered mean rank of TARGET on the test split, or until time is up."""
    torch.set_num_threads(THREADS)
    referee = _Referee(began, limit)
    factory = factory_of(referee.graph, referee.graph.train)
    model = TransE(
        triples_factory=factory,
        embedding_dim=DIM,
        scoring_fct_norm=1,
        entity_constrainer=None,
        loss=NSSALoss(margin=RADIUS, adversarial_temperature=TEMPERATURE),
        random_seed=0,
    )
    loop = SLCWATrainingLoop(
        model=model,
        triples_factory=factory,
        optimizer=torch.optim.Adam(model.parameters(), lr=RATE),
        negative_sampler_kwargs={"num_negs_per_pos": NEGATIVES},
    )
    loop.train(
        triples_factory=factory,
        num_epochs=10_000,
        batch_size=BATCH,
        use_tqdm=False,
        use_tqdm_batch=False,
        callbacks=referee,
    )
    return referee.found
