"""A triple that is asked about, and how it and its neighbours are told in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from transa.asking.reasons.table import Fact
from transa.graph.known import KnownIndex
from transa.models.fitted import FittedModel


@dataclass(frozen=True, eq=False)
class Case:
    """One triple, of which its own being known counts for nothing."""

    model: FittedModel
    head: int
    relation: int
    tail: int

    @property
    def known(self) -> KnownIndex:
        """What the graph has."""
        return self.model.known

    def entity(self, entity: int) -> str:
        """What a person calls it."""
        return self.model.graph.entities.display(entity)

    def called(self, relation: int) -> str:
        """What a person calls a relation."""
        return self.model.graph.relations.display(relation)

    def told(self, head: int, relation: int, tail: int) -> str:
        """A triple in words."""
        return " · ".join((self.entity(head), self.called(relation), self.entity(tail)))

    def fact(self, head: int, relation: int, tail: int) -> Fact:
        """A triple of labels."""
        graph = self.model.graph
        return (
            graph.entities.label(head),
            graph.relations.label(relation),
            graph.entities.label(tail),
        )

    @property
    def words(self) -> str:
        """The triple itself."""
        return self.told(self.head, self.relation, self.tail)


def listed(names: Iterable[str], most: int = 3) -> str:
    """Some names, and how many there are besides."""
    names = list(names)
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def share(support: int, cases: int, exact: bool) -> str:
    """How often it was so."""
    about = "" if exact else ", in a sample"
    return f"{support:,} of {cases:,} ({support / cases:.0%}{about})"
