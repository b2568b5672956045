"""How far a run on a cluster is: which files belong together, and which nobody needs any more."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar

from transa.cluster.files import Catalogue
from transa.cluster.models import Names
from transa.cluster.store import Store
from transa.cluster.worker import TurnDone
from transa.errors import StoreError
from transa.storage.record import EpochReport

if TYPE_CHECKING:
    from transa.cluster.run import ClusterRun

FORMAT = 1

_POSITION = (
    "epoch", "step", "done", "loss", "seconds", "best_epoch", "looks_without_gain", "at_hand",
    "relations_at",
)  # fmt: skip


class Progress:
    """What is said of a run.

    Attributes:
        FILE: where.
    """

    FILE: ClassVar[str] = "cluster.json"

    def __init__(self, run: ClusterRun) -> None:
        self._run = run
        self._replaced: set[str] = set()

    def know(self, files: Catalogue) -> None:
        """Have more files in the catalogue; those that they replace are of no more use."""
        known = self._run.files.catalogue
        self._replaced |= {known[name][0] for name in files if name in known}
        known |= files
        self._run.files.sums |= dict(files.values())
        self._replaced -= {stored for stored, _ in files.values()}

    def note(self) -> None:
        """Say how far the run is; then what is not needed any more is removed."""
        run = self._run
        if not run.finished:
            self._forget()
        told: dict[str, Any] = {name: getattr(run, name) for name in _POSITION}
        told |= {
            "format": FORMAT,
            "owner": run.owner,
            "lr": run.recipe.lr,
            "parts": run.parts,
            "margins": [run.margins.used, run.margins.made_for, run.margins.sums],
            "now": asdict(run.rows.now),
            "kept": asdict(run.rows.kept),
            "finished": {step: asdict(found) for step, found in run.finished.items()},
            "catalogue": run.files.catalogue,
            "history": [asdict(line) for line in run.history],
        }
        run.store.write(self.FILE, json.dumps(told).encode())
        run.store.remove(self._replaced)
        for name in self._replaced:
            (run.files.folder / name).unlink(missing_ok=True)
        self._replaced = set()

    def _forget(self) -> None:
        """Let go of the files that nothing names."""
        run = self._run
        needed = {*run.parts.values(), *run.rows.now.all(), *run.rows.kept.all()}
        needed.add(run.relations_at)
        for name in set(run.files.catalogue) - needed:
            kind, _, number = name.partition("-")
            is_margin = kind == "margins" and int(number.partition(".")[2]) >= run.margins.made_for
            is_mean = kind == "mean" and int(number.partition(".")[2]) > run.epoch
            if not (is_margin or is_mean or kind == "distances"):
                self._replaced.add(run.files.catalogue.pop(name)[0])

    def restore(self) -> None:
        """Go back to where it was said last; what was written since is removed."""
        run = self._run
        told = self._read()
        for name in _POSITION:
            setattr(run, name, told[name])
        run.history = [EpochReport(**line) for line in told["history"]]
        # A callback may have changed the rate.
        run.recipe = replace(run.recipe, lr=told["lr"])
        run.parts = {int(p): name for p, name in told["parts"].items()}
        run.margins.restore(*told["margins"])
        run.rows.now, run.rows.kept = (_names(told[which]) for which in ("now", "kept"))
        run.finished = {int(step): _done(found) for step, found in told["finished"].items()}
        catalogue = {name: (stored, total) for name, (stored, total) in told["catalogue"].items()}
        run.files.keep(catalogue)
        tables = run.relations | run.relation_state
        for name, array in run.files.read_rows(run.relations_at).items():
            tables[name][...] = array
        run.new_order()
        known = {stored for stored, _ in catalogue.values()}
        run.store.remove(
            name for name in run.store.names() if name not in known and _is_of_a_run(name)
        )

    def _read(self) -> dict[str, Any]:
        store, owner = self._run.store, self._run.owner
        if not store.has(self.FILE):
            raise StoreError(
                f"there is no checkpoint of a cluster's run at {store}; train without --resume to "
                "begin one"
            )
        try:
            told: dict[str, Any] = json.loads(store.read(self.FILE))
            newer, other = told["format"] > FORMAT, told["owner"] != owner
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"the checkpoint {store}/{self.FILE} is damaged ({error}); remove {store} to begin "
                "anew"
            ) from error
        if newer:
            raise StoreError(f"the checkpoint {store} was written by a newer transa; upgrade")
        if other:
            raise StoreError(
                f"the checkpoint {store} is of another run: its graph, model or recipe differ; "
                "give the same options, or another --storage"
            )
        return told


_KINDS = {"part", "turn", "relations", "mean", "distances", "margins"}


def _is_of_a_run(name: str) -> bool:
    return name.partition("-")[0].partition(".")[0] in _KINDS


def forget_run(store: Store) -> None:
    """Remove a run whose model is kept elsewhere; the copy of its graph stays for the next."""
    store.remove([Progress.FILE, *filter(_is_of_a_run, store.names())])


def _names(told: dict[str, Any]) -> Names:
    return Names({int(p): name for p, name in told["parts"].items()}, told["relations"])


def _done(told: dict[str, Any]) -> TurnDone:
    files = {name: (stored, total) for name, (stored, total) in told["files"].items()}
    return TurnDone(told["loss"], {int(p): value for p, value in told["sums"].items()}, files)
