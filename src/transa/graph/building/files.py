"""Where a graph's files are: one file, three, or a folder of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from transa.errors import InputError
from transa.files.paths import exists, path_of
from transa.graph.building.neo4j import is_neo4j_mixture, neo4j_files
from transa.graph.readers.content import COMPRESSION_SUFFIXES
from transa.graph.readers.formats import data_stem

PathLike: TypeAlias = str | os.PathLike[str]

_STEMS = {
    "train": ("train",),
    "valid": ("valid", "validation", "val", "dev"),
    "test": ("test",),
}
_NOT_TRIPLES = ("readme", "license", "licence", "entity_names", "relation_names")


@dataclass(frozen=True)
class GraphFiles:
    """The files that make a graph."""

    name: str
    train: Path
    valid: Path | None = None
    test: Path | None = None
    entity_names: Path | None = None
    relation_names: Path | None = None
    more: tuple[Path, ...] = ()
    """Further files of train, as Neo4j exports one for each type of relationship."""
    nodes: tuple[Path, ...] = ()
    """Files that say what nodes are called."""


def find_files(path: PathLike, valid: PathLike | None, test: PathLike | None) -> GraphFiles:
    """The files that `read`'s arguments mean."""
    start = path_of(path)
    if not exists(start):
        raise InputError(f"{str(start)[:200]}: no such file or folder")
    if start.is_dir():
        if valid is not None or test is not None:
            raise InputError(f"{start} is a folder; with valid or test given, give the train file")
        return _in_folder(start)
    mixed = valid is None and test is None and is_neo4j_mixture(start)
    return GraphFiles(
        nodes=(start,) if mixed else (),
        name=data_stem(start) or start.name,
        train=start,
        valid=None if valid is None else path_of(valid),
        test=None if test is None else path_of(test),
    )


def _in_folder(folder: Path) -> GraphFiles:
    stems = {
        file: stem.casefold()
        for file in sorted(folder.iterdir())
        if file.is_file() and not file.name.startswith(".") and (stem := data_stem(file))
    }
    train, valid, test = (
        _the_one(folder, [file for file, stem in stems.items() if stem in names])
        for names in _STEMS.values()
    )
    if train is None and valid is None and test is None:
        relationships, nodes = neo4j_files(list(stems))
        if relationships:
            first, *more = relationships
            name = folder.resolve().name
            return GraphFiles(name=name, train=first, more=tuple(more), nodes=tuple(nodes))
    return GraphFiles(
        name=folder.resolve().name,
        train=train or _the_only_data_file(folder, stems),
        valid=valid,
        test=test,
        entity_names=_names_file(folder, "entity_names"),
        relation_names=_names_file(folder, "relation_names"),
    )


def _the_one(folder: Path, files: list[Path]) -> Path | None:
    if len(files) > 1:
        raise InputError(
            f"{folder} holds {_listed(files)}, expected one of them; "
            f"remove the others or give the files themselves"
        )
    return files[0] if files else None


def _the_only_data_file(folder: Path, stems: dict[Path, str]) -> Path:
    files = [file for file, stem in stems.items() if file.suffix and stem not in _NOT_TRIPLES]
    held_out = [file for file in files if stems[file] in (*_STEMS["valid"], *_STEMS["test"])]
    if len(files) == 1 and not held_out:
        return files[0]
    found = _listed(files) if files else "no file of triples"
    raise InputError(
        f"{folder} holds {found}; expected train, valid and test files "
        f"(such as train.tsv or train.txt.gz), or a single file of triples"
    )


def _names_file(folder: Path, stem: str) -> Path | None:
    candidates = (folder / f"{stem}.tsv{suffix}" for suffix in ("", *COMPRESSION_SUFFIXES))
    return next((file for file in candidates if file.is_file()), None)


def _listed(files: list[Path]) -> str:
    shown = ", ".join(file.name for file in files[:5])
    return f"{shown}, ..." if len(files) > 5 else shown
