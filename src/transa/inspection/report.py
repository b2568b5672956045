"""A look at a graph as tables for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from transa.inspection.leakage import Leakage
from transa.ranking.categories import CATEGORIES

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.text import Text

    from transa.inspection.inspection import Inspection
    from transa.inspection.relations import RelationKind
    from transa.printing import Table


def inspection_tables(found: Inspection) -> Group:
    """Splits, relations, hubs and leakage, one below the other."""
    from rich.console import Group

    parts = [*_splits(found), *_kinds(found), *_hubs(found)]
    return Group(*parts, *(_leakage(found.leakage) if found.leakage else ()))


def relations_table(found: Inspection, limit: int = 20) -> Table:
    """The relations with most facts, one by one."""
    table = _table(
        "relation", "facts", "kind", "tails of a head", "heads of a tail", "leads back",
    )  # fmt: skip
    for column in ("inverse", "duplicate"):
        table.words(column)
    for row in found.relation_kinds[:limit]:
        table.add_row(
            _text(row.name),
            f"{row.facts:,}",
            row.kind,
            f"{row.tails_of_a_head:.1f}",
            f"{row.heads_of_a_tail:.1f}",
            "yes" if row.symmetric else "",
            _text(_inverse(row)),
            _text(row.duplicate or ""),
        )
    return table


def _inverse(row: RelationKind) -> str:
    """What is found, and what the source says."""
    declared = f"{row.declared_inverse} (declared)" if row.declared_inverse else ""
    if row.inverse == row.declared_inverse or row.inverse is None:
        return declared
    return "; ".join(filter(None, (row.inverse, declared)))


def _splits(found: Inspection) -> Iterator[RenderableType]:
    yield _title(f"{found.graph}: {found.entities:,} entities, {found.relations:,} relations")
    table = _table("", "facts", "repeated", "loops", "unseen", "new entities", "new relations")
    for split in found.splits:
        numbers = (split.facts, split.repeated, split.loops)
        new = (split.unseen, split.unseen_entities, split.unseen_relations)
        table.add_row(split.split, *(f"{number:,}" for number in (*numbers, *new)))
    yield table
    parts = found.components
    together = f"{parts.count:,} component{'' if parts.count == 1 else 's'} in train"
    yield f"{together}, the largest of {parts.largest:,} entities, {parts.pairs:,} of two or one"
    yield from (f"{n:,} facts in both {splits}" for splits, n in found.shared.items() if n)


def _kinds(found: Inspection) -> Iterator[RenderableType]:
    yield _title("Relations")
    table = _table("", "relations", "facts in train", "share")
    kinds = found.relation_kinds
    total = sum(row.facts for row in kinds)
    groups = {kind: [row for row in kinds if row.kind == kind] for kind in CATEGORIES}
    copies = {
        "symmetric": [row for row in kinds if row.symmetric],
        "with an inverse": [row for row in kinds if row.inverse is not None],
        "with a duplicate": [row for row in kinds if row.duplicate is not None],
    }
    told = {
        "declared inverse or symmetric": [row for row in kinds if row.declared_inverse is not None],
        "telling types": [row for row in kinds if row.tells_types],
    }
    # Only RDF says such things.
    for section in (groups, copies, {name: rows for name, rows in told.items() if rows}):
        for name, rows in section.items():
            facts = sum(row.facts for row in rows)
            table.add_row(name, f"{len(rows):,}", f"{facts:,}", f"{facts / total:.1%}")
        table.add_section()
    yield table


def _hubs(found: Inspection) -> Iterator[RenderableType]:
    yield _title("Hubs")
    table = _table("entity", "as head", "as tail", "of all facts")
    for hub in found.hubs:
        table.add_row(_text(hub.name), f"{hub.outgoing:,}", f"{hub.incoming:,}", f"{hub.share:.1%}")
    yield table


def _leakage(leakage: Leakage) -> Iterator[RenderableType]:
    yield _title("What train gives away of the test facts")
    table = _table("", "share")
    shares = {
        "entities linked in train": leakage.linked,
        "  the other way round": leakage.turned,
        "copied": leakage.copied,
        "  of a symmetric relation": leakage.symmetric,
        "  from an inverse": leakage.inverse,
        "  from a duplicate": leakage.duplicate,
    }
    for name, share in shares.items():
        table.add_row(name, f"{share:.1%}")
    yield table
    rule = leakage.rule
    scores = f"MRR {rule.mrr:.3f}, Hits@1 {rule.hits_at_1:.3f}, Hits@10 {rule.hits_at_10:.3f}"
    yield f"a rule that only copies: {scores}"
    if leakage.relations:
        copied = _table("relation", "test facts")
        copied.words("copied from")
        for row in leakage.relations:
            source = "itself" if row.source == row.relation else row.source
            turned = ", turned round" if row.inverted else ""
            copied.add_row(_text(row.relation), f"{row.facts:,}", _text(source + turned))
        yield copied


def _title(words: str) -> Text:
    from rich.text import Text

    return Text("\n" + words, style="bold")


def _table(*columns: str) -> Table:
    from transa.printing import Table

    return Table(*columns)


def _text(words: str) -> Text:
    """As text, not markup: a label may have square brackets."""
    from rich.text import Text

    return Text(words)
