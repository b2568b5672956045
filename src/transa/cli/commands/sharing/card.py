"""`transa card`: a README.md that tells what a model is."""

from __future__ import annotations

from typing import Annotated

from transa.cli.output import print_json, say
from transa.cli.parameters import Folder, Json, option


def card(
    folder: Folder,
    threads: Annotated[int, option("0 is all cores.")] = 0,
    json: Json = False,
) -> None:
    """Write a model card (README.md) into a model folder; ranks the test triples for it."""
    from transa.exchange.card import write_card

    path = write_card(folder, threads=threads)
    if json:
        print_json({"file": str(path)})
    else:
        say(f"model card: {path}")
