"""The model folder: what is kept of a model, readable without this library, and never pickled.

    config.json             format version, settings, graph counts, how training went
    parameters.safetensors  the tables of the energy, float32
    entities.parquet        label and name; the row is the id
    relations.parquet       the same
    triples.parquet         head, relation, tail (ids) and split
    log.jsonl               one line an epoch
    classifier.json         thresholds and probabilities, if they were fitted
    checksums.json          sha256 of every other file

The graph is kept with the vectors, so that evaluation and prediction need the folder alone.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from transa import __version__
from transa.errors import StoreError, TransaError
from transa.files.damage import damage_told
from transa.files.forks import before_polars
from transa.files.paths import path_of
from transa.files.whole import settled, whole_folder
from transa.graph import Graph, Vocabulary
from transa.graph.known import SPLITS
from transa.models import MODELS, FittedModel
from transa.settings.config import Plain, Settings, make_settings, to_plain
from transa.storage.record import EpochReport, TrainingRecord
from transa.storage.tables import map_tables, write_tables

if TYPE_CHECKING:
    from transa.classification.classifier import Classifier

FORMAT = 2
"""Raised when a folder written from then on would be misread by an older version."""

_CONFIG, _CHECKSUMS = "config.json", "checksums.json"
_PARAMETERS, _LOG = "parameters.safetensors", "log.jsonl"
_ENTITIES, _RELATIONS, _TRIPLES = "entities.parquet", "relations.parquet", "triples.parquet"
_CLASSIFIER = "classifier.json"
_FILES = (_CONFIG, _PARAMETERS, _ENTITIES, _RELATIONS, _TRIPLES, _LOG)
# Of tables that are larger, the bytes are left to `inspect`: to read them would take longer than to
# ask, and more memory. That they are all there is checked all the same.
_READ_ON_LOAD = 64 << 20


@dataclass(frozen=True, eq=False)
class SavedModel:
    """What a model folder holds."""

    settings: Settings
    model: FittedModel
    training: TrainingRecord
    classifier: Classifier | None = None


def save(folder: Path, model: SavedModel) -> None:
    """Write a model folder, whole or not at all; a model that stood there is replaced.

    What someone else has put into that folder stays in it.

    Raises:
        StoreError: if something other than a model is in the way, or the disk refuses.
    """
    before_polars()
    with whole_folder(folder) as part:
        check_free(folder)
        graph = model.model.graph
        write_tables(part / _PARAMETERS, model.model.tables)
        _vocabulary_frame(graph.entities).write_parquet(part / _ENTITIES)
        _vocabulary_frame(graph.relations).write_parquet(part / _RELATIONS)
        _triples_frame(graph).write_parquet(part / _TRIPLES)
        lines = (json.dumps(asdict(report)) + "\n" for report in model.training.history)
        (part / _LOG).write_text("".join(lines), encoding="utf-8")
        _write_json(part / _CONFIG, _config(model))
        if model.classifier is not None:
            _write_json(part / _CLASSIFIER, model.classifier.to_plain(graph.relations))
        checksums = {file.name: _sha256(file) for file in sorted(part.iterdir())}
        _write_json(part / _CHECKSUMS, checksums)
        _carry_over(folder, part)


def load(folder: Path) -> SavedModel:
    """Read a model folder back; its tables stay in their file, and are read as they are needed.

    Raises:
        StoreError: if it is no model folder, of a newer format, incomplete or changed since.
    """
    before_polars()
    config = inspect(folder, _READ_ON_LOAD)
    folder = settled(folder)
    model = config.get("settings", {}).get("model")
    if model is not None and model not in MODELS:
        raise StoreError(
            f"{folder}: its model, {model!r}, is not registered; import the module that does so"
        )
    try:
        settings = settings_of(config)
        graph = _read_graph(folder, config["graph"]["name"])
        fitted = FittedModel(settings.energy, map_tables(folder / _PARAMETERS), graph)
        lines = (folder / _LOG).read_text(encoding="utf-8").splitlines()
        history = tuple(EpochReport(**json.loads(line)) for line in lines)
        told = config["training"]
        training = TrainingRecord(history, told["best_epoch"], told["stopped"])
        classifier = _read_classifier(folder, graph)
    except (TransaError, KeyError, TypeError, ValueError, OSError, pl.exceptions.PolarsError) as e:
        # The checksums agree, so whoever made the folder made it wrong.
        raise StoreError(f"{folder}: not a folder that transa wrote ({e})") from e
    return SavedModel(settings, fitted, training, classifier)


def inspect(folder: Path, largest: float = math.inf) -> Plain:
    """The contents of ``config.json``, once every file has been found to be as it was written.

    Args:
        folder: the model folder.
        largest: the tables are left unread where they fill more bytes.
    """
    place = settled(path_of(folder))
    config = _read_json(place / _CONFIG)
    if not _is_config(config):
        raise StoreError(f"{folder}: {_what_it_is(place)}")
    if config["format"] > FORMAT:
        raise StoreError(
            f"{folder}: format {config['format']}, written by transa {config['transa']}; this is "
            f"transa {__version__}, which reads up to format {FORMAT}: upgrade it"
        )
    _verify(folder, place, largest)
    return config


def has_thresholds(folder: Path) -> bool:
    """Whether thresholds were fitted and kept in this model folder."""
    return (settled(folder) / _CLASSIFIER).is_file()


def check_free(folder: Path) -> None:
    """Refuse a place where a model would overwrite something else. Training asks before it begins.

    Raises:
        StoreError: says what is there.
    """
    if path_of(folder).is_dir():
        if any(folder.iterdir()) and not _is_config(_read_json(folder / _CONFIG)):
            raise StoreError(f"{folder}: holds something other than a model; choose another folder")
    elif folder.exists():
        raise StoreError(f"{folder}: a file is there; choose another name for the model folder")


def _config(model: SavedModel) -> Plain:
    graph = model.model.graph
    return {
        "format": FORMAT,
        "transa": __version__,
        "settings": to_plain(model.settings),
        "graph": {
            "name": graph.name,
            "entities": graph.n_entities,
            "relations": graph.n_relations,
            **{split: len(graph.split(split)) for split in SPLITS},
        },
        "training": model.training.summary(),
    }


def settings_of(config: Plain) -> Settings:
    """The settings that a ``config.json`` tells, also of an older format."""
    settings = dict(config["settings"])
    if config["format"] < 2:
        # These stood beside the margin, and said nothing of a fixed one.
        moved = {name: settings.pop(name) for name in ("local", "halved_at") if name in settings}
        if settings["margin"]["kind"] == "adaptive":
            settings["margin"] |= moved
    if settings.get("engine") == "fused":
        # Once let pass, though it counted for nothing.
        settings.pop("batch", None)
    return make_settings(**settings)


def _is_config(content: Plain) -> bool:
    return "transa" in content and isinstance(content.get("format"), int)


def _what_it_is(folder: Path) -> str:
    if not folder.exists():
        return "no such folder"
    if not folder.is_dir():
        return "a file, not a model folder"
    return f"not a model folder (no readable {_CONFIG} in it)"


def _verify(folder: Path, place: Path, largest: float) -> None:
    checksums = _read_json(place / _CHECKSUMS)
    if not checksums:
        raise StoreError(f"{folder}: {_CHECKSUMS} is missing or damaged; the model is incomplete")
    for name in _FILES if _CLASSIFIER not in checksums else (*_FILES, _CLASSIFIER):
        if not (place / name).is_file():
            raise StoreError(f"{folder}: {name} is missing; the model is incomplete")
        if name == _PARAMETERS and (place / name).stat().st_size > largest:
            continue
        if checksums.get(name) != _sha256(place / name):
            raise StoreError(
                f"{folder}: {name} is not as it was written (its checksum differs); "
                "restore the folder or train again"
            )


def _carry_over(folder: Path, part: Path) -> None:
    """Copy what is not of the model."""
    folder, ours = settled(folder), {*_FILES, _CLASSIFIER, _CHECKSUMS}
    for other in folder.iterdir() if folder.is_dir() else ():
        if other.name in ours:
            continue
        if other.is_dir() and not other.is_symlink():
            shutil.copytree(other, part / other.name, symlinks=True)
        else:
            shutil.copy2(other, part / other.name, follow_symlinks=False)


def _vocabulary_frame(vocabulary: Vocabulary) -> pl.DataFrame:
    named = [] if vocabulary.names is None else [vocabulary.names]
    return pl.DataFrame([vocabulary.labels, *named])


def _read_vocabulary(kind: str, path: Path) -> Vocabulary:
    with damage_told(f"{path.name} is damaged", "train again"):
        frame = pl.read_parquet(path)
    names = frame["name"].to_list() if "name" in frame.columns else None
    return Vocabulary(kind, frame["label"], names)


def _triples_frame(graph: Graph) -> pl.DataFrame:
    sizes = [len(graph.split(split)) for split in SPLITS]
    splits = pl.Series("split", np.repeat(SPLITS, sizes), dtype=pl.Enum(SPLITS))
    head, relation, tail = graph.known.T
    return pl.DataFrame({"head": head, "relation": relation, "tail": tail, "split": splits})


def _read_graph(folder: Path, name: str) -> Graph:
    with damage_told(f"{_TRIPLES} is damaged", "train again"):
        frame = pl.read_parquet(folder / _TRIPLES)
    triples = frame.select("head", "relation", "tail").to_numpy()
    # As they were written, one split after the other.
    splits = frame["split"].cast(pl.Enum(SPLITS)).to_physical().to_numpy()
    train, valid, test = np.split(triples, np.searchsorted(splits, (1, 2)))
    return Graph(
        train=train,
        valid=valid,
        test=test,
        entities=_read_vocabulary("entity", folder / _ENTITIES),
        relations=_read_vocabulary("relation", folder / _RELATIONS),
        name=name,
    )


def _read_classifier(folder: Path, graph: Graph) -> Classifier | None:
    # Only what has a checksum was written here.
    if _CLASSIFIER not in _read_json(folder / _CHECKSUMS):
        return None
    from transa.classification.classifier import Classifier

    return Classifier.from_plain(_read_json(folder / _CLASSIFIER), graph.relations)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_json(path: Path) -> Plain:
    """The object in a file; an empty one if there is no such file or it holds something else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
