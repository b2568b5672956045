"""Checkpoints: one safetensors file, replaced atomically: a kill leaves the last good one."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.errors import StoreError
from transa.files.whole import save_tensors, whole_file
from transa.graph import Graph
from transa.models.energy import Energy
from transa.settings.recipe import Recipe

FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """Where a run stands: its arrays and everything else, which is JSON."""

    arrays: dict[str, NDArray[np.float32]]
    progress: dict[str, Any]


def fingerprint(energy: Energy, recipe: Recipe, graph: Graph) -> str:
    """What must be the same for a run to go on: all but how long and on how many threads.

    How long as well where the rate falls: with another end it would have fallen otherwise.
    """
    epochs = 1 if recipe.lr_decay == "none" else recipe.epochs
    lasting = replace(recipe, epochs=epochs, threads=0)
    settings = [energy.name, asdict(energy), type(recipe.margin).__name__, asdict(lasting)]
    counts = [graph.n_entities, graph.n_relations]
    digest = hashlib.sha256(json.dumps([settings, counts], sort_keys=True).encode())
    for part in (graph.train, graph.valid):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def save(path: Path, checkpoint: Checkpoint, owner: str) -> None:
    """Replace the checkpoint at `path`."""
    metadata = {
        "format": str(FORMAT),
        "fingerprint": owner,
        "progress": json.dumps(checkpoint.progress),
    }
    with whole_file(path) as part:
        save_tensors(checkpoint.arrays, part, metadata)


def load(path: Path, owner: str) -> Checkpoint:
    """Read a checkpoint that a run with the same settings left."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        raise StoreError(f"there is no checkpoint at {path}; train without --resume to begin one")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        progress = json.loads(metadata["progress"])
    except (SafetensorError, KeyError, ValueError, OSError, struct.error) as error:
        raise StoreError(
            f"the checkpoint {path} is damaged ({error}); train without --resume to begin anew"
        ) from error
    if int(metadata.get("format", 0)) > FORMAT:
        raise StoreError(f"the checkpoint {path} was written by a newer transa; upgrade to go on")
    if metadata.get("fingerprint") != owner:
        raise StoreError(
            f"the checkpoint {path} is of another run: its graph, model or recipe differ; "
            "give the same options, or train without --resume"
        )
    return Checkpoint(arrays, progress)
