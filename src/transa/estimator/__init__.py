"""The estimators: hyper-parameters in, `fit`, then questions by name."""

from transa.estimator.base import Estimator
from transa.estimator.named import ESTIMATORS, TransA, TransE, estimator_of, load

__all__ = ["ESTIMATORS", "Estimator", "TransA", "TransE", "estimator_of", "load"]
