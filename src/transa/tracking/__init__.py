"""A run as others record it: each tracker is a callback that tells a library what happened."""

from transa.tracking.mlflow import MLflow
from transa.tracking.named import TRACKERS, tracker
from transa.tracking.tensorboard import TensorBoard
from transa.tracking.wandb import WeightsAndBiases

__all__ = ["TRACKERS", "MLflow", "TensorBoard", "WeightsAndBiases", "tracker"]
