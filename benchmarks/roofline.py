"""How far each hot loop is from the machine: writes roofline.md.

Run with ``python -m benchmarks.roofline``, a minute. Bytes and operations are counted from the
loops' source; times are measured on one thread, FB15K, d 100.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks import ceilings, machine
from benchmarks.ceilings import DIM, Ceilings, best_seconds
from benchmarks.contestants import ours
from benchmarks.tasks import MARGIN, Norm, RankingTask, TrainingTask, rounded_vectors
from transa import datasets
from transa.graph import Graph
from transa.margins import Adaptive
from transa.ranking import rank
from transa.ranking.questions import ask
from transa.settings.config import make_settings
from transa.training.bucket import Ids
from transa.training.engines.questions import QuestionBatch
from transa.training.loop import Run

OUT = Path(__file__).with_name("roofline.md")
ROW = 4 * DIM
LARGE_TABLE = 1_000_000
# Models whose questions are compared with many entities at once, and their dimensions.
QUESTIONS = (("distmult", 50), ("complex", 50), ("complex", 200), ("rescal", 200))


@dataclass(frozen=True)
class Loop:
    """One loop, per item of its work.

    Attributes:
        name: what it does.
        item: what is counted.
        seconds: measured, per item.
        bytes: rows touched, read and written, per item.
        operations: additions, multiplications, absolute values and signs, per item.
        peak: operations a second that the machine has for this kind of arithmetic.
        bandwidth: bytes a second that the machine has where the rows are.
    """

    name: str
    item: str
    seconds: float
    bytes: float
    operations: float
    peak: float
    bandwidth: float

    @property
    def least_seconds(self) -> float:
        """What the scarcer of the two would take by itself."""
        return max(self.bytes / self.bandwidth, self.operations / self.peak)

    @property
    def limit(self) -> str:
        """Which of the two is the scarcer."""
        moving = self.bytes / self.bandwidth > self.operations / self.peak
        return "bytes" if moving else "arithmetic"

    def row(self) -> str:
        """A line of the table."""
        return (
            f"| {self.name} | {self.item} | {self.seconds * 1e9:,.1f} | {self.bytes:,.0f} | "
            f"{self.operations:,.0f} | {self.bytes / self.seconds / 1e9:,.1f} | "
            f"{self.operations / self.seconds / 1e9:,.1f} | {self.limit} | "
            f"{self.least_seconds / self.seconds:.0%} |"
        )


def main() -> None:
    """Measure, then write."""
    graph = datasets.load("fb15k")
    machine_can = ceilings.measure((graph.n_entities, LARGE_TABLE))
    loops = [
        *(training(graph, norm, k, machine_can) for norm in ("l1", "l2") for k in (1, 16)),
        margins(graph, machine_can),
        *(ranking(graph, norm, machine_can) for norm in ("l1", "l2")),
        *(questions(graph, model, d, machine_can) for model, d in QUESTIONS),
    ]
    OUT.write_text(document(machine_can, loops))
    print(OUT.read_text())


def training(graph: Graph, norm: Norm, k: int, can: Ceilings) -> Loop:
    """Draw, score, differentiate, update: hinge and SGD, from fresh vectors."""
    trainer = ours.Trainer(TrainingTask(graph, norm, DIM, k, threads=1))
    seconds = 1 / max(trainer.train().rate for _ in range(5))
    moved = violated_share(graph, trainer, norm)
    # Read h, r, t and k corruptions. Where a hinge is violated its corruption is written, and as
    # soon as one of the k is, so are h, r and t.
    any_moved = 1 - (1 - moved) ** k
    rows = 3 + k + moved * k + any_moved * 3
    # Per dimension: q = h ± r is 2, a distance 3; a row moved is 6 (difference, sign or scale, two
    # sums and their factors), and h and r take 2 each.
    operations = 2 + 3 * (1 + k) + 6 * (moved * k + any_moved) + 4 * any_moved
    return Loop(
        name=f"training, {norm.upper()}, K {k}",
        item="triple",
        seconds=seconds,
        bytes=ROW * rows,
        operations=DIM * operations,
        peak=can.l1 if norm == "l1" else can.l2,
        bandwidth=can.rows[graph.n_entities],
    )


def violated_share(graph: Graph, trainer: ours.Trainer, norm: Norm) -> float:
    """How many corruptions come within the margin, half way through what was timed."""
    trainer.restart()
    trainer.run.one_epoch()
    entity, relation = (trainer.run.parameters[name] for name in ("entity", "relation"))
    rng = np.random.default_rng(0)
    h, r, t = graph.train[rng.choice(len(graph.train), 20_000, replace=False)].T
    q = entity[h] + relation[r]
    order = {"l1": 1, "l2": 2}[norm]
    near = np.linalg.norm(q - entity[t], order, axis=1)
    far = np.linalg.norm(q - entity[rng.integers(graph.n_entities, size=len(t))], order, axis=1)
    return float((near + MARGIN > far).mean())


def margins(graph: Graph, can: Ceilings) -> Loop:
    """All margins of the graph from the vectors as they are (reading `active`, L1)."""
    margin = Adaptive()
    task = TrainingTask(graph, "l1", DIM, 1, threads=1)
    run = ours.Trainer(task, replace(ours.HINGE, margin=margin)).run
    seconds = best_seconds(lambda: run.margins.compute(run.parameters, 0, 1))
    # A distance for every pair of neighbours, and for every entity drawn; an anchor is read once.
    # Of a pair it does not matter which is the head.
    pairs = len(np.unique(np.sort(graph.train[:, [0, 2]], axis=1), axis=0))
    distances = pairs + margin.rounds * graph.n_entities
    n = len(graph.train)
    return Loop(
        name="margins, L1",
        item="triple",
        seconds=seconds / n,
        bytes=ROW * (distances + graph.n_entities) / n,
        operations=3 * DIM * distances / n,
        peak=can.l1,
        bandwidth=can.rows[graph.n_entities],
    )


def ranking(graph: Graph, norm: Norm, can: Ceilings) -> Loop:
    """Distances of all entities to every question of the test split, and the counts."""
    model = RankingTask(graph, norm, rounded_vectors(graph, DIM), threads=1).model
    questions = sum(len(ask(graph.test, side, model.known)[0]) for side in ("head", "tail"))
    seconds = best_seconds(lambda: rank(model, graph.test, threads=1), repeats=1)
    return Loop(
        name=f"ranking, {norm.upper()}",
        item="question and entity",
        seconds=seconds / (questions * graph.n_entities),
        # A block of entities stays in the innermost cache while many questions are put to it.
        bytes=0,
        operations=3 * DIM,
        peak=can.l1 if norm == "l1" else can.l2,
        bandwidth=can.copied["L2"],
    )


def questions(graph: Graph, model: str, dim: int, can: Ceilings) -> Loop:
    """An epoch of the softmax loss with 4,096 entities drawn for 1,024 questions."""
    how = {"loss": "softmax", "negatives": 4096, "batch": 1024, "reciprocal": True, "epochs": 9}
    settings = make_settings(model, dim=dim, threads=1, validate_every=0, average=False, **how)
    run = Run(settings.energy, settings.recipe, graph, None)
    pairs, count = 0, 0
    candidates = run.engine.candidates

    def counted(asked: QuestionBatch, rng: np.random.Generator) -> Ids:
        nonlocal pairs, count
        found = candidates(asked, rng)
        pairs, count = pairs + len(asked.anchor) * len(found), count + len(asked.anchor)
        return found

    run.engine.candidates = counted
    run.one_epoch()
    pairs = count = 0
    began = time.perf_counter()
    run.one_epoch()
    seconds = time.perf_counter() - began
    # Scores, and their derivatives by questions and by candidates: three products.
    width = run.parameters["entity"].shape[1]
    return Loop(
        name=f"softmax, {model}, d {dim}",
        item="question",
        seconds=seconds / count,
        bytes=0,
        operations=3 * 2 * width * pairs / count,
        peak=can.gemm,
        bandwidth=can.copied["L3"],
    )


def document(can: Ceilings, loops: list[Loop]) -> str:
    """The page."""
    facts = machine.facts()
    copies = "\n".join(
        f"| copy, arrays of {ceilings.COPIED[level] / 2**20:g} MiB ({level}) | "
        f"{rate / 1e9:.1f} GB/s |"
        for level, rate in can.copied.items()
    )
    rows = "\n".join(
        f"| rows of {ROW} bytes in random order, table of {count * ROW / 1e6:,.0f} MB | "
        f"{rate / 1e9:.1f} GB/s |"
        for count, rate in can.rows.items()
    )
    table = "\n".join(loop.row() for loop in loops)
    return f"""# How far the loops are from the machine

