"""The two tasks of the paper: link prediction and triple classification."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.running.unit import Task
from transa.ranking import Metrics, rank
from transa.settings.config import Plain

if TYPE_CHECKING:
    from transa.classification.classifier import ThresholdKind, UnseenEntities
    from transa.estimator import Estimator
    from transa.graph import Graph
    from transa.graph import Triples as Ids


@dataclass(frozen=True)
class Links(Task):
    """Ranks of the true entities among all, both sides.

    Attributes:
        sample: validation triples that are ranked at most, the same for every unit: enough to
            choose by. The test split is ranked whole.
    """

    sample: int = 5000

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:
        """Filtered and raw figures; the filtered mean rank, MRR and Hits@10 on top."""
        ranks = rank(model.model_, self._of(model.graph_, split), threads=threads)
        filtered = Metrics.of(ranks.filtered.ranks()).to_dict()
        raw = Metrics.of(ranks.raw.ranks()).to_dict()
        top = {"mr": filtered["mr"], "mrr": filtered["mrr"], "hits@10": filtered["hits@10"]}
        return {**top, "raw mr": raw["mr"], "filtered": filtered, "raw": raw}

    def _of(self, graph: Graph, split: str) -> Ids:
        triples = graph.split(split)
        if split == "test" or len(triples) <= self.sample:
            return triples
        drawn = np.random.default_rng(0).choice(len(triples), self.sample, replace=False)
        chosen: Ids = triples[np.sort(drawn)]
        return chosen


@dataclass(frozen=True)
class Judging:
    """A way to judge with a trained model; by default the protocol of Socher et al. 2013.

    Attributes:
        thresholds: one a relation, or local ones.
        unseen: the treatment of entities that training never had.
    """

    thresholds: ThresholdKind = "relation"
    unseen: UnseenEntities = "none"


@dataclass(frozen=True)
class Triples(Task):
    """True or false? Thresholds are fitted on the validation split, whichever split is judged.

    Attributes:
        ways: to judge with the one model.
        seed: of the false triples, where they have to be made.
    """

    ways: tuple[Judging, ...] = (Judging(),)
    seed: int = 0

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:  # noqa: ARG002
        """What each way comes to; the accuracy of the first on top."""
        found = [self._judged(model, split, way) for way in self.ways]
        return {"accuracy": found[0]["accuracy"], "ways": found}

    def _judged(self, model: Estimator, split: str, way: Judging) -> Plain:
        model.fit_thresholds(thresholds=way.thresholds, unseen=way.unseen, seed=self.seed)
        found = model.evaluate_classification(split, seed=self.seed)
        told: Plain = found.to_dict()["triple_classification"]
        kept = ("accuracy", "roc_auc", "count", "unanswered", "negatives", "by_entities")
        return {**asdict(way), **{name: told[name] for name in kept if name in told}}
