"""What can be said of settings before a run begins: that they cannot be, or are of no use."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

from transa.graph import Graph
from transa.margins import Adaptive
from transa.margins.spheres import translation_of
from transa.settings.config import Settings
from transa.training.engines import engine_for

_OF_VALIDATION = ("patience", "stop_on", "validate_every")


def refuse_in_advance(settings: Settings) -> None:
    """Refuse settings that suit no graph, before a large one is read.

    Raises:
        ConfigError: says what would be legal.
    """
    energy, recipe = settings.energy, settings.recipe
    if isinstance(recipe.margin, Adaptive) and recipe.margin.reading != "energies":
        translation_of(energy)
    engine_for(energy, recipe)
    if recipe.device != "cpu":
        from transa.training.engines.torch_engine import device_called

        device_called(recipe.device)


def warn_of_unused(settings: Settings, asked: Iterable[str], graph: Graph) -> None:
    """Warn of options that were asked for and that this run has no use for."""
    for sentence in unused_options(settings, frozenset(asked), graph):
        warnings.warn(sentence, UserWarning, stacklevel=3)


def unused_options(settings: Settings, asked: frozenset[str], graph: Graph) -> Iterator[str]:
    """A sentence for each kind of options that change nothing."""
    recipe = settings.recipe
    entry = engine_for(settings.energy, recipe)
    unused = set(entry.unused)
    # One negative has all the weight, whatever the temperature.
    unused |= {"adversarial"} if recipe.negatives == 1 else set()
    if found := _listed(unused & asked):
        yield f"{found} will change nothing: this run is trained by {entry.told}"
    in_vain = asked.intersection(_OF_VALIDATION)
    if recipe.validate_every == 0:
        if found := _listed(in_vain - {"validate_every"} - _never(recipe.patience)):
            yield f"{found} will change nothing, since validate_every is 0: nothing is validated"
    elif graph.n_triples("valid") == 0 and (found := _listed(in_vain - _never(recipe.patience))):
        yield f"{found} will change nothing: the graph has no validation triples"


def _never(patience: int) -> set[str]:
    """Who asks for no patience gets what was asked for."""
    return {"patience"} if patience == 0 else set()


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))
