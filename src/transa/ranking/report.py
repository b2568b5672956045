"""Link prediction as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transa.graph.known import SPLITS

if TYPE_CHECKING:
    from transa.printing import Table
    from transa.ranking.link_prediction import LinkPrediction
    from transa.ranking.metrics import Metrics


def link_prediction_table(result: LinkPrediction) -> Table:
    """Overall, by side and by category; filtered unless said otherwise."""
    what = f"{result.split} split" if result.split in SPLITS else result.split
    offered = "" if result.protocol == "published" else f", {result.protocol} candidates"
    table = _table(f"Link prediction: {result.graph}, {what}, {result.ties} ties{offered}")
    overall = result.overall
    _add(table, "filtered", overall.both.filtered)
    _add(table, "  heads (?, r, t)", overall.head.filtered)
    _add(table, "  tails (h, r, ?)", overall.tail.filtered)
    _add(table, "raw", overall.both.raw)
    table.add_section()
    for category, sides in result.by_category.items():
        _add(table, category, sides.both.filtered)
        _add(table, "  heads", sides.head.filtered)
        _add(table, "  tails", sides.tail.filtered)
    return table


def relation_table(result: LinkPrediction, limit: int = 20) -> Table:
    """The relations that most of the ranked triples have, filtered, both sides together."""
    table = _table(f"By relation: {result.graph}, {result.split} split")
    scores = [(label, sides.both.filtered) for label, sides in result.by_relation.items()]
    for label, metrics in sorted(scores, key=lambda row: -row[1].count)[:limit]:
        _add(table, label, metrics)
    return table


def _table(title: str) -> Table:
    from transa.printing import Table

    columns = ("", "ranks", "MR", "MRR", "Hits@1", "Hits@3", "Hits@10")
    return Table(*columns, title=title, title_justify="left", title_style="bold")


def _add(table: Table, name: str, metrics: Metrics) -> None:
    from rich.text import Text

    shares = (metrics.mrr, metrics.hits_at_1, metrics.hits_at_3, metrics.hits_at_10)
    # As text, not markup: a label may have square brackets.
    table.add_row(
        Text(name),
        f"{metrics.count:,}",
        f"{metrics.mr:,.1f}",
        *(f"{share:.3f}" for share in shares),
    )
