"""Triple classification as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Group

    from transa.classification.result import TripleClassification
    from transa.printing import Table


def classification_table(result: TripleClassification, limit: int = 20) -> Group:
    """Overall, the relations that most of the triples have, and what is wrong with the labels."""
    from rich.console import Group
    from rich.text import Text

    overall, low, high = result.overall, *result.overall.interval
    shown = {
        "accuracy": f"{overall.accuracy:.4f}  ({low:.4f} to {high:.4f} in 95 % of samples)",
        "precision, recall, F1": _figures(overall.precision, overall.recall, overall.f1),
        "ROC-AUC, average precision": _figures(overall.roc_auc, overall.average_precision),
    }
    for what, share in (("seen", result.seen), ("unseen", result.with_unseen)):
        if share.count:
            shown[f"accuracy, entities {what}"] = (
                f"{_figures(share.accuracy)}  ({share.count:,} triples)"
            )
    if result.reliability:
        error, brier = result.reliability.expected_error, result.reliability.brier
        shown["probabilities off by, Brier"] = _figures(error, brier)
    lines = [f"{name:<28}{value}" for name, value in shown.items()]
    problems = "; ".join(_problems(result))
    return Group(
        Text(_classification_title(result), style="bold"),
        Text("\n".join(lines)),
        _relations(result, limit),
        Text(f"Of the triples: {problems}." if problems else "", style="dim"),
    )


def _classification_title(result: TripleClassification) -> str:
    return (
        f"Triple classification: {result.graph}, {result.split} split, "
        f"{result.overall.count:,} triples, false ones {result.negatives}, "
        f"thresholds: {result.thresholds}, unseen entities: {result.unseen}"
    )


def _figures(*values: float | None) -> str:
    return ", ".join("–" if value is None else f"{value:.4f}" for value in values)


def _relations(result: TripleClassification, limit: int) -> Table:
    from rich.text import Text

    from transa.printing import Table

    table = Table("relation", "triples", "accuracy", "threshold", "fitted on")
    by_size = sorted(result.by_relation.items(), key=lambda item: -item[1].count)
    for label, relation in by_size[:limit]:
        fitted_on = f"{relation.validation:,}" if relation.validation else "all relations"
        numbers = (f"{relation.accuracy:.3f}", f"{relation.threshold:.3f}", fitted_on)
        table.add_row(Text(label), f"{relation.count:,}", *numbers)
    return table


def _problems(result: TripleClassification) -> list[str]:
    """What the audit found, in words; nothing of what it did not find."""
    found = result.problems
    with_unseen = found.positives_with_unseen + found.negatives_with_unseen
    repeated = found.repeated_positives + found.repeated_negatives
    missing = len(found.relations_without_validation)
    remarks = [
        (with_unseen, f"with one of {found.unseen_entities:,} entities that train never has"),
        (result.unanswered, "without an energy, held false"),
        (found.negatives_in_train, "false, yet in train"),
        (found.negatives_also_positive, "false and also true"),
        (found.positives_in_train, "true and in train already"),
        (repeated, "repeated"),
        (found.unknown_relations, "with a relation that the model does not know"),
        (found.judged_by_fallback, "judged by the threshold of all relations together"),
        (found.left_out, "left out, since no false one can be made of them"),
    ]
    told = [f"{count:,} {remark}" for count, remark in remarks if count]
    return told + ([f"{missing:,} relations are not in validation"] if missing else [])
