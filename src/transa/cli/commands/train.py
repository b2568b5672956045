"""`transa train`: from triples to a model folder."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transa.cli.commands import train_options as o
from transa.cli.parameters import Json
from transa.cli.triple_files import columns_of
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.graph import Graph

_AS_GIVEN = (
    "valid", "test", "format", "delimiter", "header", "quote", "literals", "duplicates", "unseen",
)  # fmt: skip


def train(
    source: o.Source,
    valid: o.Valid = None,
    test: o.Test = None,
    format: o.Format = None,  # noqa: A002 (the option is called so)
    delimiter: o.Delimiter = None,
    header: o.Header = None,
    columns: o.Columns = None,
    quote: o.Quote = None,
    literals: o.Literals = None,
    split: o.Split = None,
    duplicates: o.Duplicates = None,
    unseen: o.Unseen = None,
    model: o.Model = None,
    dim: o.Dim = None,
    norm: o.Norm = None,
    own: o.Own = None,
    margin: o.Margin = None,
    mu: o.Mu = None,
    mu_halved_after: o.MuHalvedAfter = None,
    reading: o.Reading = None,
    local: o.Local = None,
    halved_at: o.HalvedAt = None,
    epochs: o.Epochs = None,
    loss: o.Loss = None,
    gamma: o.Gamma = None,
    optimiser: o.Optimiser = None,
    lr: o.Lr = None,
    negatives: o.Negatives = None,
    adversarial: o.Adversarial = None,
    sampling: o.Sampling = None,
    tail_share: o.TailShare = None,
    same_position: o.SamePosition = None,
    constraint: o.Constraint = None,
    dropout: o.Dropout = None,
    average: o.Average = None,
    validate_every: o.ValidateEvery = None,
    patience: o.Patience = None,
    stop_on: o.StopOn = None,
    out: o.Out = None,
    config: o.Config = None,
    resume: o.Resume = False,
    seed: o.Seed = None,
    threads: o.Threads = None,
    engine: o.Engine = None,
    batch: o.Batch = None,
    device: o.Device = None,
    quiet: o.Quiet = False,
    json: Json = False,
) -> None:
    """Train a model on a graph and keep it in a folder.

    The defaults, shown here for TransA, need no margin and stop by themselves.
    """
    # All arguments by name. What was not given is None, and leaves the default where it lives.
    given = {name: value for name, value in locals().items() if value is not None}
    options = _options(given)
    from transa.cli.training_run import run_training
    from transa.settings.config import make_settings, suited

    settings = make_settings(**options)
    graph = _graph(given, settings.recipe.seed)
    if "dim" not in options:
        settings = suited(settings, graph.n_entities, len(graph.train))

    folder = out or Path("runs") / f"{graph.name}-{settings.model}"
    run_training(graph, settings, folder, resume=resume, quiet=quiet, json=json)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """Of the model and its recipe, from the config file and as given, of which the latter win."""
    from transa.margins import Adaptive
    from transa.settings.config import make_settings, read_options
    from transa.settings.recipe import Recipe

    options = read_options(given["config"]) if "config" in given else {}
    known = {"model", "dim", "norm", *(field.name for field in fields(Recipe))}
    options |= {name: given[name] for name in given if name in known}
    own = dict(map(_own_option, given.get("own", [])))
    for name in own.keys() & known:
        raise ConfigError(f"{name} is not of one model alone: say --{name.replace('_', '-')}")
    options |= own
    parts = {field.name: given[field.name] for field in fields(Adaptive) if field.name in given}
    if parts:
        margin = make_settings(**options).recipe.margin
        if not isinstance(margin, Adaptive):
            said = ", ".join("--" + name.replace("_", "-") for name in parts)
            raise ConfigError(f"a fixed margin has no {said}; these are of --margin adaptive")
        options["margin"] = replace(margin, **parts)
    return options


def _own_option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ConfigError(f"--set takes a name and a value, such as slices=8; found {text!r}")
    return name, value


def _graph(given: dict[str, Any], seed: int) -> Graph:
    from transa.datasets.sources import load_graph

    options = {name: given[name] for name in _AS_GIVEN if name in given}
    if "columns" in given:
        options["columns"] = columns_of(given["columns"])
    if "split" in given:
        options["split"] = _shares(given["split"])
    return load_graph(given["source"], seed=seed, **options)


def _shares(text: str) -> list[float]:
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise ConfigError(f"--split is three numbers such as 0.8,0.1,0.1; found {text!r}") from None
