"""Statements out of a file, and what can be wrong with one in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO

from transa.errors import InputError
from transa.graph.readers.rdf.syntaxes import Syntax

if TYPE_CHECKING:
    from pyoxigraph import Quad

_MOST_OF_AN_ENTITY = 1000
_NESTED_ENTITY = re.compile(rb"""<!ENTITY\s[^>"']*("[^"]*&|'[^']*&)""")
_LONG_ENTITY = re.compile(
    rb"""<!ENTITY\s[^>"']*("[^"]{%d}|'[^']{%d})""" % ((_MOST_OF_AN_ENTITY,) * 2)
)
# What the parser calls blank nodes that the file gives no name; files may have such names too.
_LIKE_RANDOM = re.compile(
    rb"""(?:_:|nodeID\s{0,9}=\s{0,9}["'])([a-f][0-9a-f]{19,31})(?![0-9a-f])"""
)
_RANDOM = re.compile(r"[a-f][0-9a-f]{19,31}")
_OVERLAP = 64


class Watched:
    """A file on its way to the parser, looked through for what the parser does not tell.

    It remembers the names of blank nodes that could be taken for the parser's own, and refuses
    entities of XML by which a few lines stand for gigabytes.
    """

    def __init__(self, stream: BinaryIO, source: str, syntax: Syntax) -> None:
        self._stream, self._source, self._syntax = stream, source, syntax
        self._written: set[str] = set()
        self._end = b""

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        piece = self._stream.read(size)
        if piece:
            seen = self._end + piece
            self._look(seen)
            keep = 2 * _MOST_OF_AN_ENTITY if self._syntax.oxigraph == "RDF_XML" else _OVERLAP
            self._end = seen[-keep:]
        return piece

    def _look(self, data: bytes) -> None:
        self._written.update(name.decode() for name in _LIKE_RANDOM.findall(data))
        is_xml = self._syntax.oxigraph == "RDF_XML" and b"<!ENTITY" in data
        if is_xml and (_NESTED_ENTITY.search(data) or _LONG_ENTITY.search(data)):
            raise InputError(
                f"{self._source}: found XML entities made of other entities, or longer than "
                f"{_MOST_OF_AN_ENTITY} characters; write them out, or save it as Turtle"
            )

    def is_named(self, blank: str) -> bool:
        """Whether the file itself has given a blank node its name."""
        return _RANDOM.fullmatch(blank) is None or blank in self._written


def statements(rdf: ModuleType, path: Path, stream: Watched, syntax: Syntax) -> Iterator[Quad]:
    """What the file says, statement by statement.

    Raises:
        InputError: Names the file and the line.
    """
    try:
        # Lenient: an IRI is but a label here, so a relative one is as good as any.
        yield from rdf.parse(input=stream, format=syntax.of(rdf), lenient=True)
    except SyntaxError as error:
        if "LoadDocumentCallback" in error.msg:
            raise InputError(
                f"{path}: its @context is on the web, and is not fetched; write the context itself "
                f"into the file, or save it as N-Quads"
            ) from error
        reason = " ".join(error.msg.split())[:300]
        line = "" if error.lineno is None else f", line {error.lineno}"
        raise InputError(
            f"{path}{line}: not {syntax.name}: {reason}; --format (format=...) says what else it is"
        ) from error
