"""Link prediction: ranks of true entities among all, and what they come to."""

from transa.evaluation.known import KnownIndex
from transa.evaluation.link_prediction import LinkPrediction, evaluate
from transa.evaluation.metrics import Metrics, quick_metrics
from transa.evaluation.ranking import Ranks, Ties, rank
from transa.evaluation.report import link_prediction_table, relation_table

__all__ = [
    "KnownIndex",
    "LinkPrediction",
    "Metrics",
    "Ranks",
    "Ties",
    "evaluate",
    "link_prediction_table",
    "quick_metrics",
    "rank",
    "relation_table",
]
