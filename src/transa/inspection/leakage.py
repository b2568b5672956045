"""Test facts that train gives away, and how far a rule gets that does nothing but copy them.

Toutanova and Chen (2015) found that most of FB15K's test facts are between entities that training
facts link already; Dettmers et al. (2018) that a rule which turns training facts round beats most
models on WN18 and FB15K. A model that scores there has learnt to copy, and may know nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.graph import Graph, Triples
from transa.graph.known import SIDES, Side, question_keys
from transa.inspection.copies import Copies, pairs
from transa.ranking.metrics import Metrics

WORTH_A_WARNING = 0.1
"""The share of test facts that can be copied from which a benchmark flatters."""


@dataclass(frozen=True)
class CopiedRelation:
    """Test facts of a relation that stand in train under another, or turned round.

    Attributes:
        relation: its label.
        source: the label of the relation that tells the same in train.
        inverted: whether that relation leads the other way.
        facts: how many test facts are given away by it.
    """

    relation: str
    source: str
    inverted: bool
    facts: int


@dataclass(frozen=True)
class Leakage:
    """What train gives away of the test facts; shares of all of them.

    Attributes:
        facts: how many test facts there are.
        linked: between entities that a training fact links, in either direction.
        turned: linked the other way round.
        symmetric: copied from the same relation, turned round.
        inverse: copied from another relation, turned round.
        duplicate: copied from another relation, as it is.
        copied: copied in any of these ways.
        rule: the filtered ranks of a rule that answers with what it can copy, the surest first,
            and guesses otherwise.
        relations: the relations with most facts that can be copied, and where they stand.
    """

    facts: int
    linked: float
    turned: float
    symmetric: float
    inverse: float
    duplicate: float
    copied: float
    rule: Metrics
    relations: tuple[CopiedRelation, ...]

    @property
    def is_worth_a_warning(self) -> bool:
        """Whether results on this test split say more of the split than of the model."""
        return self.copied >= WORTH_A_WARNING

    def __str__(self) -> str:
        rule = f"MRR {self.rule.mrr:.3f}, Hits@1 {self.rule.hits_at_1:.3f}"
        return (
            f"{self.copied:.0%} of the test facts can be copied from train, turned round or under "
            f"another relation: a rule that copies them has {rule}"
        )


def leakage_of(graph: Graph, copies: Copies, most: int = 10) -> Leakage | None:
    """What train gives away of the test facts; None without any."""
    if len(graph.test) == 0:
        return None
    head, relation, tail = graph.test.T
    n = graph.n_entities
    asked = pl.DataFrame(
        {"row": np.arange(len(graph.test)), "relation": relation, "pair": pairs(head, tail, n)}
    )
    predicted = copies.predicted()
    found = asked.join(predicted, on=["relation", "pair"])
    same = pl.col("source") == pl.col("relation")
    ways = {
        "symmetric": found.filter(same),
        "inverse": found.filter("inverted", ~same),
        "duplicate": found.filter(~pl.col("inverted")),
        "copied": found,
    }
    turned = np.isin(asked["pair"], copies.facts["turned"])
    linked = turned | np.isin(asked["pair"], copies.facts["pair"])
    return Leakage(
        facts=len(asked),
        linked=float(linked.mean()),
        turned=float(turned.mean()),
        **{way: rows["row"].n_unique() / len(asked) for way, rows in ways.items()},
        rule=Metrics.of(_ranks(graph, predicted, asked)),
        relations=_most_copied(graph, found, most),
    )


def _most_copied(graph: Graph, found: pl.DataFrame, most: int) -> tuple[CopiedRelation, ...]:
    counts = found.group_by("relation", "source", "inverted").agg(facts=pl.len())
    by_count = counts.sort("facts", "relation", "source", descending=[True, False, False])
    label = graph.relations.label
    return tuple(
        CopiedRelation(label(r["relation"]), label(r["source"]), r["inverted"], r["facts"])
        for r in by_count.head(most).iter_rows(named=True)
    )


def _ranks(graph: Graph, predicted: pl.DataFrame, asked: pl.DataFrame) -> NDArray[np.float64]:
    """The filtered ranks of the test facts, head then tail; in the middle of their equals."""
    on = ["relation", "pair"]
    best = predicted.group_by(on).agg(pl.col("share").max())
    best = best.with_columns(level=pl.col("share").rank("dense").cast(pl.Int64))
    known_head, known_relation, known_tail = graph.known.T
    known = pl.DataFrame(
        {"relation": known_relation, "pair": pairs(known_head, known_tail, graph.n_entities)}
    )
    rivals = best.join(known, on=on, how="anti")
    head, tail = np.divmod(rivals["pair"].to_numpy(), graph.n_entities)
    guessed = np.stack([head, rivals["relation"].to_numpy(), tail], axis=1)
    own = asked.join(best, on=on, how="left", maintain_order="left")["level"].fill_null(0)
    levels = rivals["level"].to_numpy(), own.to_numpy()
    return np.stack([_ranks_of(graph, guessed, *levels, side) for side in SIDES], axis=1)


def _ranks_of(
    graph: Graph,
    guessed: Triples,
    guessed_level: NDArray[np.int64],
    own_level: NDArray[np.int64],
    side: Side,
) -> NDArray[np.float64]:
    """Ranks among wrong guesses, each as sure as its level; 0 is that of what is not guessed."""
    n = graph.n_entities
    keys = question_keys(graph.test, side, n)
    questions, question = np.unique(keys, return_inverse=True)
    guessed_keys = question_keys(guessed, side, n)
    place = np.minimum(np.searchsorted(questions, guessed_keys), len(questions) - 1)
    asked = questions[place] == guessed_keys
    levels = 1 + int(max(guessed_level.max(initial=0), own_level.max()))
    ordered = np.sort(place[asked] * levels + guessed_level[asked])
    here = question * levels + own_level
    above, upto = np.searchsorted(ordered, here), np.searchsorted(ordered, here, "right")
    better = np.searchsorted(ordered, (question + 1) * levels) - upto
    start, stop = graph.index.answers(side).spans(keys)
    unguessed = n - (stop - start) - better
    equal = np.where(own_level == 0, unguessed, upto - above)
    ranks: NDArray[np.float64] = 1.0 + better + equal / 2
    return ranks
