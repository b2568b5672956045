"""How a model is trained: every setting, with its default and what it is for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from transa.errors import ConfigError
from transa.margins.margin import Adaptive, Margin

Loss: TypeAlias = Literal["hinge", "softplus", "logistic", "softmax"]
Sampling: TypeAlias = Literal["uniform", "bernoulli"]
Optimiser: TypeAlias = Literal["sgd", "adagrad", "adam", "als"]
Constraint: TypeAlias = Literal["sphere", "ball", "none"]
EngineName: TypeAlias = Literal["auto", "fused", "autograd"]
StopOn: TypeAlias = Literal["mrr", "mr", "accuracy"]


@dataclass(frozen=True)
class Recipe:
    """All of training but the energy. Where a model does better otherwise, its own defaults differ.

    Attributes:
        loss: `hinge` max(0, f + M − f′) is the paper's; `softplus` is its smooth form; `logistic`
            holds f and f′ against the paper's two spheres instead of against each other: f is to
            be inside the internal one, f′ outside the external one, and M is the distance between.
            `softmax` is the cross-entropy of the true answer among all entities, for energies that
            are matrix products; gamma, margin, adversarial and sampling do not apply to it.
        gamma: the radius of the external sphere, for `logistic`; None measures it: the mean
            distance of two entities before training.
        margin: `Fixed` or `Adaptive`.
        negatives: corruptions drawn for each triple, K; with `softmax`, entities drawn for a whole
            batch, or all where there are not more.
        adversarial: temperature of self-adversarial weights over the negatives; 0: all alike.
        sampling: which side is corrupted: `uniform`, a coin; `bernoulli`, by the relation's tails
            per head and heads per tail (Wang et al. 2014).
        tail_share: how often the coin of `uniform` says tail: 0.5 is fair, 1 corrupts tails alone.
        same_position: the share of corruptions that are drawn not from all entities but from those
            seen in that position of that relation, as the false triples of benchmarks are made.
        optimiser: `sgd`; `adagrad` with one accumulator a row; `adam` with moments per weight;
            `als`, alternating least squares, for RESCAL alone: it has no use for a loss, a rate or
            negatives.
        lr: learning rate.
        constraint: entities on the unit `sphere` once an epoch, in the unit `ball` after every
            update, or `none`.
        dropout: the share of the anchor's numbers (the entity that is not corrupted) that a step
            does without, at random, so that triples are not learnt by heart; not on the fused
            engine.
        average: whether what is validated and kept is the running mean of the vectors over about
            the last ninth of the epochs so far.
        epochs: passes over the training triples, at most.
        validate_every: epochs between looks at the validation split; 0 never looks. The first come
            earlier: after 1, 2 and 5 epochs.
        patience: stop after this many looks without improvement; 0 never stops early.
        stop_on: the validation metric that decides: filtered `mrr`, mean rank `mr`, or `accuracy`
            of telling true validation triples from false ones.
        engine: `fused`, `autograd`, or `auto`, which is fused where it applies.
        batch: triples per step of the autograd engine (a fused step takes one); with `softmax`,
            questions: triples that share their head or their tail, and the relation, are one.
        device: where the autograd engine runs.
        threads: 0 means all cores; one thread is bit-identical from run to run.
        seed: of everything random.

    Example:
        >>> import transa
        >>> transa.Estimator("transe", epochs=50, lr=0.3).settings.recipe.epochs
        50
    """

    loss: Loss = "logistic"
    gamma: float | None = None
    margin: Margin = field(default_factory=Adaptive)
    negatives: int = 16
    adversarial: float = 0.5
    sampling: Sampling = "uniform"
    tail_share: float = 0.5
    same_position: float = 0.0
    optimiser: Optimiser = "adagrad"
    lr: float = 0.1
    constraint: Constraint = "ball"
    dropout: float = 0.0
    average: bool = True
    epochs: int = 200
    validate_every: int = 10
    patience: int = 5
    stop_on: StopOn = "mrr"
    engine: EngineName = "auto"
    batch: int = 1024
    device: str = "cpu"
    threads: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        choices = {
            "loss": Loss,
            "sampling": Sampling,
            "optimiser": Optimiser,
            "constraint": Constraint,
            "engine": EngineName,
            "stop_on": StopOn,
        }
        for name, literal in choices.items():
            if getattr(self, name) not in get_args(literal):
                allowed = ", ".join(get_args(literal))
                raise ConfigError(f"{name} is one of {allowed}; found {getattr(self, name)!r}")
        for name in ("negatives", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is at least 1, found {getattr(self, name)}")
        if self.gamma is not None and not 0 < self.gamma < float("inf"):
            raise ConfigError(f"gamma is a positive number or none, found {self.gamma}")
        if self.gamma is not None and self.loss != "logistic":
            raise ConfigError(f"gamma is of the logistic loss; {self.loss} has no use for it")
        for name in ("validate_every", "patience", "threads", "seed", "adversarial"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} is not negative, found {getattr(self, name)}")
        for name in ("tail_share", "same_position"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share, 0 to 1, found {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout is a share below 1, found {self.dropout}")
        if self.sampling != "uniform" and self.tail_share != 0.5:
            raise ConfigError(
                f"tail_share is the coin of uniform sampling; {self.sampling} throws its own"
            )
        if not 0 < self.lr < float("inf"):
            raise ConfigError(f"lr is a positive number, found {self.lr}")
