"""Link prediction: the ranks of true entities among all."""

from transa.ranking.link_prediction import LinkPrediction, evaluate
from transa.ranking.metrics import Metrics, quick_metrics
from transa.ranking.ranks import Ties, rank
from transa.ranking.report import link_prediction_table, relation_table

__all__ = [
    "LinkPrediction",
    "Metrics",
    "Ties",
    "evaluate",
    "link_prediction_table",
    "quick_metrics",
    "rank",
    "relation_table",
]
