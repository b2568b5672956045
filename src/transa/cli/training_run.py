"""A training run: its progress, what it leaves on disk, and what it says at the end."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from transa.cli.output import print_json, print_next, results, say
from transa.cli.progress import ranking_progress, training_progress
from transa.errors import NotFittedError, StoreError
from transa.files.locks import locked

if TYPE_CHECKING:
    from transa.estimator import Estimator
    from transa.graph import Graph
    from transa.ranking import LinkPrediction
    from transa.settings.by_size import Chosen
    from transa.settings.config import Settings
    from transa.training.callbacks import Callback

# Larger graphs would wait for a warning; `transa inspect` looks at those.
_MOST_LOOKED_AT = 5_000_000


def run_training(
    graph: Graph,
    chosen: Chosen,
    folder: Path,
    callbacks: Sequence[Callback] = (),
    *,
    resume: bool,
    overwrite: bool = False,
    quiet: bool,
    json: bool,
    room: Mapping[str, int | None] = MappingProxyType({}),
) -> None:
    """Train, save, rank the test triples, report. `room` is for graphs in partitions."""
    from transa.estimator import estimator_of
    from transa.storage.places import check_free

    estimator = estimator_of(chosen.settings)
    told = chosen.why, callbacks
    check_free(folder, overwrite=overwrite)
    _learn(estimator, graph, folder, *told, room, resume=resume, quiet=quiet)
    wanted = json or not quiet
    found = rank_test(estimator, quiet=quiet) if wanted and len(graph.test) else None
    if json:
        print_json(_plain(folder, estimator, found))
    elif not quiet:
        _summarise(folder, estimator, found)


def _learn(
    estimator: Estimator,
    graph: Graph,
    folder: Path,
    why: str,
    callbacks: Sequence[Callback],
    room: Mapping[str, int | None],
    *,
    resume: bool,
    quiet: bool,
) -> None:
    """Train with a progress bar, then write the model folder.

    Until it can be written whole, a run keeps its checkpoint and its log in a folder beside it.
    """
    from transa.prepared.graph import PreparedGraph

    with _workplace(folder) as work:
        in_partitions = isinstance(graph, PreparedGraph)
        checkpoint = work / ("partitions" if in_partitions else "checkpoint.safetensors")
        log = work / "log.jsonl"
        if checkpoint.exists() and not resume:
            raise StoreError(
                f"{work} holds a run that was stopped; --resume goes on with it, to begin anew "
                "remove that folder"
            )
        if not quiet:
            introduce(graph, estimator.settings, why)
            _warn_of_leakage(graph)
        try:
            with training_progress(estimator.settings.recipe, hidden=quiet) as report:
                estimator.fit(
                    graph,
                    checkpoint=checkpoint,
                    resume=resume,
                    log=log,
                    report=report,
                    callbacks=callbacks,
                    progress=False,
                    **room,
                )
        except KeyboardInterrupt:
            if checkpoint.exists():
                _keep_best_so_far(estimator, folder)
                _say_how_to_resume()
            raise typer.Exit(128 + _signal()) from None
        estimator.save(folder)
        shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _workplace(folder: Path) -> Iterator[Path]:
    """The folder beside a model's for what its run needs, for one run at a time."""
    work = folder.with_name(folder.name + ".training")
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{work}: cannot be made ({error.strerror})") from None
    with locked(work):
        try:
            yield work
        finally:
            # Where the settings were refused there is nothing to go on with.
            if work.exists() and not any(work.iterdir()):
                work.rmdir()


def _keep_best_so_far(estimator: Estimator, folder: Path) -> None:
    """Leave a model of a run that was stopped; not in the place of one that came to its end."""
    from transa.storage.places import holds_finished_model

    try:
        if not estimator.history_:
            return
        if holds_finished_model(folder):
            say(f"{folder} keeps the model that it had")
            return
        estimator.save(folder)
        say(f"{_how_it_went(estimator)}; the model as it is now is in {folder}")
    except NotFittedError:  # stopped twice
        return
    except StoreError as error:
        say(str(error))


