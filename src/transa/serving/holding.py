"""The model that is served: read from its folder, and read anew when the folder is replaced.

A new one is read beside the old one and then takes its place. A request keeps the one it began
with, so that none is dropped and none sees two.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from transa.estimator import Estimator, load
from transa.serving import answering
from transa.serving.gathering import Gatherer
from transa.serving.metrics import Metrics
from transa.serving.options import Serving
from transa.serving.problems import unknown_name
from transa.serving.views import overview
from transa.serving.views.names import NameIndex
from transa.storage.folder import version_of

T = TypeVar("T")

# Questions in one call of a kernel: enough to keep it busy, few enough to be done in a moment.
_TOGETHER = 1024

_log = logging.getLogger("transa.serving")


class Threads:
    """One thread for kernels, whose calls then have the cores to themselves; one for slow work."""

    def __init__(self) -> None:
        self.kernels = ThreadPoolExecutor(1, thread_name_prefix="kernels")
        self.slow = ThreadPoolExecutor(1, thread_name_prefix="slow")

    async def slowly(self, work: Callable[[], T]) -> T:
        """Do what may take a while; questions are answered meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self.slow, work)

    def close(self) -> None:
        """Let go of the threads once they have done what they are at."""
        self.kernels.shutdown(cancel_futures=True)
        self.slow.shutdown(cancel_futures=True)


class Served:
    """A model, its names to search, and a queue for each kind of question.

    Attributes:
        model: the estimator.
        version: of its folder, by which a replaced one is told.
        entities: their names.
        relations: their names.
    """

    def __init__(self, folder: Path, serving: Serving, threads: Threads, metrics: Metrics) -> None:
        self.version = version_of(folder)
        self.model = load(folder)
        self.threads, self.kernel_threads = threads, serving.threads
        graph = self.model.graph_
        known = graph.known
        in_triples = np.bincount(known[:, [0, 2]].ravel(), minlength=graph.n_entities)
        self.entities = NameIndex(graph.entities, in_triples)
        self.relations = NameIndex(
            graph.relations, np.bincount(known[:, 1], minlength=graph.n_relations)
        )
        # Sorted now, so that no request waits for it.
        _ = graph.index.heads, graph.index.tails, graph.index.has_loops

        def queue(kind: str, answer: Callable[..., list[T]]) -> Gatherer[Any, T]:
            return Gatherer(
                partial(answer, self),
                threads.kernels,
                together=_TOGETHER,
                waiting=serving.limits.waiting,
                seen=metrics.together.labels(kind).observe,
            )

        self.answers = queue("answers", answering.answers)
        self.similar = queue("similar", answering.similar)
        self.scores = queue("scores", answering.scores)
        self.verdicts = queue("verdicts", answering.verdicts)
        if len(known):
            self._ask_once(*known[0].tolist())

    def _ask_once(self, h: int, r: int, t: int) -> None:
        """Have the kernels compiled now, which may take longer than a request is given."""
        for question in ((h, r, None), (None, r, t), (h, None, t)):
            answering.answers(self, [answering.Asked(question, 1, known=False)])
        answering.similar(self, [answering.Like(h, 1)])
        answering.scores(self, [(h, r, t)])

    @cached_property
    def judging(self) -> Estimator:
        """The model with thresholds: those of its folder, or fitted when first asked for."""
        if self.model.learnt_.classifier is not None:
            return self.model
        return copy(self.model).fit_thresholds()

    @cached_property
    def map(self) -> dict[str, Any]:
        """Where the vectors lie; made when first asked for."""
        return overview.map_of(self)

    @cached_property
    def test_figures(self) -> dict[str, Any]:
        """What the answers are worth; measured when first asked for."""
        return overview.test_figures(self)

    def entity(self, label: str, **where: object) -> int:
        """The id of an entity; one that is unknown is refused, with those that are alike."""
        return _find(self.entities, label, where)

    def relation(self, label: str, **where: object) -> int:
        """The id of a relation; see `entity`."""
        return _find(self.relations, label, where)


def _find(index: NameIndex, label: str, where: dict[str, object]) -> int:
    found = index.find(label)
    if found is None:
        raise unknown_name(index.kind, label, index.alike(label), **where)
    return found


class Holder:
    """Has the model of the moment, and looks now and then whether there is a newer one."""

    def __init__(self, serving: Serving, metrics: Metrics) -> None:
        self._serving, self._metrics = serving, metrics
        self._threads = Threads()
        self._current: Served | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def current(self) -> Served:
        """The model that new requests are answered by."""
        assert self._current is not None  # noqa: S101 (nothing is answered before `open`)
        return self._current

    async def open(self) -> None:
        """Read the model and begin to watch its folder."""
        self._current = await self._threads.slowly(self._load)
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Watch no more."""
        if self._watching is not None:
            self._watching.cancel()
        self._threads.close()

    def _load(self) -> Served:
        served = Served(self._serving.folder, self._serving, self._threads, self._metrics)
        self._metrics.loads.labels("read").inc()
        return served

    async def _watch(self) -> None:
        refused = None
        while True:
            await asyncio.sleep(self._serving.look_seconds)
            found = version_of(self._serving.folder)
            # While a folder is being replaced there may be none for a moment.
            if found is None or found in (self.current.version, refused):
                continue
            try:
                self._current = await self._threads.slowly(self._load)
                _log.warning("%s: a new model is served", self._serving.folder)
            except Exception as error:
                # Whatever is wrong with it, the watch goes on.
                refused = found
                self._metrics.loads.labels("refused").inc()
                _log.warning("the model of before is served on: %s", error)
