"""How steps are executed: the engines, and what goes with what.

An engine is chosen by the first row of `ENGINES` that is meant; what it asks of the model and of
the settings stands beside it, and is told to whoever asks for something else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from transa.errors import ConfigError
from transa.models.energy import Energy
from transa.models.registry import MODELS
from transa.models.rescal import RESCALEnergy
from transa.settings.config import Plain
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket, Ids, Key
from transa.training.interrupt import StopAsked
from transa.training.losses import LOSSES


class Engine(Protocol):
    """Steps on the bucket that it was made for.

    Attributes:
        position: where in a chunk it was told to stop, in plain data; None where none is begun. A
            run that sets it and calls `run` for the same chunk goes on as if never stopped.
        rate: of learning, as it is in the current epoch.
    """

    position: Plain | None
    rate: float

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked) -> float:
        """Train on blocks of triples, until `stop` says so; the sum of their losses."""

    def onto_sphere(self) -> None:
        """Put every entity on the unit sphere."""

    def synchronise(self) -> None:
        """Make the arrays show what was trained."""


@dataclass(frozen=True)
class Demand:
    """What an engine asks for.

    Attributes:
        is_met: whether a model and its settings have it.
        otherwise: the sentence for those that do not; {energy}, {recipe} and {with_steps} (the
            models that bring fused steps) are filled in.
    """

    is_met: Callable[[Energy, Recipe], bool]
    otherwise: str


@dataclass(frozen=True)
class EngineEntry:
    """A row of the table.

    Attributes:
        name: what it is called.
        is_meant: whether these settings ask for it.
        make: the engine itself, for a bucket; imported when needed.
        demands: what it asks for.
        unused: settings that change nothing in it.
        told: what its steps are, in words.
    """

    name: str
    is_meant: Callable[[Energy, Recipe], bool]
    make: Callable[[Energy, Recipe, Bucket], Engine]
    demands: tuple[Demand, ...] = ()
    unused: tuple[str, ...] = ()
    told: str = "steps of automatic differentiation"


def _engine(module: str, name: str) -> Callable[[Energy, Recipe, Bucket], Engine]:
    """What makes an engine; it is imported with the first one made."""

    def make(energy: Energy, recipe: Recipe, bucket: Bucket) -> Engine:
        kind = getattr(importlib.import_module(f"{__name__}.{module}"), name)
        made: Engine = kind(energy, recipe, bucket)
        return made

    return make


def _no_position() -> Demand:
    return Demand(
        lambda _, recipe: recipe.same_position == 0,
        "the listwise loss draws one pool of entities for a block of triples, so that "
        "same_position would change nothing; choose another loss with it",
    )


def _as_by_default(setting: str) -> Demand:
    return Demand(
        lambda _, recipe: getattr(recipe, setting) == getattr(Recipe, setting),
        "the softmax loss holds a triple against all that are drawn for a batch, so that "
        f"{setting} would change nothing; choose another loss with it",
    )


def _has_listwise_steps(energy: Energy, recipe: Recipe) -> bool:
    steps = energy.fused_steps()
    usable = recipe.device == "cpu" and recipe.dropout == 0
    return usable and steps is not None and steps.listwise


_HAS_STEPS = Demand(
    lambda energy, recipe: (
        energy.fused_steps() is not None
        and recipe.device == "cpu"
        and recipe.dropout == 0
        and LOSSES[recipe.loss].kernel is not None
    ),
    "the fused engine trains only {with_steps}, on the cpu and without dropout, by the loss hinge, "
    "softplus or logistic; choose the engine 'autograd' or 'auto'",
)


def _goes_direct(energy: Energy, recipe: Recipe) -> bool:
    """Whether a softmax step can be taken by hand."""
    usable = recipe.device == "cpu" and recipe.engine != "autograd"
    return usable and energy.queries() is not None


_WITHOUT_WEIGHTS = "the softmax loss, which weighs corruptions by itself"
_OF_ALS = (
    "adversarial", "batch", "gamma", "loss", "lr", "lr_decay", "negatives", "same_position",
    "sampling", "tail_share",
)  # fmt: skip

_SOFTMAX = (
    Demand(
        lambda energy, recipe: energy.by_products or _goes_direct(energy, recipe),
        "the softmax loss compares all entities by matrix products, which the energy of "
        "{energy.name} is not made of; choose the loss hinge, softplus or logistic",
    ),
    *map(_as_by_default, ("sampling", "tail_share", "same_position")),
)

ENGINES: tuple[EngineEntry, ...] = (
    EngineEntry(
        "als",
        lambda _, recipe: recipe.optimiser == "als",
        _engine("als", "ALSEngine"),
        (
            Demand(
                lambda energy, _: isinstance(energy, RESCALEnergy),
                "alternating least squares solves rescal alone; choose the optimiser sgd, adagrad "
                "or adam",
            ),
            Demand(
                lambda _, recipe: recipe.constraint == "none",
                "alternating least squares cannot keep entities in the {recipe.constraint}; "
                "choose the constraint none: the weight ridge holds them in bounds",
            ),
            Demand(
                lambda _, recipe: recipe.dropout == 0,
                "alternating least squares has no steps for dropout to thin; leave it 0",
            ),
        ),
        unused=_OF_ALS,
        told="alternating least squares, which solves for all triples at once",
    ),
    EngineEntry(
        "softmax",
        lambda energy, recipe: recipe.loss == "softmax" and not _goes_direct(energy, recipe),
        _engine("softmax", "SoftmaxEngine"),
        _SOFTMAX,
        unused=("adversarial",),
        told=_WITHOUT_WEIGHTS,
    ),
    EngineEntry(
        "direct",
        lambda _, recipe: recipe.loss == "softmax",
        _engine("direct", "DirectEngine"),
        _SOFTMAX,
        unused=("adversarial",),
        told=_WITHOUT_WEIGHTS,
    ),
    EngineEntry(
        "listwise, fused",
        lambda energy, recipe: (
            recipe.loss == "listwise"
            and recipe.engine != "autograd"
            and (recipe.engine == "fused" or _has_listwise_steps(energy, recipe))
        ),
        _engine("listwise", "fused_listwise"),
        (
            Demand(
                _has_listwise_steps,
                "the fused engine knows the listwise loss for transa and transe alone, on the cpu "
                "and without dropout; choose the engine 'autograd' or 'auto'",
            ),
            _no_position(),
        ),
        unused=("adversarial", "batch"),
        told="the listwise loss, in fused steps of one block",
    ),
    EngineEntry(
        "listwise",
        lambda _, recipe: recipe.loss == "listwise",
        _engine("listwise", "ListwiseEngine"),
        (_no_position(),),
        unused=("adversarial", "block"),
        told="the listwise loss, in batches that are differentiated automatically",
    ),
    EngineEntry(
        "fused",
        lambda energy, recipe: (
            recipe.engine == "fused"
            or (recipe.engine == "auto" and _HAS_STEPS.is_met(energy, recipe))
        ),
        _engine("fused", "FusedEngine"),
        (_HAS_STEPS,),
        unused=("batch",),
        told="fused steps, of one triple each",
    ),
    EngineEntry("autograd", lambda _energy, _recipe: True, _engine("autograd", "AutogradEngine")),
)


def engine_for(energy: Energy, recipe: Recipe) -> EngineEntry:
    """The engine that trains this model with these settings.

    Raises:
        ConfigError: for what does not go together; says what would.
    """
    meant = [entry for entry in ENGINES if entry.is_meant(energy, recipe)]
    # Fused steps that are asked for by name are asked for of every engine.
    asked = [entry for entry in ENGINES if entry.name == recipe.engine == "fused"]
    for entry in dict.fromkeys([*([] if recipe.loss == "listwise" else asked), meant[0]]):
        for demand in entry.demands:
            if not demand.is_met(energy, recipe):
                raise ConfigError(
                    demand.otherwise.format(
                        energy=energy, recipe=recipe, with_steps=_models_with_steps()
                    )
                )
    return meant[0]


def _models_with_steps() -> str:
    return ", ".join(
        name for name, entry in MODELS.items() if entry.energy().fused_steps() is not None
    )
