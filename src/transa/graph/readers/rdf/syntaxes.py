"""The syntaxes of RDF, and how a file is seen to be in one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyoxigraph import RdfFormat

    from transa.graph.readers.options import Format


@dataclass(frozen=True)
class Syntax:
    """One way to write RDF.

    Attributes:
        name: What people call it.
        suffixes: What its files' names end in.
        oxigraph: What pyoxigraph calls it.
        by_line: Whether each line stands for itself, so that a file can be read in pieces.
    """

    name: str
    suffixes: tuple[str, ...]
    oxigraph: str
    by_line: bool = False

    def of(self, rdf: ModuleType) -> RdfFormat:
        """As pyoxigraph has it."""
        found: RdfFormat = getattr(rdf.RdfFormat, self.oxigraph)
        return found


SYNTAXES: dict[Format, Syntax] = {
    "ntriples": Syntax("N-Triples", (".nt",), "N_TRIPLES", by_line=True),
    "nquads": Syntax("N-Quads", (".nq",), "N_QUADS", by_line=True),
    "turtle": Syntax("Turtle", (".ttl",), "TURTLE"),
    "trig": Syntax("TriG", (".trig",), "TRIG"),
    "rdfxml": Syntax("RDF/XML", (".rdf", ".owl"), "RDF_XML"),
    "jsonld": Syntax("JSON-LD", (".jsonld",), "JSON_LD"),
}

_COMMENTS = rb"\s*(?:#.*\n\s*)*"
_PREFIX = re.compile(_COMMENTS + rb"(?:@prefix|@base|prefix\s|base\s)[^\n]*<", re.IGNORECASE)
_GRAPH = re.compile(rb"^\s*(?:GRAPH\s+)?(?:<[^>\n]*>|[\w.-]*:[\w.-]*)?\s*\{", re.MULTILINE | re.I)
_TERM = rb"(?:<[^>\n]*>|_:\S+)"
_LINE = re.compile(
    _COMMENTS + _TERM + rb"\s+<[^>\n]*>\s+(?P<object>" + _TERM + rb'|"(?:[^"\\\n]|\\.)*"\S*)'
    rb"(?P<graph>\s+" + _TERM + rb")?\s*\.[ \t\r]*(?:\n|\Z)"
)
_LIKE_A_LINE = re.compile(_COMMENTS + _TERM + rb"\s+<[^>\n]*>\s+\S.*\.[ \t\r]*(?:\n|\Z)")
_XML = re.compile(rb"\s*(?:\xef\xbb\xbf)?<(?:\?xml|rdf:RDF|!DOCTYPE)[\s>]", re.IGNORECASE)
_JSON = re.compile(rb"\s*[\[{]")


def syntax_of(start: bytes) -> Format | None:
    """The syntax of a file that begins so; None if it is no RDF."""
    if _PREFIX.match(start):
        return "trig" if _GRAPH.search(start) else "turtle"
    line = _LINE.match(start)
    if line is not None:
        return "nquads" if line["graph"] else "ntriples"
    if _LIKE_A_LINE.match(start):
        return "ntriples"
    if _XML.match(start):
        return "rdfxml"
    return "jsonld" if _JSON.match(start) and b'"@' in start else None
