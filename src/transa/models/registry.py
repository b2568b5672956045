"""The models by name; one joins by being registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import MappingProxyType
from typing import TypeVar

from transa.errors import ConfigError
from transa.models.complex import ComplExEnergy
from transa.models.distmult import DistMultEnergy
from transa.models.energy import Energy
from transa.models.lfm import LFMEnergy
from transa.models.lmnn import LMNNEnergy
from transa.models.ntn import NTNEnergy
from transa.models.rescal import RESCALEnergy
from transa.models.rotate import RotatEEnergy
from transa.models.se import SEEnergy
from transa.models.slm import SLMEnergy
from transa.models.sme_bilinear import SMEBilinearEnergy
from transa.models.sme_linear import SMELinearEnergy
from transa.models.transe import TransEEnergy
from transa.models.transh import TransHEnergy
from transa.models.transr import TransREnergy
from transa.models.unstructured import UnstructuredEnergy

Kind = TypeVar("Kind", bound=type[Energy])

_BY_NAME: dict[str, type[Energy]] = {}

MODELS: Mapping[str, type[Energy]] = MappingProxyType(_BY_NAME)
"""Every registered energy by its name, in the order of registration."""


def register(kind: Kind) -> Kind:
    """Make an energy a model that can be trained, saved and loaded by its name; a decorator.

    Raises:
        ConfigError: for a class that is no frozen dataclass of an `Energy`, has no table of
            entities, or whose name is taken.
    """
    if not is_dataclass(kind) or not issubclass(kind, Energy):
        raise ConfigError(f"{kind.__name__} is not a frozen dataclass derived from Energy")
    missing = [part for part in ("name", "tables", "about") if not hasattr(kind, part)]
    if missing:
        raise ConfigError(f"{kind.__name__} has no {' and no '.join(missing)}")
    if kind.tables.get("entity") != "entity":
        raise ConfigError(f"{kind.name} has no table 'entity' of one vector an entity")
    if kind.name in (*_BY_NAME, "transa"):
        raise ConfigError(f"there is a model {kind.name!r} already; choose another name")
    _BY_NAME[kind.name] = kind
    return kind


for _kind in (
    UnstructuredEnergy,
    SEEnergy,
    SMELinearEnergy,
    SMEBilinearEnergy,
    LFMEnergy,
    RESCALEnergy,
    SLMEnergy,
    NTNEnergy,
    TransEEnergy,
    TransHEnergy,
    TransREnergy,
    LMNNEnergy,
    DistMultEnergy,
    ComplExEnergy,
    RotatEEnergy,
):
    register(_kind)
