"""Workers and their jobs: who is free gets the next, and what a lost one had is done anew.

Ray places workers, and tells when one is gone; a new one is then asked for, wherever there is room
for it. A job that takes much longer than others is given to somebody else as well, who is free:
whoever is first counts.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from transa.errors import TrainingError
from transa.training.interrupt import StopAsked, StopRequestedError, never

# Seconds between two looks at whether to stop.
LOOK = 0.25
# Seconds for which nobody may be there to work: a cluster that grows by itself takes minutes.
PATIENCE = 600.0
# Workers that a job may cost before it is held to be what ends them.
MOST_LOST = 4
# Times as long as others that a job may take, and seconds, before somebody else is given it too.
SLOW, SLOW_AT_LEAST = 3.0, 2.0


@dataclass(frozen=True, eq=False)
class Job:
    """A call of a worker's method.

    Attributes:
        what: tells it from others.
        method: of `transa.cluster.worker.Worker`.
        arguments: of that method; large ones that jobs share are references to Ray's store.
    """

    what: int
    method: str
    arguments: tuple[Any, ...]


@dataclass(eq=False)
class _Doing:
    """A call under way; without a job the worker is getting ready."""

    worker: Any
    job: Job | None
    began: float = field(default_factory=time.monotonic)


class Pool:
    """Workers of a cluster.

    Attributes:
        pids: of the processes that are ready, as they said.
        lost: workers that were lost so far.
    """

    def __init__(self, hire: Callable[[], tuple[Any, Any]], most: int) -> None:
        """A pool of as many workers as there is room for.

        Args:
            hire: asks for a worker: its handle, and the reference of when it is ready.
            most: there is no use for more.
        """
        self._hire, self._most = hire, most
        self._doing: dict[Any, _Doing] = {}
        self._idle: list[Any] = []
        self._hired: list[Any] = []
        self._last_seen = time.monotonic()
        self.pids: dict[Any, int] = {}
        self.lost = 0
        for _ in range(most):
            self._ask_for_one()

    def _ask_for_one(self) -> None:
        worker, ready = self._hire()
        self._hired.append(worker)
        self._doing[ready] = _Doing(worker, None)

    def busy(self) -> dict[int, int]:
        """The process of each job under way, by what the job is."""
        doing = [each for each in self._doing.values() if each.job is not None]
        return {each.job.what: self.pids[each.worker] for each in doing if each.job is not None}

    def results(self, jobs: Iterable[Job], stop: StopAsked = never) -> Iterator[tuple[Job, Any]]:
        """What comes of jobs, in the order in which they are done.

        Raises:
            StopRequestedError: if it is to stop.
            TransaError: what a worker says against its job, or if nobody is there to work.
        """
        source, again = iter(jobs), deque[Job]()
        undone: dict[int, Job] = {}
        lost: dict[int, int] = {}
        took: list[float] = []
        while True:
            self._give_out(source, again, undone, took)
            if not undone:
                return
            if stop():
                raise StopRequestedError
            for doing, found in self._ended():
                job = doing.job
                mine = job is not None and undone.get(job.what) is job
                if isinstance(found, _Lost):
                    self._replace(doing.worker)
                    if mine and job is not None and not self._is_done_by_others(job):
                        lost[job.what] = lost.get(job.what, 0) + 1
                        _check_lost(lost[job.what], found)
                        again.append(job)
                elif isinstance(found, BaseException):
                    if mine or job is None:
                        raise found
                    # What it wanted is gone, since another was first.
                    self._replace(doing.worker)
                elif job is None:
                    self.pids[doing.worker] = found
                    self._idle.append(doing.worker)
                else:
                    self._idle.append(doing.worker)
                    if mine:
                        del undone[job.what]
                        took.append(time.monotonic() - doing.began)
                        yield job, found

    def _give_out(
        self,
        source: Iterator[Job],
        again: deque[Job],
        undone: dict[int, Job],
        took: list[float],
    ) -> None:
        while self._idle or not undone:
            job = again.popleft() if again else next(source, None)
            if job is None:
                break
            undone[job.what] = job
            if not self._idle:
                again.append(job)
                break
            self._give(self._idle.pop(), job)
        for job in self._slow(undone, took) if self._idle else ():
            if self._idle:
                self._give(self._idle.pop(), job)

    def _give(self, worker: Any, job: Job) -> None:  # noqa: ANN401 (Ray's handle)
        reference = getattr(worker, job.method).remote(*job.arguments)
        self._doing[reference] = _Doing(worker, job)

    def _slow(self, undone: dict[int, Job], took: list[float]) -> list[Job]:
        """Jobs that one worker alone is at, for much longer than others took."""
        if not took:
            return []
        limit = max(SLOW_AT_LEAST, SLOW * statistics.median(took))
        at_it = [each for each in self._doing.values() if each.job is not None]
        late = (each.job for each in at_it if time.monotonic() - each.began > limit)
        jobs = [job for job in late if job is not None and undone.get(job.what) is job]
        return [job for job in jobs if sum(each.job is job for each in at_it) == 1]

    def _is_done_by_others(self, job: Job) -> bool:
        return any(each.job is job for each in self._doing.values())

    def _ended(self) -> Iterator[tuple[_Doing, Any]]:
        """Calls that have ended, and what came of them."""
        import ray

        ready, _ = ray.wait(list(self._doing), num_returns=1, timeout=LOOK)
        now = time.monotonic()
        if self._idle or len(self.busy()):
            self._last_seen = now
        elif now - self._last_seen > PATIENCE and not ready:
            raise TrainingError(
                f"no worker has been there for {PATIENCE / 60:,.0f} minutes: no node of the "
                "cluster has room for one; what was saved is whole, and --resume goes on"
            )
        for reference in ready:
            doing = self._doing.pop(reference)
            yield doing, _result(reference)

    def _replace(self, worker: Any) -> None:  # noqa: ANN401 (Ray's handle)
        """Ask for another in the place of one that is gone."""
        import ray

        self.lost += 1
        self._hired.remove(worker)
        self.pids.pop(worker, None)
        ray.kill(worker)
        self._ask_for_one()

    def close(self) -> None:
        """Let all of them go: those who are free clear up, the others are ended."""
        import ray

        leaving = [worker.end.remote() for worker in self._idle]
        if leaving:
            ray.wait(leaving, num_returns=len(leaving), timeout=5)
        for worker in self._hired:
            ray.kill(worker)
        self._hired, self._idle, self._doing = [], [], {}


@dataclass(frozen=True)
class _Lost:
    """A worker that is gone, and why."""

    reason: str


def _result(reference: Any) -> Any:  # noqa: ANN401
    """What a call came to: its result, the error it raised, or that its worker is lost."""
    import ray
    from ray.exceptions import RayError, RayTaskError

    try:
        return ray.get(reference)
    except RayTaskError as error:
        return error.cause if isinstance(error.cause, BaseException) else error
    except RayError as error:
        return _Lost(" ".join(str(error).split())[:300])


def _check_lost(times: int, lost: _Lost) -> None:
    if times >= MOST_LOST:
        raise TrainingError(
            f"the same work has ended {times} workers ({lost.reason}); give workers more memory, "
            "or prepare the graph in more partitions; --resume goes on from what was saved"
        )
