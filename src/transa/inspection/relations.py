"""Of what kind each relation is: how many answers it has, whether it leads back, who copies it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transa.graph import Graph
from transa.graph.readers.rdf.collecting import TYPE
from transa.inspection.copies import Copies
from transa.ranking.categories import Category, relation_categories

# RDF's own, and Wikidata's "instance of".
_TYPES = (TYPE, "http://www.wikidata.org/prop/direct/P31")


@dataclass(frozen=True)
class RelationKind:
    """One relation.

    Attributes:
        relation: its label.
        name: what a person calls it, or the label.
        facts: how many training triples have it.
        kind: 1-1, 1-N, N-1 or N-N, over all splits.
        tails_of_a_head: how many, on average.
        heads_of_a_tail: how many, on average.
        symmetric: whether it leads back as well.
        inverse: a relation that says the same the other way round, and it of that one.
        duplicate: a relation that says the same.
        declared_inverse: the relation that the source declares to be its inverse (owl:inverseOf);
            itself if it is declared symmetric.
        tells_types: whether it says of what type a thing is (rdf:type).
    """

    relation: str
    name: str
    facts: int
    kind: Category
    tails_of_a_head: float
    heads_of_a_tail: float
    symmetric: bool
    inverse: str | None
    duplicate: str | None
    declared_inverse: str | None = None
    tells_types: bool = False


def relation_kinds(graph: Graph, copies: Copies) -> tuple[RelationKind, ...]:
    """All relations, those with more training triples first."""
    facts = np.bincount(graph.train[:, 1], minlength=graph.n_relations)
    kinds = relation_categories(graph.index)
    tails, heads = (graph.index.answers_a_question(side) for side in ("tail", "head"))
    symmetric = copies.symmetric
    inverses, duplicates = copies.mutual(inverted=True), copies.mutual(inverted=False)
    relations = graph.relations

    declared = _declared(graph)

    def label(other: int | None) -> str | None:
        return None if other is None else relations.label(other)

    return tuple(
        RelationKind(
            relation=relations.label(i),
            name=relations.display(i),
            facts=int(facts[i]),
            kind=kinds[i],
            tails_of_a_head=float(tails[i]),
            heads_of_a_tail=float(heads[i]),
            symmetric=i in symmetric,
            inverse=label(inverses.get(i)),
            duplicate=label(duplicates.get(i)),
            declared_inverse=declared.get(relations.label(i)),
            tells_types=relations.label(i) in _TYPES,
        )
        for i in np.argsort(-facts, kind="stable").tolist()
    )


def _declared(graph: Graph) -> dict[str, str]:
    """The inverse that the source declares of a relation, where the graph has both."""
    sources = graph.report.sources if graph.report is not None else ()
    pairs = [pair for source in sources for pair in source.inverses]
    there = set(graph.relations.labels)
    both = [*pairs, *((other, one) for one, other in pairs)]
    return {one: other for one, other in both if one in there and other in there}
