"""Trackers by name, as the command line has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from transa.errors import ConfigError, one_of
from transa.tracking.mlflow import MLflow
from transa.tracking.reporting import Tracker
from transa.tracking.tensorboard import TensorBoard
from transa.tracking.wandb import WeightsAndBiases

TRACKERS: Mapping[str, Callable[..., Tracker]] = {
    "tensorboard": TensorBoard,
    "mlflow": MLflow,
    "wandb": WeightsAndBiases,
}
"""Each with what is given first: a folder, a server, a project."""


def tracker(text: str) -> Tracker:
    """The tracker that is written as ``name`` or ``name=where``."""
    name, equals, where = text.partition("=")
    one_of("a tracker", name, list(TRACKERS))
    if equals and not where:
        raise ConfigError(f"--track takes a name, or a name and a place such as {name}=runs")
    return TRACKERS[name](where) if where else TRACKERS[name]()
