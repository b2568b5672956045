"""Model folders from a stranger: altered in every way, with checksums that fit.

Loading one gives a model that can be asked, or a `StoreError` of one line, soon.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import transa
from torture.children import run_on_all_cores
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import full_model, furnish, prepared
from transa.errors import StoreError
from transa.files.arrays import sum_of
from transa.storage.checking import sha256

_SILENCE = 20.0
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, -5, 2, 10**9, 10**19, 10**400, 0.5, 1e308, -0.0),
    *(float("nan"), float("inf"), "", "x", "1", "transe", "adaptive", "\0", "\ud800", "a" * 5000),
    *([], [1], [[]], {}, {"kind": "fixed"}, {"a": {}}),
)
_JSON = ("config.json", "classifier.json", "probabilities.json", "log.jsonl", "checksums.json")
_TABLES = ("entities.parquet", "relations.parquet", "triples.parquet")
_TENSORS = ("parameters.safetensors", "neighbours.safetensors")
_FILES = (*_JSON, *_TABLES, *_TENSORS)
# Of a graph in partitions.
_PREPARED = ("prepared.json", "entities.parquet", "relations.parquet", "held_out.parquet")


def phase(rng: Random, deadline: float) -> Outcomes:
    """Load folders until the deadline."""
    return run_on_all_cores("torture.folders", rng, deadline, silence=_SILENCE)


def inputs(rng: Random) -> Iterator[int]:
    """Seeds: a case is what its own generator does to the folder."""
    while True:
        yield rng.getrandbits(48)


def try_one(one: int, folder: Path) -> Outcome:
    """Alter a folder, and load it."""
    rng, place = Random(one), folder / "model"
    in_partitions = rng.random() < 0.2
    shutil.copytree(_good(in_partitions), place)
    files = [f"graph/{name}" for name in _PREPARED] if in_partitions else _FILES
    told = [_alter(rng, place, rng.choice(files)) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
    if rng.random() < 0.95:
        _recompute(place)
    try:
        _ask(transa.load(place, index=(place / _TENSORS[1]).exists()))
    except StoreError as error:
        if "\n" in str(error) or len(str(error)) > 2000:
            return Outcome(Ending.CRASHED, f"{told}: no sentence: {str(error)[:500]}")
        return Outcome(Ending.REFUSED)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return Outcome(Ending.CRASHED, f"{told}: {traceback.format_exc()[-600:]}")
    finally:
        shutil.rmtree(place)
    return Outcome(Ending.SURVIVED)


def _ask(loaded: transa.Estimator) -> None:
    """What is asked of every model; it must bear what its folder told."""
    head, relation = loaded.graph_.entities.label(0), loaded.graph_.relations.label(0)
    loaded.predict_tails(head, relation, k=3)
    loaded.similar(head, k=3)
    loaded.score_samples([(head, relation, head)])
    if loaded.learnt_.classifier is not None:
        loaded.classify([(head, relation, head)])


def get_ready(_: Path) -> None:
    """Have the good folders made before the first case."""
    for in_partitions in (False, True):
        _ask(transa.load(_good(in_partitions)))


@cache
def _good(in_partitions: bool) -> Path:
    """A folder with all that one can have."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    if in_partitions:
        furnish(folder)
        small = {"dim": 4, "epochs": 1, "threads": 1, "negatives": 1}
        transa.Estimator("transe", **small).fit(prepared(folder)).save(folder / "model")
    else:
        full_model().save(folder / "model")
    return folder / "model"


def _alter(rng: Random, place: Path, name: str) -> str:
    path = place / name
    if not path.is_file() or rng.random() < 0.15:
        way: Callable[[Random, Path], str] = rng.choice((_cut, _flip, _swap_kind, _empty))
    elif path.suffix in (".json", ".jsonl"):
        way = _change_json
    elif path.suffix == ".parquet":
        way = _change_table
    else:
        way = _change_tensors
    return f"{name}: {way(rng, path)}"


def _cut(rng: Random, path: Path) -> str:
    if path.is_file() and path.stat().st_size:
        os.truncate(path, rng.randrange(path.stat().st_size))
    return "cut"


def _flip(rng: Random, path: Path) -> str:
    if not path.is_file() or path.stat().st_size > 1 << 24:
        return "as it was"
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 3, 30)) if content else 0):
        content[rng.randrange(len(content))] = rng.randrange(256)
    path.write_bytes(content)
    return "bytes changed"


def _empty(_rng: Random, path: Path) -> str:
    if path.is_file():
        path.write_bytes(b"")
    return "empty"


