"""Relations that say again what another says: backwards, in the same words, or of themselves.

Relation s is *copied* by relation r if most training facts (h, s, t) come with (h, r, t), or with
(t, r, h) if inverted. Where splits are drawn at random, a fact and its copy are both in train only
as often as train's share of all facts allows; the shares below make up for that, so that a perfect
copy has about 1 (Dettmers et al. 2018 lower their threshold for the same reason).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.graph import Graph
from transa.graph.sorting import distinct_triples

ENOUGH = 0.8
"""The share from which a relation counts as a copy (as in Akrami et al. 2020)."""

# Facts that two relations must share: fewer coincide by chance.
_FEWEST = 3
# Relations between one pair of entities, beyond which the pair tells nothing and costs the square.
_MOST_BETWEEN = 1000


@dataclass(frozen=True, eq=False)
class Copies:
    """Which relations can be copied from which.

    Attributes:
        facts: the distinct training facts without loops: `relation`, and the pair of entities as
            one number, `pair`, and turned round, `turned`.
        rules: `source` and `relation`, whether the pair is turned round (`inverted`), how many
            facts they `shared` and which `share` of the source's facts that is, at most 1.
        n_entities: how many there are.
    """

    facts: pl.DataFrame
    rules: pl.DataFrame
    n_entities: int

    @property
    def symmetric(self) -> dict[int, float]:
        """The relations that lead back as well, each with the share of facts that do."""
        rows = self.rules.filter(pl.col("source") == pl.col("relation"))
        return dict(zip(rows["source"], rows["share"], strict=True))

    def mutual(self, inverted: bool) -> dict[int, int]:
        """The pairs of which either can be copied from the other: the best partner of each."""
        rules = self.rules.filter(
            pl.col("inverted") == inverted, pl.col("source") != pl.col("relation")
        )
        back = rules.select(source="relation", relation="source")
        both = rules.join(back, on=["source", "relation"])
        best = both.sort("share", "relation", descending=[True, False])
        best = best.unique("source", keep="first", maintain_order=True)
        return dict(zip(best["source"], best["relation"], strict=True))

    def predicted(self) -> pl.DataFrame:
        """Every fact that a rule predicts from train: the columns of `rules`, and `pair`."""
        pair = pl.when("inverted").then("turned").otherwise("pair").alias("pair")
        rules = self.rules.rename({"relation": "copy"})
        return (
            self.facts.join(rules, left_on="relation", right_on="source")
            .select(pl.col("relation").alias("source"), "copy", "inverted", "share", pair)
            .rename({"copy": "relation"})
        )


def copies_in(graph: Graph) -> Copies:
    """Which relations of the training triples can be copied from which."""
    facts = _facts(graph)
    sizes = np.bincount(facts["relation"], minlength=graph.n_relations)
    in_train = len(graph.train) / len(graph.known)
    rules = pl.concat(_shared(facts, inverted) for inverted in (False, True))
    of_source = sizes[rules["source"].to_numpy()] * in_train
    share = np.minimum(rules["shared"].to_numpy() / of_source, 1)
    rules = rules.with_columns(share=share).filter(pl.col("share") >= ENOUGH)
    return Copies(facts, rules, graph.n_entities)


def pairs(
    head: NDArray[np.integer], tail: NDArray[np.integer], n_entities: int
) -> NDArray[np.int64]:
    """One number for each pair of entities."""
    return head.astype(np.int64) * n_entities + tail


def _facts(graph: Graph) -> pl.DataFrame:
    head, relation, tail = distinct_triples(graph.train).T
    ids = head, tail, graph.n_entities
    turned = pairs(tail, head, graph.n_entities)
    facts = pl.DataFrame({"relation": relation, "pair": pairs(*ids), "turned": turned})
    return facts.filter(pl.col("pair") != pl.col("turned"))


def _shared(facts: pl.DataFrame, inverted: bool) -> pl.DataFrame:
    """How many facts each two relations have in common."""
    few = facts.filter(pl.len().over("pair") <= _MOST_BETWEEN)
    sources = few.lazy().select(source="relation", pair="turned" if inverted else "pair")
    others = few.lazy().select("relation", "pair")
    both = sources.join(others, on="pair")
    if not inverted:
        both = both.filter(pl.col("source") != pl.col("relation"))
    counted = both.group_by("source", "relation").agg(shared=pl.len())
    counted = counted.filter(pl.col("shared") >= _FEWEST).with_columns(inverted=pl.lit(inverted))
    return counted.sort("source", "relation").collect()
