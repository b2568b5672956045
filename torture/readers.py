"""Files of triples, well-formed and broken in every way, read by every entrance for files.

A case is a good file of some format, written with awkward labels, and then perhaps damaged:
truncated, with bits flipped, spliced, repeated, compressed once too often, in another encoding. It
has to come out as a graph, as questions, or as a `TransaError` of one line.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import transa
from torture.children import run_on_all_cores
from torture.outcomes import Ending, Outcome, Outcomes
from transa.errors import InputError
from transa.graph.readers.formats import read_table
from transa.graph.readers.options import FileOptions
from transa.graph.readers.streaming import parts_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_AWKWARD = "ab 0\t\n\r\0\"',;:.<>@#_\\\ufeff\u2028\u00e9\u4e2d\U0001f600"
_TOKENS = [
    *(b"\t", b"\n", b"\r\n", b"\r", b" ", b",", b'"', b'""', b"\0", b"\xff\xfe", b"\xef\xbb\xbf"),
    *(b"<a>", b"_:b", b'"l"@en', b" .\n", b"@prefix p: <x> .\n", b"[", b"]", b"(", b"^^", b"PAR1"),
    *(
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"x\x01",
        b"\xff" * 8,
        b"\x00" * 64,
        b"head\trelation\ttail",
    ),
]
_ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-8-sig")


@dataclass(frozen=True)
class Input:
    """A file, and what is said about it."""

    name: str
    content: bytes
    options: dict[str, Any] = field(default_factory=dict)
    entrance: str = "graph"


def phase(rng: Random, deadline: float) -> Outcomes:
    """Read files until the deadline."""
    return run_on_all_cores("torture.readers", rng, deadline)


def inputs(rng: Random) -> Iterator[Input]:
    """Files without end."""
    while True:
        suffix, write = rng.choice(_WRITERS)
        content = write(rng, _rows(rng))
        for _ in range(rng.choice((0, 0, 1, 1, 2, 5))):
            content = rng.choice(_DAMAGES)(rng, content)
        for wrapping in rng.choices(("", "", "", ".gz", ".zst"), k=rng.choice((1, 1, 1, 1, 1, 2))):
            content, suffix = _compressed(wrapping, content), suffix + wrapping
            if wrapping and rng.random() < 0.3:
                content = rng.choice(_DAMAGES)(rng, content)
        if rng.random() < 0.05:
            suffix = rng.choice((".txt", ".tsv", ".nt", ".ttl", ".parquet", ".gz", ""))
        entrance = rng.choices(("graph", "questions", "parts"), (8, 1, 1))[0]
        yield Input(f"x{suffix}", content, _options(rng), entrance)


def try_one(one: Input, folder: Path) -> Outcome:
    """Read it."""
    path = folder / one.name
    path.write_bytes(one.content)
    try:
        if _ENTRANCES[one.entrance](path, one.options) < 1:
            return Outcome(Ending.CRASHED, f"nothing in it, by {one.entrance}")
    except transa.TransaError as error:
        is_sentence = str(error) and "\n" not in str(error) and len(str(error)) < 2000
        ending = Ending.REFUSED if is_sentence else Ending.CRASHED
        return Outcome(ending, str(error)[:2000])
    except KeyboardInterrupt:
        raise
    except BaseException:  # a panic of Polars is no Exception
        return Outcome(Ending.CRASHED, traceback.format_exc()[-1000:])
    finally:
        path.unlink()
    return Outcome(Ending.SURVIVED)


def _as_graph(path: Path, options: dict[str, Any]) -> int:
    graph = transa.read(path, **options)
    return min(graph.n_entities, len(graph.train))


def _as_questions(path: Path, options: dict[str, Any]) -> int:
    """As `transa predict --file` reads it."""
    return len(read_table(path, _told(options, gaps=True)).frame)


def _as_parts(path: Path, options: dict[str, Any]) -> int:
    """As `transa prepare` reads it, which refuses a graph without triples once it has seen all."""
    n_triples = sum(len(part()) for part in parts_of(path, _told(options)))
    if n_triples == 0:
        raise InputError(f"{path.name} holds no triples")
    return n_triples


def _told(options: dict[str, Any], *, gaps: bool = False) -> FileOptions:
    names = ("format", "delimiter", "header", "columns", "quote")
    return FileOptions(*(options.get(name) for name in names), gaps=gaps)


_ENTRANCES: dict[str, Callable[[Path, dict[str, Any]], int]] = {
    "graph": _as_graph,
    "questions": _as_questions,
    "parts": _as_parts,
}


def _seldom(rng: Random, large: int, usual: tuple[int, ...]) -> int:
    """Once in fifty times the large one: it takes as long as a hundred others."""
    return large if rng.random() < 0.02 else rng.choice(usual)


def _options(rng: Random) -> dict[str, Any]:
    options: dict[str, Any] = {"split": rng.choice((None, (0.8, 0.1, 0.1)))}
    choices: dict[str, tuple[Any, ...]] = {
        "format": (
            *("delimited", "parquet", "ntriples", "nquads", "turtle", "trig", "rdfxml", "jsonld"),
            *("duckdb", "sqlite"),
        ),
        "delimiter": ("tab", "comma", "space", "a", "\0", ";"),
        "header": (True, False),
        "columns": ((0, 1, 2), (2, 1, 0), (0, 1, 5), ("head", "relation", "tail"), ("a", "b", "c")),
        "quote": (True, False),
        "literals": ("drop", "bin"),
        "duplicates": ("drop",),
    }
    for option, values in choices.items():
        if rng.random() < 0.03:
            options[option] = rng.choice(values)
    return options


def _label(rng: Random, awkward: float) -> str:
    if rng.random() >= awkward:
        return f"e{rng.randrange(20)}"
    length = rng.choice((0, 1, 1, 2, 3, 5, 9, 40, 400))
    return "".join(rng.choice(_AWKWARD) for _ in range(length))


def _rows(rng: Random) -> list[tuple[str, str, str]]:
    count = rng.choice((0, 1, 2, 5, 20, 50, 200))
    awkward = rng.choice((0.0, 0.0, 0.01, 0.5))

    def label() -> str:
        return _label(rng, awkward)

    rows = [(label(), rng.choice(("r", "s", label())), label()) for _ in range(count)]
    if rng.random() < 0.3:
        rows.insert(0, rng.choice((("head", "relation", "tail"), ("id", "name", "when"))))
    return rows * _seldom(rng, 50, (1,))


def _plain(rng: Random, rows: list[tuple[str, str, str]]) -> bytes:
    delimiter, end = rng.choice("\t\t, ;|"), rng.choice(("\n", "\n", "\n", "\r\n", "\r\n", "\r"))
    return end.join(delimiter.join(row) for row in rows).encode() + end.encode()


def _quoted(rng: Random, rows: list[tuple[str, str, str]]) -> bytes:
    text = io.StringIO(newline="")
    ends = rng.choice(("\n", "\r\n"))
    csv.writer(text, delimiter=rng.choice(",\t "), lineterminator=ends).writerows(rows)
    return text.getvalue().encode()


def _wide(rng: Random, rows: list[tuple[str, str, str]]) -> bytes:
    width = _seldom(rng, 1_000_000, (4, 50, 10_000))
    rows = rows[: rng.choice((1, 3))]
    return b"".join(rng.choice((b"a\t", b"a,", b'"')) * width + b"\n" for _ in rows)


def _parquet(rng: Random, rows: list[tuple[str, str, str]]) -> bytes:
    names = rng.choice((("head", "relation", "tail"), ("a", "b", "c"), ("s", "s2", "p")))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    if rng.random() < 0.2:
        frame = frame.with_columns(pl.all().str.len_bytes())
    elif rng.random() < 0.2:
        frame = frame.with_columns(pl.all().cast(pl.Categorical))
    written = io.BytesIO()
    frame.write_parquet(written, compression=rng.choice(("zstd", "snappy", "gzip", "uncompressed")))
    return written.getvalue()


def _ntriples(rng: Random, rows: list[tuple[str, str, str]]) -> bytes:
    tails = ("<%s>", '"%s"', '"%s"@en', '"%s"^^<t>', "_:%s")
    lines = (f"<{h}> <{r}> {rng.choice(tails) % t} .\n" for h, r, t in rows)
    return "".join(lines).encode()


def _turtle(rng: Random, rows: list[tuple[str, str, str]]) -> bytes:
    deep = _seldom(rng, 20_000, (0, 0, 1, 30))
    lines = (f"<{h}> <{r}> [ <x> ( '{t}' ) ] , <{t}> .\n" for h, r, t in rows)
    nested = f"<a> <r> {'[ <r> ' * deep}<b>{' ]' * deep} .\n" if deep else ""
    return f"@prefix p: <http://p/> .\n{''.join(lines)}{nested}".encode()


_WRITERS: tuple[tuple[str, Callable[[Random, list[tuple[str, str, str]]], bytes]], ...] = (
    (".tsv", _plain),
    (".csv", _quoted),
    (".txt", _plain),
    (".txt", _quoted),
    (".tsv", _wide),
    (".parquet", _parquet),
    (".parquet", _parquet),
    (".nt", _ntriples),
    (".ttl", _turtle),
)


def _compressed(wrapping: str, content: bytes) -> bytes:
    if wrapping == ".gz":
        # Without a time stamp: the same seed is the same file.
        return gzip.compress(content, mtime=0)
    return zstd.compress(content) if wrapping else content


def _cut(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flip(rng: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 20)) if changed else 0):
        # Footers and headers decide more than what is between them.
        near = rng.choice((len(changed), min(len(changed), 200)))
        place = rng.randrange(near) if rng.random() < 0.5 else -1 - rng.randrange(near)
        changed[place] = rng.choice((changed[place] ^ (1 << rng.randrange(8)), 0, 255, 127))
    return bytes(changed)


def _insert(rng: Random, content: bytes) -> bytes:
    place = rng.choice((0, len(content), rng.randrange(len(content) + 1)))
    inserted = rng.choice((rng.choice(_TOKENS), rng.randbytes(rng.randrange(40))))
    return content[:place] + inserted + content[place:]


def _splice(rng: Random, content: bytes) -> bytes:
    one, other = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:one] + content[other:] + content[one:other]


def _swell(rng: Random, content: bytes) -> bytes:
    repeated = rng.choice((b"\0", b"a", b"\r", b'"', b"a\t", content[-20:] or b"\n"))
    return content + repeated * (3_000_000 // len(repeated))


def _encode(rng: Random, content: bytes) -> bytes:
    return content.decode("utf-8", "replace").encode(rng.choice(_ENCODINGS), "replace")


_DAMAGES = (*(_cut, _flip, _flip, _flip, _insert, _insert, _splice, _encode) * 25, _swell)
