"""Which graph is meant, and which loop trains on it: in memory, or in partitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from transa.datasets.sources import load_graph
from transa.estimator.scikit import Rows, graph_of, is_rows
from transa.files.paths import path_of
from transa.graph import Graph
from transa.prepared.graph import PreparedGraph
from transa.prepared.record import is_prepared
from transa.settings.by_size import Chosen, GraphSize, fixed_settings, settings_for
from transa.settings.config import Settings
from transa.storage.record import EpochReport
from transa.training.callbacks import Callback, EachEpoch
from transa.training.loop import Trained, train
from transa.training.partitioned.run import train_in_partitions


def opened(graph: Graph | str | Path | Rows, seed: int) -> Graph:
    """The graph that a name, a path or a graph means."""
    if is_prepared(graph):
        return PreparedGraph(path_of(graph))
    if is_rows(graph):
        return graph_of(graph)
    return load_graph(graph, seed=seed)  # type: ignore[arg-type]


def chosen_for(
    graph: Graph, model: str, given: Mapping[str, object], *, fixed: bool = False
) -> Chosen:
    """The settings of a model for a graph, by its size."""
    choose = fixed_settings if fixed else settings_for
    return choose(model, given, GraphSize.of(graph))


def trained_on(
    settings: Settings,
    graph: Graph,
    checkpoint: Path | None,
    room: tuple[int | None, int | None],
    *,
    resume: bool,
    log: Path | None,
    reports: Sequence[Callable[[EpochReport], None]] = (),
    callbacks: Sequence[Callback | EachEpoch] = (),
) -> Trained:
    """Train in memory, or in partitions where the graph has some."""
    what = settings.energy, settings.recipe

    def report(epoch: EpochReport) -> None:
        for each in reports:
            each(epoch)

    if not isinstance(graph, PreparedGraph):
        return train(
            *what,
            graph,
            checkpoint=checkpoint,
            resume=resume,
            log=log,
            report=report,
            callbacks=callbacks,
        )
    # What is mapped stays when its file is removed.
    with TemporaryDirectory(ignore_cleanup_errors=True) as passing:
        return train_in_partitions(
            *what,
            graph,
            checkpoint or Path(passing),
            memory=room[0],
            at_hand=room[1],
            resume=resume,
            log=log,
            report=report,
            callbacks=callbacks,
        )
