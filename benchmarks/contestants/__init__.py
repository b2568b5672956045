"""Those who do the work: this library and its peers, each used as its documentation tells.

A contestant is a module with a NAME, the BATCHES (training) and RANKING_BATCHES that are tried, and
the functions `train(task, batch, triples)`, `ranker(task, batch)` and `check_ranks(task, found,
triples)`.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from types import ModuleType

_PEERS = {"pykeen": "PyKEEN", "torchkge": "TorchKGE"}


def load(package: str) -> ModuleType:
    """The contestant that uses this package; ImportError if it is not installed."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    return importlib.import_module(f"benchmarks.contestants.{package}")


def peers() -> tuple[list[ModuleType], tuple[str, ...]]:
    """The peers that are installed, and a sentence on each that is not."""
    found, sentences = [], []
    for package, name in _PEERS.items():
        try:
            found.append(load(package))
        except ImportError as error:
            sentences.append(f"{name} takes no part: it cannot be imported here ({error}).")
    return found, tuple(sentences)