def _signal() -> int:
    from transa.training.interrupt import Interrupt

    return Interrupt.last


def rank_test(estimator: Estimator, *, quiet: bool = False) -> LinkPrediction:
    """Rank the test triples, with a progress bar."""
    with ranking_progress(hidden=quiet) as progress:
        return estimator.evaluate(progress=progress)


def introduce(graph: Graph, settings: Settings, why: str = "") -> None:
    """Say what is about to be trained, on what, and what was chosen for it."""
    from transa.settings.config import to_plain

    counts = repr(graph).removeprefix("Graph(").removesuffix(")")
    margin = to_plain(settings)["margin"]
    kind = margin.pop("kind")
    model = f"{settings.model}: {_words(asdict(settings.energy))}, {kind} margin ({_words(margin)})"
    remarks = [str(graph.report)] if graph.report and graph.report.has_findings else []
    for line in (counts, *remarks, model, *([why] if why else [])):
        say(line)


def _warn_of_leakage(graph: Graph) -> None:
    """Say if results on the test split will tell more of the split than of the model."""
    from transa.graph.known import SPLITS
    from transa.inspection.copies import copies_in
    from transa.inspection.leakage import leakage_of
    from transa.prepared.graph import PreparedGraph

    if sum(map(graph.n_triples, SPLITS)) > _MOST_LOOKED_AT or isinstance(graph, PreparedGraph):
        return
    leakage = leakage_of(graph, copies_in(graph))
    if leakage is not None and leakage.is_worth_a_warning:
        say(f"warning: {leakage} (see transa inspect)")


def _words(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items())


def _say_how_to_resume() -> None:
    again = [argument for argument in sys.argv[1:] if argument != "--resume"]
    command = shlex.join(["transa", *again, "--resume"])
    say(f"stopped; to go on: {command}")


def _plain(folder: Path, estimator: Estimator, found: LinkPrediction | None) -> dict[str, Any]:
    told = {"folder": str(folder), "training": estimator.learnt_.training.summary()}
    return told | (found.to_dict() if found else {})


def _summarise(folder: Path, estimator: Estimator, found: LinkPrediction | None) -> None:
    from transa.models import Translation

    if found is not None:
        results().print(found)
    else:
        say("there are no test triples, so that nothing was ranked")
    told = f"{_how_it_went(estimator)}; the model is in {folder}"
    say(told)
    head, relation = _a_question(estimator.graph_)
    following = [
        ("transa", "predict", str(folder), "--head", head, "--relation", relation),
        ("transa", "similar", str(folder), *(["--"] if head.startswith("-") else []), head),
    ]
    if isinstance(estimator.settings.energy, Translation):
        figure = ("--entity", head, "--figure", "margins.png")
        following.append(("transa", "margins", str(folder), *figure))
    print_next(*following)


def _how_it_went(estimator: Estimator) -> str:
    trained = estimator.learnt_.training
    last = trained.history[-1]
    told = f"{last.epoch} epochs in {last.seconds:.1f} s"
    if trained.stopped == "early":
        told = f"stopped early after {told}"
    return told if last.best is None else f"{told}, best at {trained.best_epoch}"


def _a_question(graph: Graph) -> tuple[str, str]:
    """The head with most triples, and the relation it has most of."""
    import numpy as np

    from transa.prepared.graph import PreparedGraph

    if isinstance(graph, PreparedGraph):
        head, relation, _ = graph.some_triple()
        return graph.entities.display(head), graph.relations.display(relation)
    heads, relations, _ = graph.train.T
    head = int(np.bincount(heads).argmax())
    relation = int(np.bincount(relations[heads == head]).argmax())
    return graph.entities.display(head), graph.relations.display(relation)
