"""One file a model: its parameters and its energy f_r(h, t)."""

from transa.models.energy import NORMS, Energy, Norm, Parameters
from transa.models.transe import TransEEnergy

__all__ = ["NORMS", "Energy", "Norm", "Parameters", "TransEEnergy"]
