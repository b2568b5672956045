"""Model folders on the Hugging Face hub, by its own client. Needs the extra `hub`.

Who may read and write there is the client's business: its token, its environment variables
(``HF_TOKEN``, ``HF_ENDPOINT``). What comes down is checked as any folder from a stranger.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from transa import __version__
from transa.errors import ConfigError, DownloadError, TransaError, optional
from transa.exchange.card import write_card
from transa.files.cache import cache_folder
from transa.files.paths import path_of
from transa.files.whole import settled, whole_folder
from transa.storage import folder as store
from transa.storage.places import check_free

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_SCHEME = "hf://"
_ADDRESS = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)(@(?P<revision>[\w./-]+))?")


def push(folder: str | Path, repo: str, *, private: bool = False) -> str:
    """Put a model folder on the hub, with its card; the repository is made if there is none.

    Args:
        folder: the model folder; gets a card (README.md) if it has none.
        repo: as the hub calls it, 'owner/name'.
        private: whether a repository that is made is to be seen by its owner alone.

    Returns:
        The address of what was put there.
    """
    folder, (repo, _) = path_of(folder), _address(repo)
    store.inspect(folder)
    if not (settled(folder) / store.CARD).exists():
        write_card(folder)
    with _asking(repo) as hub:
        hub.create_repo(repo, private=private, exist_ok=True)
        done = hub.upload_folder(
            repo_id=repo,
            folder_path=settled(folder),
            allow_patterns=list(store.files_in(folder)),
            commit_message=f"A model of transa {__version__}",
        )
    return str(done.commit_url)


def pull(address: str, folder: str | Path) -> Path:
    """Fetch a model folder from the hub, whole or not at all.

    Args:
        address: 'owner/name', or 'owner/name@revision'.
        folder: where to put it.

    Raises:
        DownloadError: if the hub cannot be reached, or has no such model.
        StoreError: if what is there is no model folder, or something else is in the way.
    """
    folder, (repo, revision) = path_of(folder), _address(address)
    check_free(folder)
    with whole_folder(folder) as part:
        with _asking(repo) as hub:
            hub.snapshot_download(
                repo,
                revision=revision,
                local_dir=part,
                allow_patterns=list(store.FILES),
                max_workers=1,
            )
        shutil.rmtree(part / ".cache", ignore_errors=True)
        try:
            store.inspect(part)
        except TransaError as error:
            raise DownloadError(
                f"{repo} on the hub is no model of transa ({str(error).replace(str(part), repo)})"
            ) from None
    return folder


def cached(address: str) -> Path:
    """The copy in the user's cache of a model on the hub, fetched if it is not there yet."""
    repo, revision = _address(address)
    with _asking(repo) as hub:
        commit = hub.model_info(repo, revision=revision).sha
    folder = cache_folder() / "hub" / repo.replace("/", "--") / str(commit)
    return folder if folder.exists() else pull(f"{repo}@{commit}", folder)


def _address(address: str) -> tuple[str, str | None]:
    found = _ADDRESS.fullmatch(address.removeprefix(_SCHEME))
    if found is None:
        raise ConfigError(
            f"a model on the hub is owner/name or owner/name@revision, found {address!r:.100}"
        )
    return found["repo"], found["revision"]


@contextmanager
def _asking(repo: str) -> Iterator[HfApi]:
    """The client; whatever it fails with is told in a sentence."""
    client = optional("huggingface_hub", "hub", "the Hugging Face hub")
    try:
        yield client.HfApi(
            endpoint=os.environ.get("HF_ENDPOINT"),
            library_name="transa",
            library_version=__version__,
        )
    except Exception as error:
        # Of many libraries, one below the other, each with errors of its own.
        told = " ".join(str(error).split()) or type(error).__name__
        raise DownloadError(f"{repo}: the hub could not be asked ({told:.300})") from error
