"""LMNN-style embedding (Fan et al. 2015): f_r(h, t) = ‖h + r − t‖, pulled and pushed.

Large margin nearest neighbours, for a graph: what is true is pulled together for its own sake, and
what is false is pushed beyond a margin. The energy is TransE's; the loss of a triple is

    μ f_r(h, t) + (1 − μ) [f_r(h, t) + M − f_r(h′, t′)]₊

divided by 1 − μ here, so that the pull is `pull` = μ / (1 − μ) times the energy of every true
triple. It is the objective that the paper's entity-specific margin is drawn from. Parameters and
what it represents: as TransE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from transa.declarations import setting
from transa.models.about import About
from transa.models.families import Translation
from transa.models.fused import DistanceView
from transa.models.tensors import Tensor, Tensors
from transa.models.transe import TransEEnergy


@dataclass(frozen=True)
class LMNNEnergy(Translation):
    """TransE's energy, with a pull on true triples."""

    pull: float = setting(
        0.1, "Weight of a true triple's energy in its loss, μ / (1 − μ).", least=0
    )

    name: ClassVar[str] = "lmnn"
    about: ClassVar[About] = About(
        formula="‖h + r − t‖",
        paper="Fan 2015",
        learns=TransEEnergy.about.learns,
    )
    recipe: ClassVar[Mapping[str, str | float]] = {"loss": "hinge"}

    def distance_view(self) -> DistanceView:
        """As TransE: the pull is of the loss alone."""
        return DistanceView(self.norm)

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖h + r − t‖."""
        return TransEEnergy(self.dim, self.norm).energy(parameters, h, r, t)

    def penalty(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor | None:
        """The pull: true triples are to be near, not only nearer than false ones."""
        return self.pull * self.energy(parameters, h, r, t)
