"""The search: first each candidate by its defaults, then the settings of the best ones.

Chosen is by the validation split alone. The test split is looked at once, for the winner, when
the time is over. Whatever happens, the folder has the best model so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from transa.declarations import suggestion
from transa.errors import ConfigError, InputError, TrainingError, checked_seed, optional
from transa.estimator.fitting import chosen_for, opened
from transa.files.locks import locked
from transa.files.paths import path_of
from transa.files.whole import told_as_sentence, whole_file
from transa.graph import Graph
from transa.kernels.threads import thread_count
from transa.models import MODELS
from transa.prepared.graph import PreparedGraph
from transa.searching.clock import Clock
from transa.searching.record import CONFIG, MODEL, STUDY, Record, Tried, by_quality
from transa.searching.record import opened as record_in
from transa.searching.result import SearchResult
from transa.searching.space import Space
from transa.searching.study import Asked, Studies
from transa.searching.trial import Outcome, run_trial
from transa.settings.config import to_yaml
from transa.storage import folder as store
from transa.training.interrupt import Interrupt, StopAsked

CANDIDATES = ("transe", "complex", "distmult", "rotate", "rescal", "transa")
"""The models that are compared unless others are named: each has settings by size of graph."""

# Of the time, what the defaults of all candidates may take together, and one trial after them.
_SHARE_OF_DEFAULTS, _SHARE_OF_A_TRIAL = 0.4, 0.25
# A second model is searched too if its MRR is at least so much of the best one's, every third time.
_CLOSE, _EVERY = 0.9, 3
# Seconds below which another trial is not worth beginning.
_TOO_SHORT = 1.0
# Of trials in a row without a value, after which there is nothing to be hoped for.
_MOST_FAILURES = 10

Report: TypeAlias = Callable[[Tried], None]
"""Told of a trial when it has ended."""


def search(
    graph: Graph | str | Path,
    out: str | Path | None = None,
    *,
    minutes: float = 30.0,
    trials: int | None = None,
    models: Iterable[str] | None = None,
    parallel: int = 1,
    threads: int = 0,
    seed: int = 0,
    report: Report | None = None,
) -> SearchResult:
    """Find the model and the settings that suit a graph, by its validation triples.

    A search that was stopped or killed goes on when it is called again with the same folder; the
    minutes are those of all calls together. Ctrl-C ends it with the best so far.

    Args:
        graph: a graph, the name of a data set, or a path (see `transa.load_graph`).
        out: the folder of the search; ``runs/GRAPH-search`` unless given.
        minutes: what it may take in all. Trials that would take longer are planned shorter.
        trials: at most so many, of all calls together; as many as there is time for, unless given.
        models: the candidates; six that have settings by size of graph, unless given.
        parallel: trials at a time, in threads.
        threads: of all trials together; 0 means all cores.
        seed: of the trials and of what is tried. With several trials or threads at a time, and
            whenever the clock decides, chance plays its part all the same.
        report: told of every trial that has ended.

    Raises:
        ConfigError: for models or numbers that are none, or without Optuna (extra `search`).
        InputError: a graph without validation triples.
        StoreError: the folder holds something else, or another search is at work in it.
        TrainingError: no candidate came as far as one look at the validation split.

    Example:
        >>> import tempfile, transa
        >>> with tempfile.TemporaryDirectory() as out:
        ...     found = transa.search("countries", out, trials=1, models=["transe"], threads=1)
        ...     found.winner.model, found.winner.by
        ('transe', 'defaults')
    """
    began = time.monotonic()
    optional("optuna", "search", "a search over settings")
    candidates = _checked(minutes, trials, models, parallel)
    graph = opened(graph, checked_seed(seed))
    if isinstance(graph, PreparedGraph):
        raise ConfigError("a search trains in memory, and this graph is prepared for partitions")
    if len(graph.valid) == 0:
        raise InputError(
            f"graph {graph.name!r} has no validation triples, which a search goes by; split it "
            "(split=(0.8, 0.1, 0.1), --split 0.8,0.1,0.1)"
        )
    folder = Path("runs") / f"{graph.name}-search" if out is None else path_of(out)
    with told_as_sentence(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        record = record_in(folder, graph)
        with told_as_sentence(folder):
            folder.mkdir(exist_ok=True)
        # From now on the folder can be told for what it is, whenever a kill comes.
        record.write(folder)
        work = _Search(
            graph,
            folder,
            record,
            Clock(60.0 * minutes, record.seconds, began),
            candidates,
            trials,
            max(1, thread_count(threads) // parallel),
            parallel,
            seed,
            report,
        )
        stopped = work.run()
        work.conclude(rank=not stopped)
    return SearchResult(folder, work.record, stopped)


def _checked(
    minutes: float, trials: int | None, models: Iterable[str] | None, parallel: int
) -> tuple[str, ...]:
    """The candidates, if all that was asked for can be."""
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not minutes > 0:
        raise ConfigError(f"minutes is a positive number, found {minutes!r:.100}")
    for name, count in (("trials", 1 if trials is None else trials), ("parallel", parallel)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ConfigError(f"{name} is a whole number of at least 1, found {count!r:.100}")
    if models is None:
        return CANDIDATES
    named = [models] if isinstance(models, str) else list(models)
    for name in named:
        if not isinstance(name, str) or name.lower() not in {*map(str.lower, MODELS)}:
            raise ConfigError(f"no model {name!r:.60}; {suggestion(str(name), MODELS)}")
    if not named:
        raise ConfigError("models is empty; name one, or leave it out")
    return tuple(dict.fromkeys(n if n in MODELS else n.lower() for n in named))


@dataclass(frozen=True, eq=False)
class _Plan:
    """A trial that is to be run."""

    model: str
    by: Literal["defaults", "search"]
    seconds: float


class _Search:
    """One call. What is shared is changed by the thread that called alone."""

    def __init__(
        self,
        graph: Graph,
        folder: Path,
        record: Record,
        clock: Clock,
        candidates: tuple[str, ...],
        trials: int | None,
        threads: int,
        parallel: int,
        seed: int,
        report: Report | None,
    ) -> None:
        self.graph, self.folder, self.record, self.clock = graph, folder, record, clock
        self._candidates, self._most, self._report = candidates, trials, report
        given = {"threads": threads, "seed": seed}
        self._spaces = {
            model: Space.round(chosen_for(graph, model, given).settings) for model in candidates
        }
        self._studies = Studies(folder / STUDY, record.of, seed)
        self._parallel, self._threads, self._failures = parallel, threads, 0
        # Those that were stopped have not had their time.
        defaults = (each for each in record.trials if each.by == "defaults")
        tried = {each.model for each in defaults if each.ended != "stopped"}
        self._untried = [model for model in candidates if model not in tried]

    def run(self) -> bool:
        """Trials until the time is over or nothing is left to try; whether it was interrupted."""
        running: dict[Future[Outcome], tuple[_Plan, Asked]] = {}
        left = False
        with ThreadPoolExecutor(self._parallel) as workers, Interrupt() as interrupt:

            def stop() -> bool:
                return left or interrupt.requested

            try:
                while True:
                    while len(running) < self._parallel and not interrupt.requested:
                        plan = self._next([plan for plan, _ in running.values()])
                        if plan is None:
                            break
                        space = self._spaces[plan.model]
                        asked = self._studies.ask(plan.model, space, plan.by == "defaults")
                        running[workers.submit(self._try, plan, asked, stop)] = plan, asked
                    if not running:
                        return interrupt.requested
                    # Not for ever: else Ctrl-C would be heard when a trial has ended.
                    done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                    for future in done:
                        plan, asked = running.pop(future)
                        self._enter(plan, asked, future.result())
            finally:
                # However it ends, nobody waits for trials that nobody asks for any more.
                left = True
                self._studies.close()

    def _next(self, running: list[_Plan]) -> _Plan | None:
        """What to try next; None where there is nothing, or where others are to be waited for."""
        if self.clock.left() < _TOO_SHORT or self._failures >= _MOST_FAILURES:
            return None
        if self._most is not None and len(self.record.trials) + len(running) >= self._most:
            return None
        if self._untried:
            left = self.clock.left() - (1 - _SHARE_OF_DEFAULTS) * self.clock.total
            share = max(left, 0.1 * self.clock.left()) / len(self._untried)
            return _Plan(self._untried.pop(0), "defaults", share * self._parallel)
        if any(plan.by == "defaults" for plan in running):
            return None
        model = self._promising(len(running))
        seconds = max(_SHARE_OF_A_TRIAL * self.clock.total, _TOO_SHORT)
        if model is None:
            return None
        # What had no time to show what its defaults can do has it now.
        first = [e for e in self.record.trials if e.model == model and e.by == "defaults"]
        again = len(first) == 1 and first[0].ended in ("out of time", "stopped")
        again = again and not any(plan.model == model for plan in running)
        return _Plan(model, "defaults" if again else "search", seconds)

    def _promising(self, ahead: int) -> str | None:
        """The model whose settings are searched next: the best one, now and then the second."""
        own = (each for each in self.record.trials if each.model in self._candidates)
        best = list(dict.fromkeys(each.model for each in by_quality(own)))
        if not best:
            return None
        value = self.record.of_model(best[0])[0].mrr or 0.0
        close = [m for m in best if (self.record.of_model(m)[0].mrr or 0.0) >= _CLOSE * value]
        searched = ahead + sum(each.by == "search" for each in self.record.trials)
        return close[1] if len(close) > 1 and searched % _EVERY == _EVERY - 1 else close[0]

    def _try(self, plan: _Plan, asked: Asked, stop: StopAsked) -> Outcome:
        """In a thread of its own."""
        settings = self._spaces[plan.model].settings(asked.chosen)

        def hopeless(best: float, place: int) -> bool:
            # The defaults are to be seen to their end: a table of candidates is made of them.
            return asked.is_behind(best, place) and plan.by == "search"

        return run_trial(self.graph, settings, self.clock, plan.seconds, stop, hopeless)

    def _enter(self, plan: _Plan, asked: Asked, outcome: Outcome) -> None:
        """Keep what a trial came to, and its model if it is the best."""
        space = self._spaces[plan.model]
        settings = space.settings(asked.chosen)
        tried = Tried(
            number=len(self.record.trials) + 1,
            model=plan.model,
            by=plan.by,
            mrr=outcome.mrr,
            seconds=round(outcome.seconds, 2),
            epochs=outcome.epochs,
            planned=settings.recipe.epochs,
            megabytes=round(4e-6 * outcome.numbers, 3),
            ended=outcome.ended,
            chosen=dict(asked.chosen) if plan.by == "search" else {},
            why=outcome.why,
        )
        best = self.record.best
        self._failures = 0 if outcome.mrr is not None else self._failures + 1
        is_best = outcome.saved is not None and (
            best is None or (outcome.mrr or 0) > (best.mrr or 0)
        )
        if is_best and outcome.saved is not None:
            self._publish(outcome.saved)
        self.record = replace(
            self.record,
            trials=(*self.record.trials, tried),
            seconds=round(self.clock.spent(), 2),
            winner=tried.number if outcome.saved is not None and is_best else self.record.winner,
        )
        self.record.write(self.folder)
        asked.tell(outcome)
        if self._report is not None:
            self._report(tried)

    def _publish(self, saved: store.SavedModel) -> None:
        """Put a model and its settings where the winner is."""
        store.save(self.folder / MODEL, saved)
        with whole_file(self.folder / CONFIG) as part:
            part.write_text(to_yaml(saved.settings), encoding="utf-8")

    def conclude(self, *, rank: bool) -> None:
        """Probabilities for the winner and, once for each, its ranks on the test split."""
        if self.record.winner is None:
            reasons = [each.why for each in self.record.trials if each.why]
            told = f" ({reasons[-1]})" if reasons else ""
            raise TrainingError(
                f"no candidate came as far as one look at validation{told}; give it more minutes, "
                "or fewer models"
            )
        if rank and self.record.tested != self.record.winner:
            from transa.estimator import load

            winner = load(self.folder / MODEL).fit_probabilities()
            self._publish(winner.learnt_)
            if len(self.graph.test):
                figures = winner.evaluate(threads=self._threads * self._parallel).filtered.to_dict()
                test = {name: float(value) for name, value in figures.items()}
                self.record = replace(self.record, tested=self.record.winner, test=test)
        self.record = replace(self.record, seconds=round(self.clock.spent(), 2))
        self.record.write(self.folder)
