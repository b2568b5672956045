"""`transa info`: what is in a model folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from transa.cli.output import print_json, print_title, results
from transa.cli.parameters import Folder, Json, option

if TYPE_CHECKING:
    from rich.table import Table

_NO_THRESHOLDS = "none; transa classify --save keeps some"


def info(
    folder: Folder,
    settings: Annotated[
        bool,
        option("Print the settings alone, as a file for train --config.", name="--settings"),
    ] = False,
    json: Json = False,
) -> None:
    """Show what a model folder holds, once its checksums are found right."""
    from transa.settings.config import to_plain, to_yaml
    from transa.storage import folder as store

    config = store.inspect(folder)
    if settings:
        chosen = store.settings_of(config)
        if json:
            print_json(to_plain(chosen))
        else:
            typer.echo(to_yaml(chosen), nl=False)
    elif json:
        found = store.reliability(folder)
        told = None if found is None else {place: asdict(each) for place, each in found.items()}
        print_json({**config, "probabilities": told, "sha256": store.sha256_of(folder)})
    else:
        print_title(str(folder))
        thresholds = "kept" if store.has_thresholds(folder) else _NO_THRESHOLDS
        fitted = {"probabilities": _probabilities(folder, config), "thresholds": thresholds}
        results().print(_table(config, fitted, store.sha256_of(folder)))


def _probabilities(folder: Path, config: dict[str, Any]) -> str:
    from transa.storage import folder as store
    from transa.storage.probabilities import in_words

    found = store.reliability(folder)
    if found is not None:
        return in_words(found)
    if config["graph"]["valid"] == 0:
        return "none, for there are no validation triples"
    return "none; transa calibrate fits them"


def _table(config: dict[str, Any], fitted: dict[str, str], sha256: str) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from transa.declarations import declarations
    from transa.settings.recipe import Recipe

    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    settings, graph, training = config["settings"], config["graph"], config["training"]
    margin = settings["margin"]
    of_recipe = declarations(Recipe).keys()
    rest = {n: v for n, v in settings.items() if n in of_recipe - {"margin"}}
    rows = {
        "model": _words({n: v for n, v in settings.items() if n not in of_recipe}),
        "margin": _words(margin),
        "graph": f"{graph['name']}: {graph['entities']:,} entities, "
        f"{graph['relations']:,} relations",
        "triples": ", ".join(f"{graph[split]:,} {split}" for split in ("train", "valid", "test")),
        "trained": _training(training),
        **fitted,
        "recipe": _words(rest),
        "written by": f"transa {config['transa']}, format {config['format']}",
        "sha256": sha256,
    }
    for name, value in rows.items():
        table.add_row(name, escape(value))
    return table


def _training(training: dict[str, Any]) -> str:
    ended = {"early": "stopped early", "interrupted": "interrupted", "finished": "to the end"}
    told = f"{training['epochs']:,} epochs in {training['seconds']:.1f} s"
    told += f", {ended[training['stopped']]}"
    if training["validation"] is None:
        return told
    return f"{told}, the best at epoch {training['best_epoch']:,}"


def _words(options: dict[str, Any]) -> str:
    told = {n: "measured" if v is None else v for n, v in options.items()}
    return ", ".join(str(v) if n in ("kind", "model") else f"{n} {v}" for n, v in told.items())
