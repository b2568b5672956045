"""What a graph asks for: the settings of a translation that nobody has given.

One rule, from counts of the training triples. Its evidence is in docs/method.md, "Defaults by size
of graph". It is of the listwise loss and the energies that the fused engine knows it for; whoever
names another loss, or a setting that only other losses have a use for, gets the fixed defaults of
docs/settings.md, and so does every config file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from transa.declarations import declarations
from transa.graph import Graph
from transa.margins.margin import Adaptive, Fixed
from transa.models import MODELS
from transa.settings.config import Plain, Settings, make_settings, suited, to_plain, with_defaults
from transa.settings.recipe import Recipe

# What the rule was measured with: of these settings, given otherwise, it knows nothing.
_MEASURED: Mapping[str, tuple[object, ...]] = {
    "loss": ("listwise",),
    "norm": ("l1",),
    "constraint": ("ball", "none"),
    "optimiser": ("adagrad",),
    "engine": ("auto", "fused"),
    "device": ("cpu",),
    "dropout": (0.0,),
    "reciprocal": (True,),
    "sampling": ("uniform",),
    "tail_share": (0.5,),
    "same_position": (0.0,),
}
# Triples for each entity, below which a graph is sparse and above which it is dense.
_SPARSE, _DENSE = 3, 10
# Entities from which on a pool of candidates is a small part of them all.
_CROWD = 10_000
# The share of pairs joined twice from which on it may be learnt by heart.
_MOSTLY_PAIRED = 0.6
# Settings without which a model's own rule means nothing.
_WAYS = ("loss", "optimiser")
# These are of other losses; of the listwise one they change nothing, or next to nothing.
_OF_OTHERS = ("adversarial", "gamma")


@dataclass(frozen=True)
class GraphSize:
    """What the rule goes by.

    Attributes:
        triples: for training.
        entities: of the graph.
        paired: the share of triples whose two entities are joined by another triple as well, in
            either direction: what is then learnt by heart is often true.

    Example:
        >>> import transa
        >>> GraphSize.of(transa.load_graph("countries"))
        GraphSize(triples=2748, entities=1571, paired=0.195)
    """

    triples: int
    entities: int
    paired: float = 0.0

    @classmethod
    def of(cls, graph: Graph) -> GraphSize:
        """The size of a graph."""
        return cls(graph.n_triples("train"), graph.n_entities, graph.paired)

    @property
    def density(self) -> float:
        """Training triples for each entity."""
        return self.triples / self.entities


TYPICAL = GraphSize(100_000, 5_000)
"""What settings are shown for where no graph is known yet."""

LARGE = GraphSize(100_000_000, 10_000_000)
"""What a graph is prepared for whose size is not known yet; smaller ones take less."""


def rule(size: GraphSize) -> Plain:
    """The settings for a graph of this size.

    - The more there is to learn, the more the nearest may count: `scale` grows with the fifth root
      of the triples. (Distances in the ball grow with the root of the dimensions.)
    - A large graph fills more dimensions; one that is dense as well needs more of the logistic term
      to keep what is far in order.
    - Where entities have few triples each, the noise of a constant rate keeps their vectors apart,
      and with very few and many entities, a pool is shared by fewer triples, so that every entity
      is a candidate often enough. Where they have many, a rate that falls to 0 puts them in order.
    - A large and dense graph in which most pairs are joined twice may be learnt by heart: entities
      leave the ball.
    """
    many = size.triples / 100_000
    dim = 400 if many > 2 else 200
    dense = size.density > _DENSE
    by_heart = many > 2 and dense and size.paired > _MOSTLY_PAIRED
    share = min(10.0, max(0.1, 0.1 * many**3)) if dense else 0.1
    return {
        "loss": "listwise",
        "reciprocal": True,
        "dim": dim,
        "constraint": "none" if by_heart else "ball",
        "negatives": 128,
        "block": 16 if size.density < _SPARSE and size.entities > _CROWD else 64,
        "scale": round(max(0.5, many**0.2) * (1 if by_heart else math.sqrt(200 / dim)), 2),
        "logistic_share": float(f"{share:.2g}"),
        "lr": 0.1,
        "lr_decay": "linear" if dense else "none",
        "epochs": round(min(60, max(15, 44 / math.sqrt(many)))),
    }


@dataclass(frozen=True)
class Chosen:
    """Settings for a graph, and in a line what was chosen and why; empty where nothing was."""

    settings: Settings
    why: str = ""


def fixed_settings(
    model: str, given: Mapping[str, object], size: GraphSize | None = None
) -> Chosen:
    """The same by the fixed defaults, of which the size decides on the dimensions alone.

    So a config file means what it meant when it was written.
    """
    settings = make_settings(model, **given)
    if size is not None and "dim" not in given:
        settings = suited(settings, size.entities, size.triples)
    return Chosen(settings)


def settings_for(model: str, given: Mapping[str, object], size: GraphSize | None = None) -> Chosen:
    """The settings of a model for a graph of this size, of which those given stay as they are.

    Raises:
        ConfigError: as `make_settings`.
    """
    if not _applies(model, given):
        return _by_the_model(model, given, size)
    size = size or TYPICAL
    by_rule = rule(size)
    if given.get("patience", Recipe.patience) != Recipe.patience:
        by_rule["lr_decay"] = "none"
    if MODELS[model.lower()].recipe.get("margin") != Adaptive.kind:
        by_rule["margin"] = Fixed(0.0)
    settings = with_defaults(model, by_rule, given)
    if "scale" not in given:
        settings = _for_dim(settings, by_rule["dim"])
    left = {name: settings.by_name[name] for name in by_rule if name not in given}
    return Chosen(settings, _told(size, left))


def _by_the_model(model: str, given: Mapping[str, object], size: GraphSize | None) -> Chosen:
    """The same by a model's own rule, where it has one and is asked for by no other loss."""
    by_rule = own_rule(model, size or TYPICAL)
    other_way = any(
        given.get(name, by_rule[name]) != by_rule[name] for name in by_rule if name in _WAYS
    )
    if other_way or not _softmax_known(model, given):
        by_rule = {}
    if not by_rule:
        return fixed_settings(model, given, size)
    if given.get("patience", Recipe.patience) != Recipe.patience:
        by_rule["lr_decay"] = "none"
    settings = with_defaults(model, by_rule, given)
    left = {name: settings.by_name[name] for name in by_rule if name not in given}
    words = ", ".join(f"{name} {value}" for name, value in left.items())
    return Chosen(settings, f"chosen for {_words_of(size or TYPICAL)}: {words}" if left else "")


