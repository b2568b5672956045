"""What Optuna keeps of a search: one study a model, in an SQLite file that outlives a kill."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from transa.errors import StoreError
from transa.searching.space import Alternatives, Range, Space
from transa.searching.trial import PLACES, Outcome

if TYPE_CHECKING:
    import optuna

# Trials of a model before its study learns from them, and before one of them is given up.
_STARTUP = 5


class Asked:
    """A trial that is under way.

    Attributes:
        chosen: by setting, what it is to try.
    """

    def __init__(self, study: optuna.Study, trial: optuna.Trial, lock: Lock) -> None:
        self._study, self._trial, self._lock = study, trial, lock
        self.chosen: Mapping[str, Any] = dict(trial.params)

    def is_behind(self, best: float, place: int) -> bool:
        """Whether the trial is behind the others at this place of its run; keeps its MRR there."""
        with self._lock:
            self._trial.report(best, place)
            return bool(self._trial.should_prune())

    def tell(self, outcome: Outcome) -> None:
        """What it came to. One that had no time to finish counts as far as it got."""
        from optuna.trial import TrialState

        with self._lock:
            if outcome.mrr is None:
                self._study.tell(self._trial, state=TrialState.FAIL)
            elif outcome.ended == "finished":
                self._study.tell(self._trial, outcome.mrr)
            else:
                # Its value is the last that was reported.
                self._trial.report(outcome.mrr, PLACES)
                self._study.tell(self._trial, state=TrialState.PRUNED)


class Studies:
    """The studies of one search. Used by several threads, one at a time.

    Trials that a kill has left unfinished are tried again first.
    """

    def __init__(self, path: Path, of: str, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._storage = optuna.storages.RDBStorage(f"sqlite:///{path.resolve()}")
        self._path, self._of, self._seed, self._lock = path, of, seed, Lock()
        self._studies: dict[str, optuna.Study] = {}

    def ask(self, model: str, space: Space, defaults: bool) -> Asked:
        """The next trial of a model: its defaults, or what its study thinks best."""
        with self._lock:
            study = self._study(model, space)
            if defaults:
                study.enqueue_trial(space.begin)
            named = {name: _distribution(of) for name, of in space.alternatives.items()}
            return Asked(study, study.ask(named), self._lock)

    def close(self) -> None:
        """Let go of the file."""
        self._storage.remove_session()
        self._storage.engine.dispose()

    def _study(self, model: str, space: Space) -> optuna.Study:
        if model not in self._studies:
            self._studies[model] = self._opened(model, space)
        return self._studies[model]

    def _opened(self, model: str, space: Space) -> optuna.Study:
        import optuna
        from optuna.trial import TrialState

        study = optuna.create_study(
            storage=self._storage,
            study_name=model,
            direction="maximize",
            load_if_exists=True,
            pruner=optuna.pruners.MedianPruner(n_startup_trials=_STARTUP, n_warmup_steps=1),
        )
        of = f"{self._of} {dict(space.alternatives)}"
        if study.user_attrs.get("of", of) != of:
            raise StoreError(
                f"{self._path.parent}: holds a search over another graph, or by another version; "
                "choose another folder"
            )
        study.set_user_attr("of", of)
        trials = study.get_trials(deepcopy=False)
        # Another seed each time, else a search that goes on would draw what it has drawn.
        study.sampler = optuna.samplers.TPESampler(
            seed=(self._seed + len(trials)) % 2**32, n_startup_trials=_STARTUP, constant_liar=True
        )
        for trial in trials:
            if trial.state == TrialState.RUNNING:
                study.tell(trial.number, state=TrialState.FAIL)
                if trial.params != space.begin:
                    study.enqueue_trial(trial.params)
        return study


def _distribution(of: Alternatives) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if isinstance(of, Range):
        return FloatDistribution(of.low, of.high, log=True)
    return CategoricalDistribution(of)
