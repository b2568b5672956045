"""Statements sorted out: facts, names, values, and what is said of relations."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import polars as pl

from transa.errors import InputError
from transa.files.memory import check_memory
from transa.graph.readers.options import FileOptions
from transa.graph.readers.rdf.naming import NAMING, Names, users_languages
from transa.graph.readers.rdf.values import value_of
from transa.graph.readers.table import ROLES, VALUES, Table, label_type

if TYPE_CHECKING:
    from pyoxigraph import BlankNode, Literal, NamedNode, Triple

    Term = NamedNode | BlankNode | Literal | Triple

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_INVERSE = "http://www.w3.org/2002/07/owl#inverseOf"
_SYMMETRIC = "http://www.w3.org/2002/07/owl#SymmetricProperty"
_BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"

LONGEST = 1 << 20
"""Of a label, in characters; as the longest line of text."""
# Characters as Python's strings before they are made labels: a few bytes may stand for many.
_AT_A_TIME = 1 << 25
_OF_A_FACT = 100
_PAIRS_TOLD = 3


class Collector:
    """Takes statements one by one, and makes a table of them.

    Labels are IRIs without their brackets, ``_:x`` for blank nodes, and literals as N-Triples
    writes them.

    Args:
        rdf: The module pyoxigraph.
        told: What to do with literals, and which are names.
        source: What messages call it.
        is_named: Whether a blank node's name is the file's own. Others get a random one from the
            parser: they are numbered here instead, under the name of their file, whose they are.
        with_names: Whether names are kept; they are no facts in any case.
    """

    def __init__(
        self,
        rdf: ModuleType,
        told: FileOptions,
        source: str,
        is_named: Callable[[str], bool],
        *,
        with_names: bool = True,
    ) -> None:
        self._rdf, self._told, self._source, self._is_named = rdf, told, source, is_named
        languages = users_languages() if told.language is None else told.language.split(",")
        self._naming = NAMING if told.names_from is None else tuple(told.names_from)
        self._names = Names(languages, self._naming)
        self._with_names = with_names
        self._types = {role: label_type() for role in ROLES}
        self._rows: list[tuple[str, str, str]] = []
        self._size = 0
        self._frames: list[pl.DataFrame] = []
        self._values: list[tuple[int, float, str]] = []
        self._places = array("q")
        self._numbers: dict[str, int] = {}
        self._reifiers: set[str] = set()
        self._inverses: dict[tuple[str, str], None] = {}
        self._counts = dict.fromkeys(("dropped", "literal", "name", "about", "type"), 0)

    def __len__(self) -> int:
        """How many facts there are."""
        return len(self._places)

    def add(self, number: int, subject: Term, predicate: NamedNode, term: Term) -> None:
        """Take the statement of this number."""
        rdf, counts = self._rdf, self._counts
        head, relation = self._label(subject), str(predicate.value)
        if isinstance(term, rdf.Triple) or head in self._reifiers:
            # About a statement, such as how sure it is: no fact about a thing.
            self._reifiers.add(head)
            counts["about"] += 1
            return
        if isinstance(term, rdf.Literal):
            if relation in self._naming:
                counts["name"] += 1
                if self._with_names:
                    self._names.add(head, relation, term.value, term.language or "")
                return
            if not self._takes(term):
                counts["dropped"] += 1
                return
            counts["literal"] += 1
            tail = str(term)
        else:
            tail = self._label(term)
            self._look_for_axioms(head, relation, tail)
        self._rows.append((head, relation, tail))
        self._places.append(number)
        self._size += _OF_A_FACT + len(head) + len(relation) + len(tail)
        if self._size >= _AT_A_TIME:
            self._flush()

    def frame(self) -> pl.DataFrame:
        """The facts so far, which are forgotten here."""
        self._flush()
        frames, self._frames, self._places = self._frames, [], array("q")
        return pl.concat(frames, rechunk=True) if frames else self._frame([])

    def table(self, format_: str, place: str = "statement") -> Table:
        """All that was taken."""
        places = self._places
        values = pl.DataFrame(self._values, schema=VALUES, orient="row")
        return Table(
            frame=self.frame(),
            source=self._source,
            format=format_,
            place=lambda row: f"{place} {places[row]}",
            literals_dropped=self._counts["dropped"],
            names=self._names.frame(),
            values=values if self._told.literals == "bin" else None,
            inverses=tuple(self._inverses),
            remarks=tuple(self._remarks()),
        )

    def _takes(self, literal: Literal) -> bool:
        """Whether a literal stays, as a thing or as a value to be put in a bin."""
        if self._told.literals == "drop":
            return False
        if len(literal.value) > LONGEST:
            raise InputError(
                f"{self._source}: found a literal longer than {LONGEST:,} characters, as no label "
                f"is; --literals drop (literals='drop') leaves literals out"
            )
        if self._told.literals == "keep":
            return True
        datatype = literal.datatype.value
        value = value_of(literal.value, datatype)
        if value is not None:
            self._values.append((len(self._places), value, literal.value))
        return value is not None or datatype == _BOOLEAN

    def _look_for_axioms(self, head: str, relation: str, tail: str) -> None:
        if relation == TYPE:
            self._counts["type"] += 1
            if tail == _SYMMETRIC:
                self._inverses[head, head] = None
        elif relation == _INVERSE:
            self._inverses[head, tail] = None

    def _label(self, term: Term) -> str:
        value = str(term.value)  # type: ignore[union-attr] # No statement is one's subject.
        if isinstance(term, self._rdf.NamedNode):
            if len(value) > LONGEST:
                raise InputError(f"{self._source}: found an IRI longer than {LONGEST:,} characters")
            return value
        if self._is_named(value):
            return f"_:{value}"
        number = self._numbers.setdefault(value, len(self._numbers) + 1)
        return f"_:{Path(self._source).name}#{number}"

    def _flush(self) -> None:
        if self._rows:
            check_memory(self._size, f"reading {self._source}", "take a part of it")
            self._frames.append(self._frame(self._rows))
            self._rows, self._size = [], 0

    def _frame(self, rows: list[tuple[str, str, str]]) -> pl.DataFrame:
        return pl.DataFrame(rows, schema=self._types, orient="row")

    def _remarks(self) -> list[str]:
        counts, kept = self._counts, self._told.literals == "keep"
        pairs = [one if one == other else f"{one} and {other}" for one, other in self._inverses]
        told = ", ".join(pairs[:_PAIRS_TOLD]) + (", ..." if len(pairs) > _PAIRS_TOLD else "")
        remarks = {
            "{:,} of them end in a literal (--literals drop or bin)": counts["literal"] * kept,
            "{:,} more give names": counts["name"],
            "{:,} more are about statements (dropped)": counts["about"],
            "{:,} of them say what type a thing is": counts["type"],
            f"{{:,}} declared inverse or symmetric: {told}": len(pairs),
        }
        return [words.format(count) for words, count in remarks.items() if count]
