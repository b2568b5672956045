"""One file a model: its parameters and its energy f_r(h, t)."""

from transa.models.about import About, Pattern
from transa.models.energy import NORMS, Energy, Norm, Parameters, Rows, Tables
from transa.models.families import Similarity, Translation
from transa.models.fitted import FittedModel
from transa.models.registry import MODELS, ModelEntry, register
from transa.models.transe import TransEEnergy

__all__ = [
    "MODELS",
    "NORMS",
    "About",
    "Energy",
    "FittedModel",
    "ModelEntry",
    "Norm",
    "Parameters",
    "Pattern",
    "Rows",
    "Similarity",
    "Tables",
    "TransEEnergy",
    "Translation",
    "register",
]
