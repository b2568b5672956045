"""The models by name; one joins by being registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from transa.errors import ConfigError
from transa.models.about import About
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


@dataclass(frozen=True)
class ModelEntry:
    """A model by name.

    Attributes:
        energy: what is trained.
        about: what is told of it.
        recipe: settings of `transa.Recipe` in which its defaults differ.
    """

    energy: type[Energy]
    about: About
    recipe: Mapping[str, str | float]


_BY_NAME: dict[str, ModelEntry] = {
    "transa": ModelEntry(
        TransEEnergy,
        replace(
            TransEEnergy.about,
            formula="‖h + r − t‖, margins measured, not searched",
            paper="Jia 2016",
        ),
        {**TransEEnergy.recipe, "margin": "adaptive"},
    )
}

MODELS: Mapping[str, ModelEntry] = MappingProxyType(_BY_NAME)
"""Every model by its name, in the order of registration."""


def register(kind: Kind) -> Kind:
    """Make an energy a model that can be trained, saved and loaded by its name; a decorator.

    Raises:
        ConfigError: for a class that is no frozen dataclass derived from `Energy`, lacks its name,
            tables or description, has no table of entities, or whose name is taken.
    """
    if not (issubclass(kind, Energy) and is_dataclass(kind)):
        raise ConfigError(f"{kind.__name__} is not a frozen dataclass derived from Energy")
    missing = [part for part in ("name", "tables", "about") if not hasattr(kind, part)]
    if missing:
        raise ConfigError(f"{kind.__name__} does not say its {', '.join(missing)}")
    if kind.tables.get("entity") != "entity":
        raise ConfigError(f"{kind.name} has no table 'entity' of one vector an entity")
    if kind.name in _BY_NAME:
        raise ConfigError(f"there is a model {kind.name!r} already; choose another name")
    _BY_NAME[kind.name] = ModelEntry(kind, kind.about, kind.recipe)
    return kind


for _kind in (
    TransEEnergy,
    TransHEnergy,
    TransREnergy,
    LMNNEnergy,
    UnstructuredEnergy,
    SEEnergy,
    SMELinearEnergy,
    SMEBilinearEnergy,
    LFMEnergy,
    RESCALEnergy,
    SLMEnergy,
    NTNEnergy,
    DistMultEnergy,
    ComplExEnergy,
    RotatEEnergy,
):
    register(_kind)
