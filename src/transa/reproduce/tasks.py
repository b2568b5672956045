"""The two tasks of the paper: link prediction and triple classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from transa.config import Plain
from transa.reproduce.unit import Task

if TYPE_CHECKING:
    from transa.estimator import Estimator
    from transa.evaluation.classifier import Unseen


@dataclass(frozen=True)
class Links(Task):
    """Ranks of the true entities among all, both sides."""

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:
        """Filtered and raw figures; the filtered mean rank, MRR and Hits@10 on top."""
        found = model.evaluate(split, threads=threads)
        filtered, raw = found.filtered.to_dict(), found.raw.to_dict()
        top = {"mr": filtered["mr"], "mrr": filtered["mrr"], "hits@10": filtered["hits@10"]}
        return {**top, "raw mr": raw["mr"], "filtered": filtered, "raw": raw}


@dataclass(frozen=True)
class Triples(Task):
    """True or false? Thresholds are fitted on the validation split, whichever split is judged.

    Attributes:
        unseen: the treatment of entities that training never had.
        seed: of the false triples, where they have to be made.
    """

    unseen: Unseen = "none"
    seed: int = 0

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:  # noqa: ARG002
        """Accuracy, and what stands beside it in a report."""
        model.fit_thresholds(unseen=self.unseen, seed=self.seed)
        found = model.evaluate_classification(split, seed=self.seed)
        told: Plain = found.to_dict()["triple_classification"]
        kept = ("accuracy", "roc_auc", "count", "unanswered", "negatives", "by_entities")
        return {name: told[name] for name in kept if name in told}
