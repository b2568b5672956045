"""What a fixed seed gives on one thread, as hashes: vectors, ranks, margins, classification.

    python -m benchmarks.fingerprints                  # print, and compare with what is recorded
    python -m benchmarks.fingerprints --record         # record anew, once a change is understood

A change of shape must not change a bit. Where one does change, the commit says why it is better.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import transa
from transa.estimator import estimator_of
from transa.ranking.link_prediction import LinkPrediction
from transa.settings.config import make_settings

RECORD = Path(__file__).parent / "results" / "fingerprints.json"

MODELS = (
    "transa", "transe", "transh", "transr", "lmnn", "unstructured", "se", "sme-linear",
    "sme-bilinear", "lfm", "rescal", "slm", "ntn", "distmult", "complex", "rotate",
)  # fmt: skip
WITH_MARGINS = ("transa", "transe", "transh", "transr")


def works() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """A name, the graph, the model and its options."""
    short = {"epochs": 3, "validate_every": 1, "threads": 1, "seed": 7}
    for graph in ("kinship", "nations"):
        for model in MODELS:
            dim = {} if model == "transr" else {"dim": 20}
            yield f"{graph} {model}", graph, model, short | dim
    for loss in ("hinge", "softplus", "logistic"):
        for optimiser in ("sgd", "adagrad", "adam"):
            for constraint in ("sphere", "ball", "none"):
                options = {"loss": loss, "optimiser": optimiser, "constraint": constraint}
                name = f"kinship transa {loss} {optimiser} {constraint}"
                yield name, "kinship", "transa", short | options | {"dim": 16, "lr": 0.01}
    for norm in ("l1", "l2", "l2sq"):
        yield f"nations transh {norm}", "nations", "transh", short | {"dim": 16, "norm": norm}
    for reading in ("pairs", "spheres", "active"):
        margin = transa.Adaptive(reading=reading, local=1.0, mu_halved_after=2.0)
        yield f"kinship {reading}", "kinship", "transa", short | {"dim": 20, "margin": margin}
    sampled = {"sampling": "bernoulli", "same_position": 0.3, "stop_on": "mr", "average": False}
    yield "kinship bernoulli", "kinship", "transe", short | sampled | {"dim": 20}
    dropped = {"dropout": 0.2, "stop_on": "accuracy", "engine": "autograd"}
    yield "kinship dropout", "kinship", "transe", short | dropped | {"dim": 20}
    als = {"optimiser": "als", "dim": 20}
    yield "kinship als", "kinship", "rescal", short | als
    yield "codex-s transa", "codex-s", "transa", short
    yield "codex-s complex", "codex-s", "complex", short | {"dim": 32}


def _figures(evaluated: LinkPrediction) -> dict[str, Any]:
    """All of it but the name of the protocol, which was not told when the hashes were made."""
    figures = evaluated.to_dict()
    del figures["link_prediction"]["protocol"]
    return figures


def fingerprint(graph: str, model: str, options: dict[str, Any]) -> dict[str, str]:
    """Train, and hash what comes of it."""
    # Every setting is named, so that none is chosen by the size of the graph.
    fitted = estimator_of(make_settings(model, **options)).fit(graph)
    tables = fitted.parameters_
    fitted.fit_thresholds()
    found = {
        "vectors": _hash(*(np.ascontiguousarray(tables[name]) for name in sorted(tables))),
        "ranks": _hash(_figures(fitted.evaluate(threads=1))),
        "classification": _hash(fitted.evaluate_classification().to_dict()),
        "history": _hash([[e.loss, e.mean_margin, e.validation, e.best] for e in fitted.history_]),
    }
    if model in WITH_MARGINS:
        margins = fitted.margins()
        columns = (margins[name].to_numpy() for name in ("head_anchored", "tail_anchored"))
        found["margins"] = _hash(*columns)
    return found


def _hash(*parts: object) -> str:
    digest = hashlib.sha256()
    for part in parts:
        is_array = isinstance(part, np.ndarray)
        digest.update(part.tobytes() if is_array else json.dumps(part, sort_keys=True).encode())
    return digest.hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", default="", help="works whose name has this in it")
    parser.add_argument("--file", type=Path, default=RECORD)
    asked = parser.parse_args()
    known = json.loads(asked.file.read_text()) if asked.file.exists() else {}
    found, differing = {}, 0
    for name, graph, model, options in works():
        if asked.only not in name:
            continue
        found[name] = fingerprint(graph, model, options)
        before = known.get(name, {})
        parts = [part for part, value in found[name].items() if before.get(part) != value]
        differing += bool(parts)
        print(f"{name:36} {'as recorded' if not parts else 'differs: ' + ', '.join(parts)}")
    if asked.record:
        asked.file.write_text(json.dumps(known | found, indent=1, sort_keys=True) + "\n")
    return 1 if differing and not asked.record else 0


if __name__ == "__main__":
    sys.exit(main())
