"""One file a model: its parameters and its energy f_r(h, t)."""

from transa.models.about import Pattern
from transa.models.energy import NORMS, Energy, Parameters, Tables
from transa.models.families import Translation
from transa.models.fitted import FittedModel
from transa.models.registry import MODELS, ModelEntry, register
from transa.models.transe import TransEEnergy

__all__ = [
    "MODELS",
    "NORMS",
    "Energy",
    "FittedModel",
    "ModelEntry",
    "Parameters",
    "Pattern",
    "Tables",
    "TransEEnergy",
    "Translation",
    "register",
]
