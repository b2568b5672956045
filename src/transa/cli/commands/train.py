"""`transa train`: from triples to a model folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transa.cli.commands.prepare import prepared_for_training, room_for
from transa.cli.triple_files import graph_of
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.graph import Graph
    from transa.training.callbacks import Callback


def train(given: Mapping[str, Any]) -> None:
    """Train a model on a graph and keep it in a folder.

    With nothing but a graph: TransE's energy, with the settings that suit its size; what is chosen
    is told. TransA, with its adaptive margin, is --model transa.
    """
    options = settings_given(given)
    from transa.storage.places import check_free

    if given["out"] is not None:
        # Said before a large graph is read.
        check_free(given["out"], overwrite=bool(given["overwrite"]))
    from transa.cli.training_run import run_training
    from transa.estimator.beforehand import refuse_in_advance
    from transa.estimator.fitting import chosen_for
    from transa.prepared.graph import PreparedGraph
    from transa.prepared.record import is_prepared
    from transa.settings.by_size import LARGE, fixed_settings, settings_for

    model = options.pop("model")
    trackers = _trackers(given["track"] or ())
    graph: Graph
    in_partitions = is_prepared(given["source"]) or given["memory"] or given["partitions"]
    choose = fixed_settings if given["config"] else settings_for
    settings = choose(model, options, LARGE if in_partitions else None).settings
    refuse_in_advance(settings)
    if in_partitions:
        graph = prepared_for_training(given, settings)
    else:
        graph = graph_of(given, settings.recipe.seed)
    chosen = chosen_for(graph, model, options, fixed=given["config"] is not None)
    room = room_for(graph, chosen.settings, given) if isinstance(graph, PreparedGraph) else {}

    folder = given["out"] or Path("runs") / f"{graph.name}-{chosen.settings.model}"
    how = {name: bool(given[name]) for name in ("resume", "overwrite", "quiet", "json")}
    run_training(graph, chosen, folder, trackers, **how, room=room)


# What it is given by is for `WithSettings` to say.
train.__signature__ = Signature()  # type: ignore[attr-defined]


def settings_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """Of the model and its recipe, from the config file and as given, of which the latter win."""
    from transa.declarations import declarations
    from transa.margins import Adaptive
    from transa.settings.config import make_settings, read_options
    from transa.settings.table import common_settings

    given = {name: value for name, value in given.items() if value is not None}
    of_margin = declarations(Adaptive)
    known = {"model", *common_settings()} - of_margin.keys()
    options = read_options(given["config"]) if "config" in given else {}
    options |= {name: given[name] for name in given if name in known}
    own = dict(map(_own_option, given.get("own", [])))
    for name in own.keys() & (known | of_margin.keys()):
        raise ConfigError(f"{name} is not of one model alone: say --{name.replace('_', '-')}")
    options |= own
    parts = {name: given[name] for name in of_margin if name in given}
    adaptive = parts or "config" in given or options.get("margin") == Adaptive.kind
    options.setdefault("model", "transa" if adaptive else "transe")
    if parts:
        margin = make_settings(**options).recipe.margin
        if not isinstance(margin, Adaptive):
            said = ", ".join("--" + name.replace("_", "-") for name in parts)
            raise ConfigError(f"a fixed margin has no {said}; these are of --margin adaptive")
        options["margin"] = replace(margin, **parts)
    return options


def _trackers(asked: Sequence[str]) -> list[Callback]:
    if not asked:
        return []
    from transa.tracking import tracker

    return [tracker(text) for text in asked]


def _own_option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ConfigError(f"--set takes a name and a value, such as slices=8; found {text!r}")
    return name, value
