"""Answers as RDF: each a triple that is told of, and how sure the model is of it.

In Turtle a triple is quoted (RDF-star, and RDF 1.2's reifying triple as well); in N-Triples it is
reified as ``rdf:Statement``, which every store reads. Neither asserts it: what a model expects is
no fact of whoever loads the file, unless they make it one.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import quote

import polars as pl

VOCABULARY = "urn:transa:"
"""Before ``confidence`` (the probability), ``score`` and ``rank``."""
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_PREFIXES = f"@prefix transa: <{VOCABULARY}> .\n@prefix xsd: <{_XSD}> .\n\n"
# A scheme that people use: a label such as `Person:1` is no address.
_IRI = re.compile(
    r"(?:[A-Za-z][\w+.-]*://|(?:urn|tag|mailto|info|doi|file|geo|ark|did|data|ni):)"
    r"[^\x00-\x20<>\"{}|\\^`]+"
)
_LITERAL = re.compile(
    r'"(?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*"'
    r"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^<[^\x00-\x20<>\"{}|\\^`]+>)?"
)


def statements(frame: pl.DataFrame, to: Literal["ttl", "nt"], *, is_first: bool = True) -> bytes:
    """Rows with head, relation, tail, rank, score and probability; a question where they answer it.

    Args:
        frame: A part of the answers.
        to: Turtle or N-Triples.
        is_first: Whether the file begins with it.
    """
    write = _quoted if to == "ttl" else _reified
    start = _PREFIXES if to == "ttl" and is_first else ""
    return (start + "".join(write(row) for row in frame.iter_rows(named=True))).encode()


def term(label: str, kind: str = "entity", *, is_object: bool = False) -> str:
    """A label as RDF writes it.

    An IRI and a literal are what they were in the file that the graph was read from. What has no
    IRI, a plain label or a blank node, is given one: ``urn:transa:entity:`` and the label.
    """
    if _IRI.fullmatch(label):
        return f"<{label}>"
    if is_object and _LITERAL.fullmatch(label):
        return label
    return f"<{VOCABULARY}{kind}:{quote(label, safe='')}>"


def _triple(row: dict[str, object]) -> tuple[str, str, str]:
    head, relation, tail = (str(row[place]) for place in ("head", "relation", "tail"))
    return term(head), term(relation, "relation"), term(tail, is_object=True)


def _told(row: dict[str, object]) -> dict[str, str]:
    """What is said of a triple, as Turtle and N-Triples both write numbers with a type."""
    values = {"confidence": row["probability"], "score": row["score"]}
    numbers = {name: f'"{value!r}"^^{{}}' for name, value in values.items() if value is not None}
    return {**numbers, "rank": f'"{row["rank"]}"^^{{}}'}


def _quoted(row: dict[str, object]) -> str:
    said = [
        f"transa:{name} {value.format('xsd:' + _type(name))}" for name, value in _told(row).items()
    ]
    return f"<< {' '.join(_triple(row))} >> {' ; '.join(said)} .\n"


def _reified(row: dict[str, object]) -> str:
    node = f"_:q{row['question']}a{row['rank']}" if "question" in row else f"_:a{row['rank']}"
    pairs = zip(("subject", "predicate", "object"), _triple(row), strict=True)
    lines = [f"{node} <{_RDF}type> <{_RDF}Statement> .\n"]
    lines += [f"{node} <{_RDF}{part}> {value} .\n" for part, value in pairs]
    lines += [
        f"{node} <{VOCABULARY}{name}> {value.format(f'<{_XSD}{_type(name)}>')} .\n"
        for name, value in _told(row).items()
    ]
    return "".join(lines)


def _type(name: str) -> str:
    return "integer" if name == "rank" else "double"