Written by `python -m benchmarks.roofline` on {facts["cpu"]}, commit {facts["commit"]}, load
{facts["load"]}; one thread; FB15K, d {DIM}.

| what one core can do | measured |
|---|---|
{copies}
| copy in memory, two threads together | {can.copied_by_two / 1e9:.1f} GB/s |
{rows}
| Σ abs(x − c) in the innermost cache (−, abs, +) | {can.l1 / 1e9:.1f} G operations/s |
| Σ (x − c)² (−, ×, +) | {can.l2 / 1e9:.1f} G operations/s |
| matrix product, single precision (×, +) | {can.gemm / 1e9:.1f} G operations/s |

| loop | item | ns | bytes | operations | GB/s | G operations/s | limit | share of it |
|---|---|---|---|---|---|---|---|---|
{table}

Bytes and operations are counted from the source: whole rows touched, read and written, whatever
cache they are in, and the arithmetic on them; drawing corruptions, known triples and margins are
not counted, and neither is the logistic of a loss. The limit is the scarcer of bytes (against rows
in random order from a table of this size) and arithmetic (against such sums in the innermost
cache); the share is the time that the limit alone would take, of the time measured. Rows that
several triples share while they are in an inner cache can make it exceed 100 %. Of a softmax the
matrix products are counted and nothing else: what is drawn, exponentials and the rows that move
are what keeps it from 100 %. A question takes so many operations for each number of a row and each
candidate: 6. All 14,951 entities as candidates of 273,710 questions would be 10¹³ an epoch at d 200
of ComplEx, a minute of two cores; 4,096 drawn for every 1,024 questions are a third of it.
"""


if __name__ == "__main__":
    main()
