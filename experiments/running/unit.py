"""A unit of work: one model, one graph, one seed, and what is measured of it."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from transa.declarations import declarations
from transa.margins import Adaptive
from transa.models import MODELS
from transa.settings.config import Plain, Settings, to_plain
from transa.settings.recipe import Recipe

if TYPE_CHECKING:
    from transa.estimator import Estimator

Labels: TypeAlias = Mapping[str, str | float]


_NEUTRAL: Mapping[str, object] = {
    name: declared.neutral
    for kind in (*(entry.energy for entry in MODELS.values()), Recipe, Adaptive)
    for name, declared in declarations(kind).items()
    if declared.neutral is not None
}

# Settings of the adaptive margin that older records have beside it, whichever margin it was.
_ONCE_BESIDE = ("halved_at", "local")


def digest_of(plain: Plain) -> str:
    """What the work of a unit is, in twelve digits; not what it is called, nor on how many threads.

    Args:
        plain: as `Unit.plain` has it.
    """
    settings, margin = dict(plain["settings"]), dict(plain["settings"]["margin"])
    without = {"threads"}
    if margin["kind"] == "fixed":
        without |= {*_ONCE_BESIDE}
    settings |= {name: margin.pop(name) for name in _ONCE_BESIDE if name in margin}
    settings |= {"margin": _telling(margin)}
    settings = {name: value for name, value in _telling(settings).items() if name not in without}
    decides = [plain["graph"], settings, plain["task"], plain["pooled"]]
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:12]


def _telling(settings: Plain) -> Plain:
    """The settings but those that change nothing."""
    return {n: value for n, value in settings.items() if n not in _NEUTRAL or value != _NEUTRAL[n]}


@dataclass(frozen=True)
class Task(ABC):
    """What is measured of a trained model. The fields of a subclass are its settings."""

    @abstractmethod
    def measure(self, model: Estimator, split: str, threads: int) -> Plain:
        """Figures, for JSON. What depends on no split is measured with 'valid'."""


@dataclass(frozen=True)
class Unit:
    """Everything that decides a record.

    Attributes:
        experiment: the folder of the record.
        labels: which row, curve or point of the experiment this is; for reports.
        graph: as `experiments.running.graphs.graph_of` takes it.
        settings: of the model, seed included, every one of them written into the record.
        task: what is measured.
        pooled: margins from neighbours of both directions together (an ablation).
    """

    experiment: str
    labels: Labels
    graph: str
    settings: Settings
    task: Task
    pooled: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        said = [self.graph, *(f"{name} {value}" for name, value in self.labels.items())]
        return ", ".join(said)

    @property
    def seed(self) -> int:
        """The seed of the recipe."""
        return self.settings.recipe.seed

    def with_seed(self, seed: int) -> Unit:
        """The same work with another seed."""
        recipe = replace(self.settings.recipe, seed=seed)
        return replace(self, settings=replace(self.settings, recipe=recipe))

    @property
    def plain(self) -> Plain:
        """For JSON."""
        return {
            "experiment": self.experiment,
            "labels": dict(self.labels),
            "graph": self.graph,
            "settings": to_plain(self.settings),
            "task": {"kind": type(self.task).__name__, **asdict(self.task)},
            "pooled": self.pooled,
        }

    @property
    def digest(self) -> str:
        """What the work is; see `digest_of`."""
        return digest_of(self.plain)

    @property
    def file_name(self) -> str:
        """A name that sorts by what the unit is."""
        words = re.sub(r"[^a-z0-9.]+", "-", str(self).lower()).strip("-")
        return f"{words[:80]}-seed{self.seed}-{self.digest}.json"