def _swap_kind(rng: Random, path: Path) -> str:
    """Something else than a file."""
    if path.is_dir():
        return "still a folder"
    path.unlink(missing_ok=True)
    kind = rng.choice(("nothing", "folder", "link", "loop", "pipe", "device", "large"))
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(rng.choice(("/etc/passwd", "config.json", "nowhere")))
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(1 << 36)
    return kind


def _change_json(rng: Random, path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        parts = [json.loads(line) for line in text.splitlines()] if _is_log(path) else [_of(text)]
    except (ValueError, RecursionError):
        return _flip(rng, path)
    if rng.random() < 0.03:
        path.write_text("[" * 100_000, encoding="utf-8")
        return "deep"
    told = _change_leaf(rng, parts)
    written = [json.dumps(part) for part in parts] if _is_log(path) else [json.dumps(parts[0])]
    path.write_text("\n".join(written) + "\n", encoding="utf-8")
    return told


def _is_log(path: Path) -> bool:
    return path.suffix == ".jsonl"


def _of(text: str) -> Any:  # noqa: ANN401 (JSON)
    return json.loads(text)


def _change_leaf(rng: Random, parts: list[Any]) -> str:
    """Change, remove or add one thing somewhere in nested lists and objects."""
    at: Any = parts
    way = ""
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return "nothing to change"
        key = rng.choice(keys)
        way += f"/{key}"[:60]
        if isinstance(at[key], dict | list) and at[key] and rng.random() < 0.9:
            at = at[key]
            continue
        break
    what = rng.random()
    if what < 0.15 and isinstance(at, dict):
        del at[key]
        return f"{way} removed"
    if what < 0.25 and isinstance(at, dict):
        at[rng.choice(("x", "", "dim", "kind", "\0"))] = rng.choice(_VALUES)
        return f"beside {way} something"
    at[key] = rng.choice(_VALUES)
    return f"{way} is {at[key]!r:.40}"


def _change_table(rng: Random, path: Path) -> str:
    try:
        return _change_frame(rng, path, pl.read_parquet(path))
    except Exception:  # not every change can be made of every column
        return _flip(rng, path)


def _change_frame(rng: Random, path: Path, frame: pl.DataFrame) -> str:
    column = rng.choice(frame.columns) if frame.columns else ""
    what = rng.choice(("drop", "type", "repeat", "few", "null", "rename", "numbers", "none"))
    if what == "drop":
        frame = frame.drop(column)
    elif what == "type":
        kind = rng.choice((pl.String, pl.Float64, pl.Boolean, pl.UInt8, pl.Categorical, pl.Int64))
        frame = frame.with_columns(pl.col(column).cast(kind, strict=False))
    elif what == "repeat":
        frame = pl.concat([frame, frame.head(rng.randrange(1, 5))])
    elif what == "few":
        frame = frame.head(rng.choice((0, 1, len(frame) - 1)))
    elif what == "null":
        frame = frame.with_columns(pl.lit(None).alias(column))
    elif what == "rename":
        frame = frame.rename({column: rng.choice(("", "x", "head", "label"))}, strict=False)
    elif what == "numbers":
        values = pl.lit(rng.choice((-1, 10**9, 2**40, 0.5, float("nan"))))
        frame = frame.with_columns(values.alias(column))
    elif what == "none":
        frame = pl.DataFrame()
    frame.write_parquet(path)
    return f"{what} {column}"


def _change_tensors(rng: Random, path: Path) -> str:
    content = path.read_bytes()
    if len(content) < 8:
        return "too short"
    (length,) = struct.unpack("<Q", content[:8])
    try:
        header = json.loads(content[8 : 8 + length])
    except ValueError:
        return _flip(rng, path)
    told = "header " + _change_leaf(rng, [header])
    text = json.dumps(header).encode()
    told_length = rng.choice((len(text), len(text), len(text), 2**63, 0))
    path.write_bytes(struct.pack("<Q", told_length) + text + content[8 + length :])
    return told


def _recompute(place: Path) -> None:
    """Let the checksums be those of the files as they are now, of a graph in partitions first."""
    graph = place / "graph"
    _tell_anew(graph / "prepared.json", graph, sum_of, within="sums")
    _tell_anew(place / "checksums.json", place, sha256)


def _tell_anew(path: Path, place: Path, of: Callable[[Path], object], within: str = "") -> None:
    if not _is_small(path, 1 << 20):
        return
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return
    sums = stated.get(within) if within and isinstance(stated, dict) else stated
    if not isinstance(sums, dict):
        return
    for name in sums:
        if name and not name.startswith("/") and _is_small(place / name, 1 << 24):
            sums[name] = of(place / name)
    path.write_text(json.dumps(stated), encoding="utf-8")


def _is_small(path: Path, most: int) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and path.stat().st_size < most
    except (OSError, ValueError):  # a name that no file can have
        return False
