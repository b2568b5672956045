"""`transa datasets`: the graphs that have a name."""

from __future__ import annotations

from dataclasses import asdict

from transa.cli.output import plain_table, print_json, results
from transa.cli.parameters import Json

_COUNTS = ("entities", "relations", "train", "valid", "test")


def datasets(json: Json = False) -> None:
    """List the graphs that can be trained on by name."""
    from transa.datasets import available, is_local

    entries = available()
    if json:
        told = [{**asdict(entry), "local": is_local(entry.name)} for entry in entries]
        print_json({"datasets": told})
        return
    table = plain_table("name", *_COUNTS, "here")
    table.add_column("what it is")
    for entry in entries:
        counts = (f"{getattr(entry, count):,}" for count in _COUNTS)
        here = "yes" if is_local(entry.name) else "no"
        table.add_row(f"[bold]{entry.name}[/]", *counts, here, entry.description)
    results().print(table)
    results().print("[dim]Not here: downloaded when first used, or found in $TRANSA_DATA.[/]")
