"""`transa push` and `transa pull`: model folders on the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from transa.cli.output import print_json, print_next, say
from transa.cli.parameters import Folder, Json, Overwrite, argument, option


def push(
    folder: Folder,
    repo: Annotated[str, argument("Its name on the hub.", "OWNER/NAME")],
    private: Annotated[
        bool, option("Make the repository, if there is none, a private one.", name="--private")
    ] = False,
    json: Json = False,
) -> None:
    """Put a model folder on the Hugging Face hub, with a card."""
    from transa.exchange import hub

    address = hub.push(folder, repo, private=private)
    if json:
        print_json({"repo": repo, "address": address})
    else:
        say(f"pushed: {address}")


def pull(
    repo: Annotated[str, argument("Its name on the hub.", "OWNER/NAME[@REVISION]")],
    folder: Annotated[Path, argument("Where to put it.", "DIR")],
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Fetch a model folder from the Hugging Face hub."""
    from transa.exchange import hub
    from transa.storage.folder import sha256_of
    from transa.storage.places import check_free

    check_free(folder, overwrite=overwrite)
    hub.pull(repo, folder)
    if json:
        print_json({"folder": str(folder), "sha256": sha256_of(folder)})
    else:
        say(f"the model is in {folder}")
        print_next(("transa", "info", str(folder)))
