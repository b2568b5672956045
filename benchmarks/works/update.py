"""One per cent of new facts learnt by an update, against training anew on all.

A day: half of the new facts are of entities that the old graph lacks, half are between known ones.
Both sides are ranked on the whole test split, with the same triples known. Three scores: the MRR of
the update by that of training anew; the same on test triples of the new entities, for which there
is no bar, since they are few; and the time of the processor, which other work on the machine
disturbs least. Either time includes reading nothing and fitting the probabilities.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np

import transa
from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side
from transa import datasets
from transa.estimator import estimator_of
from transa.estimator.base import Estimator
from transa.estimator.fitting import chosen_for
from transa.graph import Graph, Triples
from transa.ranking import quick_metrics

TITLE = f"1 % new facts, an update against training anew, {THREADS} threads: MRR, CPU seconds"
PEERS = False
QUALITY, TIME = 0.98, 0.1
SHARE = 0.01


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Both graphs of the bar; a small one for a look."""
    for name in ("codex-s",) if quick else ("fb15k-237", "wn18rr"):
        yield measure(datasets.load(name))


def measure(graph: Graph) -> Point:
    """Train on the day before, update, train anew; rank all three."""
    old, facts, newcomers = day_before(graph)
    before, took_before = timed(lambda: trained(old))
    kept = transa.Estimator(before.settings_.model, **before.settings_.by_name)
    kept._learnt = before.learnt_
    updated, took_update = timed(lambda: kept.partial_fit(facts))
    anew, took_anew = timed(lambda: trained(graph))
    of_new = np.isin(graph.test[:, [0, 2]], newcomers).any(axis=1)
    sides, overall, new_ones = [], {}, {}
    for name, model, seconds in (
        ("before", before, took_before),
        ("update", updated, took_update),
        ("anew", anew, took_anew),
    ):
        overall[name], new_ones[name] = qualities(graph, model, of_new)
        remark = f"MRR {overall[name]:.4f}, of the new entities {new_ones[name]:.4f}"
        sides.append(Side(name, (seconds,), remark))
    return Point(
        f"{graph.name}, {len(facts):,} new facts, {len(newcomers):,} new entities",
        "s",
        tuple(sides),
        (
            Score("MRR, of training anew", (overall["update"] / overall["anew"],), QUALITY),
            Score("CPU time, of training anew", (took_update / took_anew,), TIME, "at most"),
            Score("MRR of the new entities", (ratio(new_ones, "update"),)),
            Score("MRR without an update", (overall["before"] / overall["anew"],)),
        ),
        (f"{int(of_new.sum())} test triples have a new entity",),
    )


def day_before(graph: Graph) -> tuple[Graph, list[tuple[str, str, str]], Triples]:
    """The graph without its new facts and entities, those facts by label, and those entities."""
    rng = np.random.default_rng(0)
    train, wanted = graph.train, round(SHARE * len(graph.train))
    degree = np.bincount(train[:, [0, 2]].ravel(), minlength=graph.n_entities)
    drawn = rng.permutation(np.flatnonzero((degree > 0) & (degree <= wanted // 20)))
    newcomers = drawn[: 1 + int(np.searchsorted(np.cumsum(degree[drawn]), wanted // 2))]
    is_new = np.isin(train[:, [0, 2]], newcomers).any(axis=1)
    known = rng.permutation(np.flatnonzero(~is_new))
    is_new[known[: max(0, wanted - int(is_new.sum()))]] = True
    old, later = labels(graph, train[~is_new]), labels(graph, train[is_new])

    def without(triples: Triples) -> list[tuple[str, str, str]]:
        return labels(graph, triples[~np.isin(triples[:, [0, 2]], newcomers).any(axis=1)])

    before = transa.from_labels(
        old, without(graph.valid), without(graph.test), unseen="keep", name=graph.name
    )
    return before, later, newcomers


def labels(graph: Graph, triples: Triples) -> list[tuple[str, str, str]]:
    """Triples by label."""
    entities, relations = graph.entities.labels.to_list(), graph.relations.labels.to_list()
    return [(entities[h], relations[r], entities[t]) for h, r, t in triples.tolist()]


def trained(graph: Graph) -> Estimator:
    """As `transa train GRAPH` does."""
    settings = chosen_for(graph, "transe", {"threads": THREADS}).settings
    return estimator_of(settings).fit(graph)


def timed(work: Callable[[], Estimator]) -> tuple[Estimator, float]:
    """The estimator, and the processor's seconds."""
    began = time.process_time()
    return work(), time.process_time() - began


def qualities(graph: Graph, model: Estimator, of_new: np.ndarray) -> tuple[float, float]:
    """The filtered MRR on the whole test split, and on that of the new entities.

    The model's tables are put into the order of the whole graph; a row that it has not is average.
    """
    from transa.models import FittedModel

    energy, own = model.settings_.energy, model.graph_
    order = {
        "entity": own.entities.find(graph.entities.labels.to_list()),
        "relation": own.relations.find(graph.relations.labels.to_list()),
    }
    tables = {}
    for name, table in model.parameters_.items():
        kind = energy.tables[name]
        parts = np.split(table, len(table) // own.n_relations) if kind == "relation" else [table]
        tables[name] = np.concatenate([in_order(part, order[kind]) for part in parts])
    fitted = FittedModel(energy, tables, graph)
    every = quick_metrics(fitted, graph.test, threads=THREADS).mrr
    if not of_new.any():
        return every, float("nan")
    return every, quick_metrics(fitted, graph.test[of_new], threads=THREADS).mrr


def in_order(table: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The rows of these numbers; the mean of all for those that are not there."""
    found = table[rows]
    found[rows < 0] = table.mean(axis=0)
    return found


def ratio(values: dict[str, float], of: str) -> float:
    """A value by that of training anew."""
    return values[of] / values["anew"]
