"""Ranks on a cluster: blocks of entities are counted side by side, and added up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transa import __version__
from transa.cluster.connecting import check_nodes, connected, threads_of
from transa.cluster.files import Catalogue, SharedFiles
from transa.cluster.models import ClusterModels, Names
from transa.cluster.pool import Job, Pool
from transa.cluster.worker import Training, Worker
from transa.graph import Triples
from transa.graph.candidates import Protocol
from transa.graph.known import KnownIndex
from transa.models import FittedModel
from transa.models.energy import Parameters
from transa.prepared.layout import Layout
from transa.ranking.in_blocks import BlockQuestions, check_exact_in_blocks
from transa.ranking.ranks import Progress, Ranks, check_finite
from transa.training.interrupt import StopAsked

# Bytes of a block that goes to a worker with its question.
_BLOCK = 64 << 20


def pool_of(told: Training | None, threads: int, most: int, memory: int = 0) -> Pool:
    """Workers for training, or for questions that bring along what they are about."""
    import ray

    reference = ray.put(told)
    room = {"memory": memory} if memory else {}
    actor = ray.remote(Worker).options(
        num_cpus=threads, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD", **room
    )

    def hire() -> tuple[Any, Any]:
        worker = actor.remote()
        return worker, worker.begin.remote(__version__, reference)

    return Pool(hire, most)


def ranks_of_parts(
    pool: Pool,
    models: ClusterModels,
    names: Names,
    files: SharedFiles,
    layout: Layout,
    questions: BlockQuestions,
    stop: StopAsked,
) -> Ranks:
    """Ranks of a model whose partitions are in files that workers reach."""
    import ray

    def catalogue(name: str) -> Catalogue:
        return {name: files.catalogue[name]}

    def rows() -> Iterator[Job]:
        for partition, name in names.parts.items():
            places = _inside(questions, layout, partition) - partition * layout.rows
            if len(places):
                yield Job(partition, "rows_of", (name, catalogue(name), places))

    found = {job.what: some for job, some in pool.results(rows(), stop)}
    asked_of = {
        table: np.concatenate([found[partition][table] for partition in sorted(found)])
        for table in next(iter(found.values()))
    }
    others = models.relations_of(names)
    given = [ray.put(each) for each in (questions, others, asked_of)]

    def counts() -> Iterator[Job]:
        for partition, name in names.parts.items():
            first = partition * layout.rows
            yield Job(partition, "count", (name, catalogue(name), first, *given))

    nobody = {name: table[:0] for name, table in asked_of.items()}
    alone = questions.count(models.energy, nobody | others, 0, asked_of, 1)
    return questions.ranks((some for _, some in pool.results(counts(), stop)), alone)


def _inside(questions: BlockQuestions, layout: Layout, partition: int) -> Any:  # noqa: ANN401
    ids = questions.entities
    return ids[ids // layout.rows == partition]


def rank_on(
    address: str,
    model: FittedModel,
    triples: Triples,
    *,
    protocol: Protocol = "published",
    known: KnownIndex | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Ranks:
    """What `transa.ranking.rank` gives, counted on a cluster; the model is read here alone."""
    check_exact_in_blocks(model.energy)
    check_finite(model)
    questions = BlockQuestions.of(triples, known or model.known, protocol)
    with connected(address):
        check_nodes(None)
        return _ranks_of_blocks(model, questions, threads_of(threads), progress)


def _ranks_of_blocks(
    model: FittedModel, questions: BlockQuestions, threads: int, progress: Progress | None
) -> Ranks:
    import ray

    energy = model.energy
    of_entities = [name for name, of in energy.tables.items() if of == "entity"]
    others = {n: np.asarray(t) for n, t in model.tables.items() if n not in of_entities}
    row = sum(model.tables[name][:1].nbytes for name in of_entities)
    size, n = max(1, _BLOCK // row), len(model.tables[of_entities[0]])

    def block(rows: Any) -> Parameters:  # noqa: ANN401
        return {name: np.ascontiguousarray(model.tables[name][rows]) for name in of_entities}

    asked_of = block(questions.entities)
    given = [ray.put(each) for each in (questions, others, asked_of)]

    def jobs() -> Iterator[Job]:
        for first in range(0, n, size):
            some = ray.put(block(slice(first, first + size)))
            yield Job(first, "count_given", (energy, some, first, threads, *given))

    alone = questions.count(energy, block(slice(0, 0)) | others, 0, asked_of, 1)
    count = -(-n // size)
    pool = pool_of(None, threads, count)

    def counted() -> Iterator[Any]:
        for done, (_, some) in enumerate(pool.results(jobs()), start=1):
            if progress is not None:
                progress(2 * len(questions.triples) * done // count, 2 * len(questions.triples))
            yield some

    try:
        return questions.ranks(counted(), alone)
    finally:
        pool.close()
