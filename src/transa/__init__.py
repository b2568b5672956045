"""Knowledge-graph embedding without a margin to tune: TransA and its kin.

Example:
    >>> import transa
    >>> model = transa.TransA(dim=30, epochs=20, threads=1).fit("countries")
    >>> best = model.predict_tails("France", "borders")[0]
    >>> best.label in model.graph_.entities
    True
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from transa import datasets, margins, models
    from transa.asking.predictions import Prediction, Predictions
    from transa.classification import make_negatives
    from transa.classification.verdicts import Verdict, Verdicts
    from transa.datasets.sources import load_graph
    from transa.errors import TransaError
    from transa.estimator import Estimator, TransA, TransE, load
    from transa.exchange.graphs import from_igraph, from_networkx
    from transa.exchange.pykeen import from_pykeen
    from transa.graph import Graph, Vocabulary
    from transa.graph.building.converting import from_frame, from_ids, from_labels
    from transa.graph.building.folds import TripleKFold
    from transa.graph.building.reading import read
    from transa.inspection import Inspection, inspect
    from transa.margins import Adaptive, Fixed
    from transa.models import Energy, FittedModel
    from transa.ranking import evaluate
    from transa.searching import SearchResult, search
    from transa.settings.config import Settings
    from transa.settings.recipe import Recipe
    from transa.training.callbacks import Callback

__all__ = [
    "Adaptive",
    "Callback",
    "Energy",
    "Estimator",
    "FittedModel",
    "Fixed",
    "Graph",
    "Inspection",
    "Prediction",
    "Predictions",
    "Recipe",
    "SearchResult",
    "Settings",
    "TransA",
    "TransE",
    "TransaError",
    "TripleKFold",
    "Verdict",
    "Verdicts",
    "Vocabulary",
    "__version__",
    "datasets",
    "evaluate",
    "from_frame",
    "from_ids",
    "from_igraph",
    "from_labels",
    "from_networkx",
    "from_pykeen",
    "inspect",
    "load",
    "load_graph",
    "make_negatives",
    "margins",
    "models",
    "read",
    "search",
]

# Loaded when first asked for, so that `import transa` and `transa --help` cost nothing.
_NAMES = {
    "asking.predictions": ("Prediction", "Predictions"),
    "classification": ("make_negatives",),
    "classification.verdicts": ("Verdict", "Verdicts"),
    "datasets.sources": ("load_graph",),
    "errors": ("TransaError",),
    "exchange.graphs": ("from_igraph", "from_networkx"),
    "exchange.pykeen": ("from_pykeen",),
    "estimator": ("Estimator", "TransA", "TransE", "load"),
    "graph": ("Graph", "Vocabulary"),
    "graph.building.converting": ("from_frame", "from_ids", "from_labels"),
    "graph.building.folds": ("TripleKFold",),
    "graph.building.reading": ("read",),
    "inspection": ("Inspection", "inspect"),
    "margins": ("Adaptive", "Fixed"),
    "models": ("Energy", "FittedModel"),
    "ranking": ("evaluate",),
    "searching": ("SearchResult", "search"),
    "settings.config": ("Settings",),
    "settings.recipe": ("Recipe",),
    "training.callbacks": ("Callback",),
}
_HOMES = {name: f"transa.{home}" for home, names in _NAMES.items() for name in names}

_ROOMS = (
    "asking", "classification", "datasets", "errors", "estimator", "exchange", "figures", "files",
    "graph", "inspection", "margins", "models", "prepared", "ranking", "searching", "settings",
    "storage", "tracking", "training",
)  # fmt: skip

# Modules of 0.1 that are called otherwise now.
_MOVED = {
    "answers": "transa.asking.answers",
    "config": "transa.settings.config",
    "evaluation": "transa.ranking",
    "export": "transa.storage.export",
    "judging": "transa.classification",
    "predictions": "transa.asking.predictions",
    "sources": "transa.datasets.sources",
    "store": "transa.storage.folder",
    "theory": "transa.margins.risk_bound",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name in _ROOMS:
        return importlib.import_module(f"transa.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _MOVED:
        warnings.warn(f"transa.{name} is {_MOVED[name]} now", DeprecationWarning, stacklevel=2)
        return importlib.import_module(_MOVED[name])
    raise AttributeError(f"module 'transa' has no attribute {name!r}")


def _version() -> str:
    """The version that is installed; the tag it was built from has named it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("transa")
    except PackageNotFoundError:  # run from a source tree that nobody installed
        return "0+unknown"


def __dir__() -> list[str]:
    return __all__