def _softmax_known(model: str, given: Mapping[str, object]) -> bool:
    """Whether what is given leaves the model a softmax step: by products, or by hand on a CPU."""
    entry = MODELS.get(str(model)) or MODELS.get(str(model).lower())
    by_hand = given.get("engine") != "autograd" and given.get("device", "cpu") == "cpu"
    return entry is None or entry.energy.by_products or by_hand


def own_rule(model: str, size: GraphSize) -> Plain:
    """What a model itself asks for on a graph of this size; nothing from most models."""
    entry = MODELS.get(str(model)) or MODELS.get(str(model).lower())
    return dict(entry.energy.by_size(size.entities, size.triples, size.paired)) if entry else {}


def defaults_shown() -> Plain:
    """TransE's defaults as a help shows them: "by size" where graphs differ."""
    one, other = rule(TYPICAL), rule(GraphSize(10**6, 10**6))
    shown = to_plain(settings_for("transe", {}).settings) | {"margin": 0}
    return shown | {n: "by size" for n in one if one[n] != other[n] or n in ("dim", "constraint")}


def left_to_the_graph(model: str) -> frozenset[str]:
    """The settings that the rule decides on, where nothing is said of them."""
    own = {"dim": None, **own_rule(model, TYPICAL)}
    decided = {**rule(TYPICAL), "margin": None} if _applies(model, {}) else own
    return frozenset(decided)


def _for_dim(settings: Settings, dim: int) -> Settings:
    """With the scale that the rule's would be, had it chosen the dimensions given."""
    scale = settings.recipe.scale * math.sqrt(dim / settings.energy.dim)
    return replace(settings, recipe=replace(settings.recipe, scale=round(scale, 2)))


def _applies(model: str, given: Mapping[str, object]) -> bool:
    """Whether the rule knows what to do beside what is given."""
    entry = MODELS.get(str(model)) or MODELS.get(str(model).lower())
    steps = entry.energy().fused_steps() if entry else None
    if entry is None or steps is None or not steps.listwise:
        return False
    own = make_settings(entry.energy.name).by_name
    measured = {**_MEASURED, **{name: (own[name],) for name in _OF_OTHERS}}
    known = {**declarations(entry.energy), **declarations(Recipe)}
    return all(
        known[name].checked(given[name]) in values
        for name, values in measured.items()
        if name in given
    )


def _told(size: GraphSize, left: Plain) -> str:
    """One line on what was chosen, and what by."""
    said = {
        "loss": "the listwise loss",
        "dim": f"{left.get('dim')} dimensions",
        "constraint": {"ball": "in the unit ball", "none": "no ball"}.get(
            str(left.get("constraint"))
        ),
        "scale": f"scale {left.get('scale'):g}" if "scale" in left else "",
        "logistic_share": f"logistic share {left.get('logistic_share')}",
        "block": f"blocks of {left.get('block')}",
        "epochs": f"{left.get('epochs')} epochs",
        "lr_decay": {"linear": "a rate that falls", "none": "a constant rate"}.get(
            str(left.get("lr_decay"))
        ),
    }
    chosen = ", ".join(str(words) for name, words in said.items() if name in left)
    by = _words_of(size)
    if size.paired:
        by += f", {size.paired:.0%} of them between entities joined twice"
    return f"chosen for {by}: {chosen}"


def _words_of(size: GraphSize) -> str:
    return f"{size.triples:,} training triples, {size.density:.3g} an entity"
