"""Which margin separates a triple from its corruptions: one for all, or each its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

from transa.declarations import Declared, declarations, finite, refuse_unknown, setting
from transa.errors import ConfigError

Reading: TypeAlias = Literal["pairs", "spheres", "active", "energies"]
READINGS: tuple[Reading, ...] = get_args(Reading)[:3]
"""Those that measure distances of vectors, as the paper does. The last one is for every model."""


@dataclass(frozen=True)
class Fixed(Declared):
    """The same margin for every triple, as in TransE.

    Example:
        >>> Fixed(2.0).value
        2.0
    """

    kind: ClassVar = "fixed"

    value: float = setting(1.0, "The margin of every triple.", least=0, called="a fixed margin")


@dataclass(frozen=True)
class Adaptive(Declared):
    """M_opt = μ M_ent + (1 − μ) M_rel (Jia et al. 2016, equation 3), from the vectors as they move.

    Example:
        >>> import transa
        >>> paper = Adaptive(mu=0.5, reading="pairs", local=1.0)
        >>> transa.TransA(dim=50, margin=paper).settings.recipe.margin.local
        1.0
    """

    kind: ClassVar = "adaptive"

    mu: float = setting(
        0.5, "Weight of the entity's margin against the relation's, 0 to 1.", least=0, most=1
    )
    reading: Reading = setting(
        "active",
        "How its definition is read; `energies` is for every model.",
        "Definition 2; see `transa.margins.adaptive`, of energies `transa.margins.of_energies`.",
    )
    every: int = setting(1, "Computed anew after this many epochs.", least=1)
    rounds: int = setting(
        2, "Negatives drawn each time, if read as `active` or `energies`.", least=1, most=10**6
    )
    local: float = setting(
        0.0,
        "1 keeps each margin, 0 takes the mean of all.",
        "How much of a margin's distance from the mean is kept; the paper keeps all of it.",
        least=0,
        most=1,
        neutral=1.0,
    )
    halved_at: float = setting(
        0.0,
        "Other answers that halve a triple's margin; 0: never.",
        "A triple is held to half of its M_opt if its question, (h, r, ?) or (?, r, t), has this "
        "many other known answers, to all of it if none.",
        least=0,
        neutral=0.0,
    )
    mu_halved_after: float = setting(
        0.0,
        "Epochs after which mu has fallen to a half; 0: it stays.",
        "By 1 / (1 + (epochs / n)²), so that entities are first drawn far apart and then put in "
        "order.",
        least=0,
        neutral=0.0,
    )

    def mu_in(self, epoch: int) -> float:
        """μ in an epoch, counted from 0.

        Example:
            >>> [Adaptive(mu=1.0, mu_halved_after=40).mu_in(epoch) for epoch in (0, 40, 120)]
            [1.0, 0.5, 0.1]
        """
        if self.mu_halved_after == 0:
            return self.mu
        return self.mu / (1 + (epoch / self.mu_halved_after) ** 2)


Margin: TypeAlias = Fixed | Adaptive

_KINDS: Mapping[object, type[Margin]] = {kind.kind: kind for kind in (Fixed, Adaptive)}


def make_margin(value: object) -> Margin:
    """A margin from its plain form: a number, a kind, or a mapping with a kind.

    Raises:
        ConfigError: for what is none of these.
    """
    if isinstance(value, Fixed | Adaptive):
        return value
    options: dict[str, object] = {}
    if isinstance(value, Mapping):
        options = {str(name): option for name, option in value.items()}
        name = options.pop("kind", None)
    elif finite(value) is not None:
        name, options = "fixed", {"value": value}
    else:
        name = value
    if not isinstance(name, str) or name not in _KINDS:
        raise ConfigError(f"a margin is adaptive, fixed or a number; found {value!r}")
    refuse_unknown(options, declarations(_KINDS[name]), f"the {name} margin")
    return _KINDS[name](**options)  # type: ignore[arg-type]
