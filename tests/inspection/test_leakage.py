"""Copied relations and what they give away: by hand, by brute force, and as published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import transa
from transa.graph.graph import no_triples
from transa.inspection.copies import ENOUGH, copies_in
from transa.inspection.leakage import leakage_of

MARRIED = [("a", "spouse", "b"), ("c", "spouse", "d"), ("e", "spouse", "f"), ("g", "spouse", "h")]
PARENT = [("a", "parent", "x"), ("b", "parent", "x"), ("c", "parent", "y"), ("d", "parent", "y")]


def turned(rows, relation):
    return [(tail, relation, head) for head, _, tail in rows]


def renamed(rows, relation):
    return [(head, relation, tail) for head, _, tail in rows]


def family(test):
    train = [*MARRIED, *turned(MARRIED, "spouse"), *PARENT, *turned(PARENT, "child")]
    train += [*renamed(PARENT, "mother or father"), ("e", "parent", "z"), ("x", "likes", "y")]
    train = [row for row in train if row not in test]
    return transa.from_labels(train, test=test)


def kinds_of(graph):
    return {kind.relation: kind for kind in transa.inspect(graph).relation_kinds}


def test_kinds_of_relations():
    kinds = kinds_of(family([("z", "child", "e")]))
    assert [name for name, kind in kinds.items() if kind.symmetric] == ["spouse"]
    assert kinds["parent"].inverse == "child"
    assert kinds["mother or father"].duplicate == "parent"
    assert kinds["parent"].kind == "N-1"
    assert kinds["child"].kind == "1-N"
    assert kinds["likes"].inverse is kinds["likes"].duplicate is None
    assert next(iter(kinds)) == "spouse"


def test_each_way_of_leaking_is_told_apart():
    test = [("h", "spouse", "g"), ("z", "child", "e"), ("y", "likes", "x")]
    found = leakage_of(graph := family(test), copies_in(graph))
    assert found.facts == 3
    assert found.linked == found.turned == 1
    assert found.symmetric == pytest.approx(1 / 3)
    assert found.inverse == pytest.approx(1 / 3)
    assert found.duplicate == 0
    assert found.copied == pytest.approx(2 / 3)
    assert {(row.relation, row.source, row.inverted, row.facts) for row in found.relations} == {
        ("spouse", "spouse", True, 1),
        ("child", "parent", True, 1),
    }
    assert found.is_worth_a_warning


def test_loops_lead_nowhere_back():
    rows = [(name, "same", name) for name in "abcdef"]
    assert not kinds_of(transa.from_labels(rows, split=None))["same"].symmetric


def test_few_facts_are_no_evidence():
    two = MARRIED[:2]
    graph = transa.from_labels([*two, *turned(two, "spouse")], split=None)
    assert kinds_of(graph)["spouse"].symmetric  # four facts
    graph = transa.from_labels([*two, *turned(two[:1], "other")], split=None)
    assert kinds_of(graph)["other"].inverse is None


def test_a_pair_with_countless_relations_is_passed_over(monkeypatch):
    graph = family([("z", "child", "e")])
    monkeypatch.setattr("transa.inspection.copies._MOST_BETWEEN", 1)
    kinds = kinds_of(graph)
    assert kinds["spouse"].symmetric
    assert kinds["mother or father"].duplicate is None


def rank_by_hand(graph, row, side):
    """Score every candidate by the surest rule that copies it, one by one."""
    train = set(map(tuple, graph.train.tolist()))
    known = set(map(tuple, graph.known.tolist()))
    rules = copies_in(graph).rules.rows(named=True)
    head, relation, tail = row

    def surest(h, t):
        shares = [0.0]
        for rule in rules:
            ends = (t, h) if rule["inverted"] else (h, t)
            fact = (ends[0], rule["source"], ends[1])
            if rule["relation"] == relation and h != t and fact in train:
                shares.append(rule["share"])
        return max(shares)

    def fact(other):
        return (other, relation, tail) if side == 0 else (head, relation, other)

    own = surest(head, tail)
    others = [fact(e) for e in range(graph.n_entities)]
    scores = [surest(h, t) for h, _, t in others if (h, relation, t) not in known]
    better, equal = sum(s > own for s in scores), sum(s == own for s in scores)
    return 1 + better + equal / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_rule_ranks_as_one_would_by_hand(seed):
    rng = np.random.default_rng(seed)
    base = np.unique(rng.integers(0, 9, (30, 2)), axis=0)
    facts = [(h, 0, t) for h, t in base] + [(t, 1, h) for h, t in base if rng.random() < 0.95]
    facts += [(h, 2, t) for h, t in base if rng.random() < 0.9]
    facts += [(t, 0, h) for h, t in base if rng.random() < 0.2]
    facts = np.unique(facts, axis=0)
    order = rng.permutation(len(facts))
    graph = transa.from_ids(facts[order[15:]], test=facts[order[:15]], n_entities=10)
    copies = copies_in(graph)
    assert len(copies.rules) > 2
    assert copies.rules["share"].min() >= ENOUGH
    ranks = [[rank_by_hand(graph, row, side) for side in (0, 1)] for row in graph.test.tolist()]
    found = leakage_of(graph, copies).rule
    assert found.mr == pytest.approx(np.mean(ranks))
    assert found.mrr == pytest.approx(np.mean(1 / np.array(ranks)))
    assert found.hits_at_1 == pytest.approx(np.mean(np.array(ranks) <= 1))


def test_no_test_facts_leak_nothing():
    graph = replace(family([("z", "child", "e")]), test=no_triples())
    assert transa.inspect(graph).leakage is None


# Toutanova and Chen (2015): 81 % of FB15K's test facts are between entities that train links.
# Dettmers et al. (2018): 94 % of WN18's have an inverse in train; a rule that turns facts round has
# an MRR of 0.35 on WN18RR and next to none on FB15k-237. Safavi and Koutra (2020): 17.46 % of
# CoDEx-S is of symmetric relations, and none of inverse ones.
@pytest.mark.parametrize(
    ("name", "linked", "mrr"),
    [
        ("wn18", 0.94, 0.93),
        ("wn18rr", 0.35, 0.34),
        ("fb15k", 0.81, 0.75),
        ("fb15k-237", 0.0, 0.0),
        ("codex-s", 0.16, 0.11),
    ],
)
def test_benchmarks_leak_as_published(datasets, name, linked, mrr):
    graph = transa.load_graph(datasets / name, unseen="keep")
    found = leakage_of(graph, copies_in(graph))
    assert round(found.linked, 2) == linked
    assert round(found.rule.mrr, 2) == mrr
    assert found.is_worth_a_warning == (name != "fb15k-237")


def test_codex_has_the_symmetric_relations_that_its_paper_counts(datasets):
    kinds = transa.inspect(transa.load_graph(datasets / "codex-s")).relation_kinds
    symmetric = sum(kind.facts for kind in kinds if kind.symmetric)
    assert symmetric / sum(kind.facts for kind in kinds) == pytest.approx(0.1746, abs=5e-4)
    assert {kind.inverse for kind in kinds} == {None}
