"""Workers without Ray, one after the other, in this process: what they do is the same."""

from __future__ import annotations

from transa.cluster.run import ClusterRun
from transa.cluster.store import Store
from transa.cluster.worker import TurnWorker


class Inline:
    """Does jobs as they come; `before` may look at each."""

    def __init__(self, told, before=lambda job: None):
        self.worker, self.before = TurnWorker(told), before

    def results(self, jobs, stop=lambda: False):
        import ray

        for job in jobs:
            self.before(job)
            given = [ray.get(a) if isinstance(a, ray.ObjectRef) else a for a in job.arguments]
            yield job, getattr(self.worker, job.method)(*given)

    def close(self):
        self.worker.close()


def run_of(settings, graph, work, at_hand=4, storage=None, threads=1):
    """A run that has such workers."""
    store = Store(str(work) if storage is None else storage)
    run = ClusterRun(settings.energy, settings.recipe, graph, work, store, at_hand)
    run.pool = Inline(run.training(threads))
    return run
