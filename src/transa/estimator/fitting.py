"""Which graph is meant, and which loop trains on it: in memory, in partitions, on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from transa.datasets.sources import load_graph
from transa.errors import ConfigError
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


@dataclass(frozen=True)
class Room:
    """Where a graph in partitions is trained.

    Attributes:
        memory: bytes that it may take; what is free, unless told.
        at_hand: partitions in memory at a time; as many as fit, unless told.
        cluster: the address of a cluster; this machine, unless told.
        storage: what all nodes of it reach.
    """

    memory: int | None = None
    at_hand: int | None = None
    cluster: str | None = None
    storage: str | None = None

    def __post_init__(self) -> None:
        if self.storage is not None and self.cluster is None:
            raise ConfigError("storage is what the nodes of a cluster reach; name the cluster, too")


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
    room: Room,
    *,
    resume: bool,
    log: Path | None,
    reports: Sequence[Callable[[EpochReport], None]] = (),
    callbacks: Sequence[Callback | EachEpoch] = (),
) -> Trained:
    """Train in memory, or in partitions where the graph has some; those also on a cluster."""
    what = settings.energy, settings.recipe

    def report(epoch: EpochReport) -> None:
        for each in reports:
            each(epoch)

    if not isinstance(graph, PreparedGraph):
        if room.cluster is not None:
            raise ConfigError(
                "a cluster trains graphs in partitions: prepare this one (transa prepare), four "
                "partitions for every worker at least"
            )
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
        place: dict[str, Any] = {}
        run: Callable[..., Trained] = train_in_partitions
        if room.cluster is not None:
            from transa.cluster.run import train_on_cluster

            run, place = train_on_cluster, {"address": room.cluster, "storage": room.storage}
        return run(
            *what,
            graph,
            checkpoint or Path(passing),
            memory=room.memory,
            at_hand=room.at_hand,
            resume=resume,
            log=log,
            report=report,
            callbacks=callbacks,
            **place,
        )
