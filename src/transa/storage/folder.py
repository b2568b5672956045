"""The model folder: what is kept of a model, readable without this library, and never pickled.

    config.json             format version, settings, graph counts, how training went
    parameters.safetensors  the tables of the energy, float32
    entities.parquet        label and name; the row is the id
    relations.parquet       the same
    triples.parquet         head, relation, tail (ids) and split
    log.jsonl               one line an epoch
    classifier.json         thresholds and their probabilities, if they were fitted
    probabilities.json      how probable answers are, if the graph has validation triples
    neighbours.safetensors  the links of an index, if one was asked for
    checksums.json          sha256 of every other file

Of a graph in partitions, there is a folder `graph` (see `transa.prepared.prepare`) in the place of
the three Parquet files.

The graph is kept with the vectors, so that evaluation and prediction need the folder alone.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from transa import __version__
from transa.declarations import shown
from transa.errors import ConfigError, StoreError, TransaError
from transa.files.forks import before_polars
from transa.files.paths import path_of
from transa.files.schema import Between, conform, parse, read_text
from transa.files.whole import settled, whole_folder
from transa.graph import Vocabulary
from transa.models import MODELS, FittedModel
from transa.prepared.graph import PreparedGraph
from transa.prepared.record import RECORD, check_files, is_prepared
from transa.settings.config import Plain, Settings, make_settings, to_plain
from transa.storage.checking import (
    CHECKSUMS,
    PARAMETERS,
    is_sha256,
    read_json,
    verify,
    verify_file,
)
from transa.storage.checking import sha256 as _sha256
from transa.storage.graph_files import (
    ENTITIES,
    PREPARED,
    RELATIONS,
    TRIPLES,
    Counts,
    read_graph,
    write_graph,
)
from transa.storage.places import CONFIG, check_free, is_config
from transa.storage.probabilities import NAME as PROBABILITIES
from transa.storage.probabilities import probabilities_of, reliability_of
from transa.storage.probabilities import to_plain as plain_probabilities
from transa.storage.record import EpochReport, Summary, TrainingRecord, recorded
from transa.storage.tables import map_tables, write_tables

if TYPE_CHECKING:
    from transa.asking.neighbours.index import NeighbourIndex
    from transa.asking.probability.curves import Place, Probabilities, Reliability
    from transa.classification.classifier import Classifier

FORMAT = 3
"""Raised when a folder written from then on would be misread by an older version."""

_LOG = "log.jsonl"
_CLASSIFIER, _NEIGHBOURS = "classifier.json", "neighbours.safetensors"
# What a folder may have and need not.
_FITTED = (_CLASSIFIER, PROBABILITIES)
_FILES = (CONFIG, PARAMETERS, ENTITIES, RELATIONS, TRIPLES, _LOG)
CARD = "README.md"
"""What tells people of the model, if `transa card` wrote one."""
CARD_MARK = "<!-- Written by transa card; a model that is saved anew goes without. -->"
FILES = (*_FILES, *_FITTED, _NEIGHBOURS, CHECKSUMS, CARD, f"{PREPARED}/*")
"""All that may be in a model folder, as patterns."""
# Of tables that are larger, the bytes are left to `inspect`: to read them would take longer than to
# ask, and more memory. That they are all there is checked all the same.
_READ_ON_LOAD = 64 << 20
# A folder that is replaced while it is read is read anew, so often.
_TRIES = 5


@dataclass(frozen=True)
class _Settings:
    model: str
    margin: Plain


@dataclass(frozen=True)
class _Config:
    """What ``config.json`` tells; its settings are for `settings_of`."""

    format: Annotated[int, Between(1, FORMAT)]
    transa: str
    settings: _Settings
    graph: Counts
    training: Summary


@dataclass(frozen=True, eq=False)
class SavedModel:
    """What a model folder holds."""

    settings: Settings
    model: FittedModel
    training: TrainingRecord
    classifier: Classifier | None = None
    probabilities: Probabilities | None = None
    neighbours: NeighbourIndex | None = None


def save(folder: Path, model: SavedModel, *, overwrite: bool = True) -> None:
    """Write a model folder, whole or not at all; what someone else has put into it stays there.

    Args:
        folder: where.
        model: what.
        overwrite: whether a finished model that is there is to be replaced.

    Raises:
        StoreError: if something other than a model is in the way, or the disk refuses.
    """
    before_polars()
    with whole_folder(folder) as part:
        check_free(folder, overwrite=overwrite)
        graph = model.model.graph
        write_tables(part / PARAMETERS, model.model.tables)
        write_graph(part, graph)
        lines = (json.dumps(asdict(report)) + "\n" for report in model.training.history)
        (part / _LOG).write_text("".join(lines), encoding="utf-8")
        _write_json(part / CONFIG, _config(model))
        if model.classifier is not None:
            _write_json(part / _CLASSIFIER, model.classifier.to_plain(graph.relations))
        if model.probabilities is not None:
            _write_json(
                part / PROBABILITIES, plain_probabilities(model.probabilities, graph.relations)
            )
        if model.neighbours is not None:
            from transa.storage.neighbours import write_index

            write_index(part / _NEIGHBOURS, model.neighbours)
        written = (*_needed(part), *_FITTED, _NEIGHBOURS)
        checksums = {n: _sha256(part / n) for n in sorted(written) if (part / n).exists()}
        _write_json(part / CHECKSUMS, checksums)
        _carry_over(folder, part)


def load(folder: Path, sha256: str | None = None, *, index: bool = False) -> SavedModel:
    """Read a model folder back; its tables stay in their file, and are read as they are needed.

    Args:
        folder: the model folder.
        sha256: what `sha256_of` gave; the folder is read to its last byte and must be that one.
        index: also read the index of neighbours, which has to be there.

    Raises:
        StoreError: if it is no model folder, of a newer format, incomplete or changed since, or if
            its files contradict each other.
    """
    before_polars()
    for _ in range(_TRIES):
        found = version_of(folder)
        try:
            model = _load(folder, sha256, index)
        except StoreError:
            if version_of(folder) == found:
                raise
        else:
            if version_of(folder) == found:
                return model
    raise StoreError(f"{folder}: replaced again and again while it was read; try once more")


def version_of(folder: Path) -> tuple[int, int] | None:
    """What changes when a save puts another folder in the place of this one."""
    try:
        found = (settled(path_of(folder)) / CHECKSUMS).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _load(folder: Path, sha256: str | None, index: bool) -> SavedModel:
    """Read a model folder that nobody replaces meanwhile."""
    if sha256 is not None and not is_sha256(sha256):
        raise ConfigError(f"sha256 is what `transa info` prints; found {shown(sha256)}")
    if sha256 is not None and sha256_of(folder) != sha256:
        raise StoreError(f"{folder}: not the folder that the sha256 is of; get it anew")
    config = inspect(folder, _READ_ON_LOAD if sha256 is None else math.inf)
    place = settled(folder)
    told: _Config = conform(_Config, config, CONFIG)
    if told.settings.model not in MODELS:
        raise StoreError(
            f"{folder}: its model, {shown(told.settings.model)}, is not registered; import the "
            "module that does so"
        )
    try:
        settings = settings_of(config)
        graph = read_graph(place, told.graph)
        tables = map_tables(place / PARAMETERS, _READ_ON_LOAD)
        fitted = FittedModel(settings.energy, tables, graph)
        lines = read_text(place / _LOG).splitlines()
        reports = (conform(EpochReport, parse(line), _LOG) for line in lines)
        training = recorded(tuple(reports), told.training)
        classifier = _read_classifier(place, graph.relations)
        probabilities = _read_probabilities(place, graph.relations)
    except (TransaError, ValueError, OSError) as error:
        # The checksums agree, so whoever made the folder made it wrong.
        raise _made_wrong(folder, error) from error
    neighbours = _read_neighbours(folder, place, fitted) if index else None
    return SavedModel(settings, fitted, training, classifier, probabilities, neighbours)


def inspect(folder: Path, largest: float = math.inf) -> Plain:
    """The contents of ``config.json``, once every file has been found to be as it was written.

    Args:
        folder: the model folder.
        largest: the tables are left unread where they fill more bytes.
    """
    place = settled(path_of(folder))
    config = read_json(place / CONFIG)
    if not is_config(config):
        raise StoreError(f"{folder}: {_what_it_is(place)}")
    if config["format"] > FORMAT:
        raise StoreError(
            f"{folder}: format {shown(config['format'])}, written by transa "
            f"{config['transa']!s:.60}; this is transa {__version__}, which reads up to format "
            f"{FORMAT}: upgrade it"
        )
    every = _FITTED if largest < math.inf else (*_FITTED, _NEIGHBOURS)
    verify(folder, place, _needed(place), every, largest)
    if is_prepared(place / PREPARED) and largest == math.inf:
        check_files(place / PREPARED)
    try:
        conform(_Config, config, CONFIG)
    except StoreError as error:
        raise _made_wrong(folder, error) from error
    return config


def _needed(place: Path) -> tuple[str, ...]:
    """The files that a model folder must have; of a prepared graph its record has the others."""
    if is_prepared(place / PREPARED):
        return CONFIG, PARAMETERS, f"{PREPARED}/{RECORD}", _LOG
    return _FILES


def sha256_of(folder: Path) -> str:
    """What a model folder can be pinned by: the sha256 of its checksums, hence of all its files."""
    path = settled(path_of(folder)) / CHECKSUMS
    try:
        return _sha256(path)
    except (OSError, StoreError):
        raise StoreError(f"{folder}: {_what_it_is(folder, CHECKSUMS)}") from None


def files_in(folder: Path) -> list[str]:
    """The files of the model, by name; not what else is in its folder."""
    place = settled(folder)
    patterns = FILES if is_prepared(place / PREPARED) else FILES[:-1]
    files = (file for pattern in patterns for file in sorted(place.glob(pattern)))
    return [file.relative_to(place).as_posix() for file in files if file.is_file()]


def has_thresholds(folder: Path) -> bool:
    """Whether thresholds were fitted and kept in this model folder."""
    return (settled(folder) / _CLASSIFIER).is_file()


def reliability(folder: Path) -> dict[Place, Reliability] | None:
    """How far the probabilities of a model folder can be trusted; None where it has none."""
    place = settled(folder)
    if PROBABILITIES not in read_json(place / CHECKSUMS):
        return None
    return reliability_of(read_json(place / PROBABILITIES))


def _config(model: SavedModel) -> Plain:
    return {
        # What older versions can read, they are to read.
        "format": FORMAT if isinstance(model.model.graph, PreparedGraph) else 2,
        "transa": __version__,
        "settings": to_plain(model.settings),
        "graph": asdict(Counts.of(model.model.graph)),
        "training": model.training.summary(),
    }


def settings_of(config: Plain) -> Settings:
    """The settings that a ``config.json`` tells, also of an older format.

    Raises:
        StoreError: if there are none such.
    """
    settings = dict(config["settings"])
    if config["format"] < 2:
        # These stood beside the margin, and said nothing of a fixed one.
        moved = {name: settings.pop(name) for name in ("local", "halved_at") if name in settings}
        if settings["margin"].get("kind") == "adaptive":
            settings["margin"] = {**settings["margin"], **moved}
    if settings.get("engine") == "fused":
        # Once let pass, though it counted for nothing.
        settings.pop("batch", None)
    try:
        return make_settings(**settings)
    except ConfigError as error:
        raise StoreError(f"{CONFIG}: {error}") from error


def _what_it_is(folder: Path, wanted: str = CONFIG) -> str:
    if not folder.exists():
        return "no such folder"
    if not folder.is_dir():
        return "a file, not a model folder"
    return f"not a model folder (no readable {wanted} in it)"


def _made_wrong(folder: Path, error: Exception) -> StoreError:
    reason = " ".join(str(error).split())
    reason = reason if len(reason) <= 300 else f"{reason[:300]}..."
    return StoreError(f"{folder}: not a folder that transa wrote ({reason})")


def _carry_over(folder: Path, part: Path) -> None:
    """Copy what is not of the model."""
    folder, ours = settled(folder), {*_FILES, *_FITTED, _NEIGHBOURS, CHECKSUMS}
    if is_prepared(folder / PREPARED):
        ours.add(PREPARED)
    for other in folder.iterdir() if folder.is_dir() else ():
        if other.name in ours or (other.name == CARD and _is_card(other)):
            continue
        if other.is_dir() and not other.is_symlink():
            shutil.copytree(other, part / other.name, symlinks=True)
        else:
            shutil.copy2(other, part / other.name, follow_symlinks=False)


def _is_card(path: Path) -> bool:
    """Whether it tells of the model that is being replaced, and would be wrong of the next."""
    return path.is_file() and CARD_MARK in path.read_text(encoding="utf-8", errors="replace")


def _read_classifier(folder: Path, relations: Vocabulary) -> Classifier | None:
    # Only what has a checksum was written here.
    if _CLASSIFIER not in read_json(folder / CHECKSUMS):
        return None
    from transa.storage.judging import classifier_of

    return classifier_of(read_json(folder / _CLASSIFIER), relations)


def _read_probabilities(folder: Path, relations: Vocabulary) -> Probabilities | None:
    # Folders from before there were any have none.
    if PROBABILITIES not in read_json(folder / CHECKSUMS):
        return None
    return probabilities_of(read_json(folder / PROBABILITIES), relations)


def _read_neighbours(folder: Path, place: Path, model: FittedModel) -> NeighbourIndex:
    from transa.storage.neighbours import read_index

    checksum = read_json(place / CHECKSUMS).get(_NEIGHBOURS)
    if checksum is None:
        raise ConfigError(f"{folder}: it has no index; `transa index` makes one")
    verify_file(folder, place / _NEIGHBOURS, checksum)
    try:
        return read_index(place / _NEIGHBOURS, model)
    except StoreError as error:
        raise _made_wrong(folder, error) from error


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
