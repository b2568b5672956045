"""How a model is trained: every setting of it, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from transa.declarations import Declared, setting
from transa.margins.margin import Adaptive, Margin, make_margin

Loss: TypeAlias = Literal["hinge", "softplus", "logistic", "listwise", "softmax"]
Sampling: TypeAlias = Literal["uniform", "bernoulli"]
Optimiser: TypeAlias = Literal["sgd", "adagrad", "adam", "als"]
Constraint: TypeAlias = Literal["sphere", "ball", "none"]
EngineName: TypeAlias = Literal["auto", "fused", "autograd"]
Decay: TypeAlias = Literal["none", "linear"]
StopOn: TypeAlias = Literal["mrr", "mr", "accuracy"]

OWN_LOSSES: list[str] = []
"""The names of losses that `transa.training.losses.register_loss` has added."""

_RUN = "The run"
_AUTOGRAD = {"engine": ("auto", "autograd")}


@dataclass(frozen=True, kw_only=True)
class Recipe(Declared):
    """All of training but the energy. Where a model does better otherwise, its own defaults differ.

    Example:
        >>> import transa
        >>> transa.Estimator("transe", epochs=50, lr=0.3).settings.recipe.epochs
        50
    """

    loss: Loss = setting(
        "logistic",
        "What is made small.",
        "`hinge`, max(0, f + M − f′), is the paper's; `softplus` is its smooth form; `logistic` "
        "holds f and f′ against the paper's two spheres instead of against each other: f is to be "
        "inside the internal one, f′ outside the external one, and M is the distance between. "
        "`listwise` holds f against many f′ at once, log(1 + n/K Σⱼ exp(f + M − f′ⱼ)): the hinge "
        "over all corruptions made smooth; K are drawn for a block of triples and stand for all n "
        "entities. `softmax` is the cross-entropy of the true answer among all entities, for "
        "energies that are matrix products; gamma, margin, adversarial and sampling do not apply "
        "to it.",
        also=OWN_LOSSES,
    )
    gamma: float | None = setting(
        None,
        "Radius of the external sphere; measured unless given.",
        "As the mean distance of two entities before training.",
        above=0,
        needs={"loss": ("logistic", "listwise")},
    )
    logistic_share: float = setting(
        0.1,
        "How much of the logistic loss is added.",
        "It keeps what is far in order, which a softmax forgets: without it the mean rank suffers.",
        least=0,
        needs={"loss": ("listwise",)},
        search=10.0,
        neutral=0.1,
    )
    scale: float = setting(
        1.0,
        "What energies are multiplied by before they are compared.",
        "Entities are kept in a ball, so that this says how much nearer the nearest counts.",
        above=0,
        needs={"loss": ("listwise",)},
        search=2.0,
        neutral=1.0,
    )
    block: int = setting(
        64,
        "Triples that share their candidates.",
        "They are one step of the fused engine; autograd has `batch`.",
        least=1,
        most=4096,
        needs={"loss": ("listwise",), "engine": ("auto", "fused")},
        neutral=64,
    )
    margin: Margin = setting(
        Adaptive(),
        "Adaptive is TransA's; others have 1, or 0 if they go by similarity.",
        "A `Fixed` or an `Adaptive`; a number is a fixed one.",
        metavar="adaptive|NUMBER",
        convert=make_margin,
        search=(0.0, 0.5, 1.0, 2.0),
    )
    negatives: int = setting(
        16,
        "Corruptions drawn for each triple.",
        "With `softmax`, entities drawn for a whole batch, or all where there are not more.",
        least=1,
        search=2.0,
    )
    adversarial: float = setting(
        0.5,
        "Temperature of self-adversarial weights of the negatives; 0: all alike.",
        least=0,
    )
    sampling: Sampling = setting(
        "uniform",
        "Which side is corrupted.",
        "`uniform` throws a coin; `bernoulli` goes by the relation's tails per head and heads per "
        "tail (Wang et al. 2014).",
    )
    tail_share: float = setting(
        0.5,
        "How often it is the tail.",
        "0.5 is a fair coin, 1 corrupts tails alone.",
        least=0,
        most=1,
        needs={"sampling": ("uniform",)},
        neutral=0.5,
    )
    same_position: float = setting(
        0.0,
        "Share of corruptions from entities seen in that place of the relation.",
        "As the false triples of benchmarks are made; the others are drawn from all entities.",
        least=0,
        most=1,
        neutral=0.0,
    )
    optimiser: Optimiser = setting(
        "adagrad",
        "How it is made small.",
        "`adagrad` has one accumulator a row, `adam` moments per weight; `als`, alternating least "
        "squares, is for RESCAL alone and has no use for a loss, a rate or negatives.",
    )
    lr: float = setting(0.1, "Learning rate.", above=0, search=4.0)
    lr_decay: Decay = setting(
        "none",
        "Whether the rate falls.",
        "`linear`: from epoch to epoch, to 0 after the last. Such a run is planned to its end: it "
        "keeps the best that it has seen, and patience does not stop it.",
        neutral="none",
    )
    constraint: Constraint = setting(
        "ball",
        "Where entities are kept.",
        "On the unit `sphere` once an epoch, or in the unit `ball` after every update.",
    )
    dropout: float = setting(
        0.0,
        "Share of an anchor's numbers that a step does without.",
        "The anchor is the entity that is not corrupted; so triples are not learnt by heart.",
        least=0,
        below=1,
        needs=_AUTOGRAD,
        neutral=0.0,
    )
    average: bool = setting(
        True,
        "Keep the running mean of the vectors.",
        "Over about the last ninth of the epochs so far; it is what is validated, too.",
        neutral=False,
    )
    epochs: int = setting(200, "Passes over the training triples, at most.", least=1, search=2.0)
    validate_every: int = setting(
        10,
        "Epochs between validations; 0: never.",
        "The first come earlier: after 1, 2 and 5 epochs.",
        least=0,
    )
    patience: int = setting(
        5,
        "Validations without gain before it stops; 0: never.",
        least=0,
        needs={"lr_decay": ("none",)},
    )
    stop_on: StopOn = setting(
        "mrr",
        "The metric that decides.",
        "Of the validation split: filtered `mrr`, mean rank `mr`, or `accuracy` of telling true "
        "triples from false ones.",
    )
    engine: EngineName = setting(
        "auto", "How steps are executed.", "`auto` is `fused` where it applies.", panel=_RUN
    )
    batch: int = setting(
        1024,
        "Triples a step.",
        "A fused step takes one. With `softmax`, questions: triples that share their head or "
        "their tail, and the relation, are one.",
        least=1,
        needs=_AUTOGRAD,
        search=2.0,
        panel=_RUN,
    )
    device: str = setting("cpu", "Where the autograd engine runs.", metavar="cpu|cuda", panel=_RUN)
    threads: int = setting(
        0, "0 is all cores; 1 gives the same bits every time.", least=0, most=1024, panel=_RUN
    )
    seed: int = setting(0, "Of everything random.", least=0, most=2**128, panel=_RUN)

    def rate_in(self, epoch: int) -> float:
        """The learning rate in an epoch, counted from 0.

        Example:
            >>> [Recipe(lr=0.1, lr_decay="linear", epochs=4).rate_in(epoch) for epoch in (0, 2)]
            [0.1, 0.05]
        """
        falls = self.lr_decay == "linear"
        return self.lr * (1 - epoch / self.epochs) if falls else self.lr
