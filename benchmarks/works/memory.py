"""Peak memory of training and of ranking, each in a process of its own.

The bar is tables + graph + 200 MB, and it is held twice: against what a process has of its own, in
all, and against what it holds beyond what importing takes. What it holds in all is reported too:
that has the code of LLVM and Polars in it, a hundred megabytes of files that all processes share.
Tables: the vectors; graph: 12 bytes a triple, and the labels. The peers, who take long, show theirs
on FB15K, once, with some of the triples. Training by the defaults of `transa train` is two epochs
long, looks at the validation split included, with the dimensions that the graph asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from benchmarks.children import OwnMemory, in_own_process, peak_memory
from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side
from benchmarks.tasks import GRAPHS, RankingTask, TrainingTask, rounded_vectors
from transa.graph import Graph
from transa.models.energy import Parameters

TITLE = "Peak memory, d 100 (defaults: by size), L1: MB"
PEERS = True
ALLOWANCE = 200.0
DIM = 100
PEER_TRAINING_BATCH, PEER_RANKING_BATCH = 4096, 32
PEER_TRAINED, PEER_RANKED = 65_536, 64
DEFAULTS = "train defaults"


def points(peers: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Training (1 and 16 negatives, the defaults) and ranking, on both graphs."""
    for name in ("fb15k",) if quick else GRAPHS:
        for work in ("train 1", "train 16", DEFAULTS, "rank"):
            others = peers if name == "fb15k" and work != DEFAULTS else []
            yield compare(name, work, others, rounds=1 if quick else 3)


def compare(graph: str, work: str, peers: list[ModuleType], rounds: int) -> Point:
    """Everyone in a fresh process, in turn."""
    own = [in_own_process(__name__, "measure", "ours", graph, *work.split()) for _ in range(rounds)]
    bar = own[0]["tables_mb"] + own[0]["graph_mb"] + ALLOWANCE
    peaks = tuple(run["peak_mb"] for run in own)
    imported = own[0]["imported_mb"]
    others = [Side(peer.NAME, (peak_of(peer, graph, work),)) for peer in peers]
    return Point(
        name=f"{GRAPHS[graph]}, {describe(work)}",
        unit="MB",
        sides=(Side("transa", peaks), *others),
        scores=(
            Score("MB of its own", tuple(run["own_mb"] for run in own), bar, "at most"),
            Score("MB beyond imports", tuple(peak - imported for peak in peaks), bar, "at most"),
            Score("MB in all", peaks, None, "at most"),
        ),
        notes=(f"of which imports take {imported:.0f} MB",),
    )


def peak_of(peer: ModuleType, graph: str, work: str) -> float:
    """The MB of a peer in a process of its own."""
    who = peer.__name__.rpartition(".")[2]
    return in_own_process(__name__, "measure", who, graph, *work.split())["peak_mb"]


def describe(work: str) -> str:
    """A work's name as one would say it."""
    return {
        "train 1": "training, 1 negative",
        "train 16": "training, 16 negatives",
        DEFAULTS: "training by the defaults",
    }.get(work, "ranking the test split")


def measure(who: str, name: str, work: str, negatives: str = "1") -> dict[str, float]:
    """Do the work in this process; how much memory it took at most."""
    from benchmarks import contestants
    from benchmarks.contestants import ours
    from transa import datasets

    own = OwnMemory()
    peer = None if who == "ours" else contestants.load(who)
    imported = peak_memory()
    graph = datasets.load(name)
    vectors = rounded_vectors(graph, DIM) if negatives != "defaults" else {}
    if not vectors:
        vectors = trained_by_defaults(graph)
    elif work == "train":
        task = TrainingTask(graph, "l1", DIM, int(negatives), THREADS)
        if peer is None:
            ours.Trainer(task).train()
        else:
            peer.train(task, PEER_TRAINING_BATCH, graph.train[:PEER_TRAINED])
    else:
        ranking = RankingTask(graph, "l1", vectors, THREADS)
        if peer is None:
            ours.rank_all(ranking)
        else:
            peer.ranker(ranking, PEER_RANKING_BATCH)(ranking.sample(PEER_RANKED))
    labels = sum(words.labels.estimated_size() for words in (graph.entities, graph.relations))
    return {
        "peak_mb": peak_memory() / 1e6,
        "own_mb": own.stop() / 1e6,
        "imported_mb": imported / 1e6,
        "tables_mb": sum(table.nbytes for table in vectors.values()) / 1e6,
        "graph_mb": (len(graph.known) * 12 + labels) / 1e6,
    }


def trained_by_defaults(graph: Graph) -> Parameters:
    """What two epochs of `transa train GRAPH` give."""
    from transa.settings.by_size import GraphSize, settings_for
    from transa.training.loop import train

    given = {"epochs": 2, "threads": THREADS}
    settings = settings_for("transe", given, GraphSize.of(graph)).settings
    return train(settings.energy, settings.recipe, graph).parameters
