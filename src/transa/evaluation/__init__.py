"""Link prediction: ranks of true entities among all; triple classification: true or false."""

from transa.evaluation.classification import TripleClassification
from transa.evaluation.corruption import Negatives, make_negatives
from transa.evaluation.known import KnownIndex
from transa.evaluation.labelled import LabelledTriples, labelled_split
from transa.evaluation.link_prediction import LinkPrediction, evaluate
from transa.evaluation.metrics import Metrics, quick_metrics
from transa.evaluation.ranking import Ranks, Ties, rank
from transa.evaluation.report import link_prediction_table, relation_table

__all__ = [
    "KnownIndex",
    "LabelledTriples",
    "LinkPrediction",
    "Metrics",
    "Negatives",
    "Ranks",
    "Ties",
    "TripleClassification",
    "evaluate",
    "labelled_split",
    "link_prediction_table",
    "make_negatives",
    "quick_metrics",
    "rank",
    "relation_table",
]
