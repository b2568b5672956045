"""How many of the facts that discovery names are true, beside a baseline that counts.

Run with ``python -m benchmarks.discovery [GRAPH ...]``. A model learns from the training triples,
and its probabilities from the validation triples, as `transa train` does. The graph that is then
completed has the training triples alone, and a fact that is named counts as true if the validation
or the test split has it. These are but a part of what is true, so that every precision here is too
low, that of the baseline as well.

The baseline knows no vectors: of head and tail it takes how often each stands in its place of the
relation, and multiplies. Types and caps are the same for all.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa import Estimator, TransA, load
from transa.asking.discovery.discovering import Rules, Search
from transa.asking.discovery.order import by_probability, by_standing
from transa.asking.discovery.table import Discoveries
from transa.asking.discovery.types import Places
from transa.graph import Graph
from transa.models import FittedModel

RESULT = Path(__file__).with_name("results") / "discovery.json"
GRAPHS = ("codex-s", "fb15k-237")
DEPTHS = (100, 1000)

Fact = tuple[int, int, int]


def main() -> None:
    """Measure graph by graph; each is kept as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.discovery", description=__doc__)
    parser.add_argument("graphs", nargs="*", default=GRAPHS, metavar="GRAPH")
    parser.add_argument("--model", type=Path, help="a model folder, in place of training")
    arguments = parser.parse_args()
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    for graph in arguments.graphs:
        model = TransA().fit(graph) if arguments.model is None else load(arguments.model)
        kept[model.graph_.name] = measured(model)
        RESULT.write_text(json.dumps(kept, indent=2) + "\n")
    print(table(kept))


def measured(model: Estimator) -> list[dict[str, Any]]:
    """A row for each way to order facts."""
    if model.learnt_.probabilities is None:
        model.fit_probabilities()
    graph = replace(model.graph_, valid=model.graph_.valid[:0], test=model.graph_.test[:0])
    bare = FittedModel(model.model_.energy, model.model_.tables, graph)
    held = np.concatenate([model.graph_.valid, model.graph_.test])
    truth = set(map(tuple, held.tolist()))
    orders = {
        "probability": by_probability(bare, model.probabilities_),
        "standing": by_standing(bare),
    }
    rules, rows = Rules(top=max(DEPTHS)), []
    for name, order in orders.items():
        begun = time.perf_counter()
        found = Search(bare, order, rules, range(graph.n_relations)).run()
        seconds = time.perf_counter() - begun
        facts = facts_of(graph, found)
        rows.append(row(name, facts, truth, [fact.probability for fact in found], seconds))
    begun = time.perf_counter()
    counted = by_counting(graph, rules)
    rows.append(row("counting", counted, truth, [None], time.perf_counter() - begun))
    return rows


def row(
    name: str, facts: list[Fact], truth: set[Fact], told: list[float | None], seconds: float
) -> dict[str, Any]:
    """The share that is true among the first so many, and what was promised of them."""
    hits = [fact in truth for fact in facts]
    promised = None if told[0] is None else {str(k): float(np.mean(told[:k])) for k in DEPTHS}  # type: ignore[arg-type]
    return {
        "order": name,
        "precision": {str(k): float(np.mean(hits[:k])) for k in DEPTHS},
        "mean probability": promised,
        "facts": len(facts),
        "seconds": round(seconds, 1),
    }


def facts_of(graph: Graph, found: Discoveries) -> list[Fact]:
    """The ids of what was found."""
    entities, relations = graph.entities, graph.relations
    return [(entities.id(f.head), relations.id(f.relation), entities.id(f.tail)) for f in found]


def by_counting(graph: Graph, rules: Rules) -> list[Fact]:
    """The same rules by counts: the best of each head, of each tail among those, the top."""
    scored = sorted(candidates(graph, rules), reverse=True)
    for place, most in ((0, rules.per_head), (2, rules.per_tail)):
        seen: dict[int, int] = {}
        kept = []
        for score, fact in scored:
            seen[fact[place]] = seen.get(fact[place], 0) + 1
            if seen[fact[place]] <= most:
                kept.append((score, fact))
        scored = kept
    return [fact for _, fact in scored[: rules.top]]


def candidates(graph: Graph, rules: Rules) -> Iterator[tuple[float, Fact]]:
    """The best new tails of every head and relation, by how often both stand where they would."""
    places, known = Places(graph, rules.types), graph.index
    for relation in range(graph.n_relations):
        of_relation = graph.train[graph.train[:, 1] == relation]
        head_counts = np.bincount(of_relation[:, 0], minlength=graph.n_entities)
        tail_counts = np.bincount(of_relation[:, 2], minlength=graph.n_entities)
        tails = places.fit(relation, "tail")
        ranked: NDArray[np.int64] = tails[np.argsort(-tail_counts[tails], kind="stable")]
        for head in places.fit(relation, "head").tolist():
            left_out = {*known.answers_to((head, relation, None)), head}
            new = [tail for tail in ranked[: rules.per_head + len(left_out)].tolist()
                   if tail not in left_out]  # fmt: skip
            for tail in new[: rules.per_head]:
                score = float(head_counts[head] * tail_counts[tail]) / len(of_relation)
                yield score, (head, relation, tail)


def table(kept: dict[str, list[dict[str, Any]]]) -> str:
    """In Markdown."""
    lines = [
        "| graph | order | precision at 100 | at 1,000 | promised at 100 | at 1,000 |",
        "|---|---|---|---|---|---|",
    ]
    for graph, rows in kept.items():
        for each in rows:
            precision = [f"{each['precision'][str(k)]:.3f}" for k in DEPTHS]
            promised = each["mean probability"] or {}
            told = [f"{promised[str(k)]:.2f}" if promised else "" for k in DEPTHS]
            lines.append(f"| {' | '.join([graph, each['order'], *precision, *told])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
