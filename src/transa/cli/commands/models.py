"""`transa models`: what can be trained."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from transa.cli.output import print_json, results
from transa.cli.parameters import Json

if TYPE_CHECKING:
    from transa.models import ModelEntry, Pattern
    from transa.printing import Table

_INITIALS: dict[Pattern, str] = {
    "symmetric": "s",
    "antisymmetric": "a",
    "inverse": "i",
    "composition": "c",
    "one-to-many": "m",
}


def models(json: Json = False) -> None:
    """List the models: their energies, their sizes, what they can learn, their own options."""
    from transa.models import MODELS

    if json:
        print_json({"models": [{"name": n, **_plain(model)} for n, model in MODELS.items()]})
        return
    table = _empty_table()
    for name, model in MODELS.items():
        table.add_row(name, *_cells(model))
    results().print(table)
    learns = ", ".join(f"{initial} {pattern}" for pattern, initial in _INITIALS.items())
    results().print(
        f"[dim]Learns: {learns}. Numbers of parameters: d is dim, k as the options say.[/]"
    )
    results().print("[dim]transa train GRAPH --model NAME --dim 50 --set OPTION=VALUE[/]")


def _empty_table() -> Table:
    from transa.printing import Table

    table = Table()
    table.add_column("model", style="bold", no_wrap=True)
    table.add_column("energy")
    for size in ("entity", "relation", "shared"):
        table.add_column(size)
    table.add_column("learns", no_wrap=True)
    table.add_column("options")
    table.add_column("paper", style="dim")
    return table


def _cells(model: ModelEntry) -> list[str]:
    about = model.about
    learns = "".join(
        initial if pattern in about.learns else "·" for pattern, initial in _INITIALS.items()
    )
    options = [
        f"{name} {default}" + (" (k)" if name == about.size else "")
        for name, default in _own_options(model).items()
    ]
    sizes = (size if size != "0" else "–" for size in (about.per_relation, about.shared))
    return [about.formula, about.per_entity, *sizes, learns, ", ".join(options), about.paper]


def _own_options(model: ModelEntry) -> dict[str, Any]:
    """The hyper-parameters that not every model has, and their defaults."""
    from transa.declarations import declarations

    return {n: of.default for n, of in declarations(model.energy).items() if n != "dim"}


def _plain(model: ModelEntry) -> dict[str, Any]:
    return {**asdict(model.about), "options": _own_options(model), "recipe": dict(model.recipe)}
