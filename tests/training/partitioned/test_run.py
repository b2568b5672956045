"""Training in partitions."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import transa
from transa.errors import ConfigError, StoreError, TooLargeError
from transa.files.arrays import map_arrays
from transa.graph.graph import inverses_of
from transa.graph.sampling import known_of
from transa.kernels.training.sampling import corrupt_many, empty_pool
from transa.margins import Adaptive, adaptive_margins
from transa.prepared.graph import PreparedGraph
from transa.prepared.layout import pairs_among
from transa.prepared.prepare import Plan, prepare
from transa.settings.config import make_settings
from transa.training.partitioned import run as module
from transa.training.partitioned.run import PartitionedRun, train_in_partitions

SMALL = {"dim": 8, "epochs": 3, "threads": 1, "seed": 5}


@pytest.fixture(scope="session")
def prepared(grid, tmp_path_factory) -> PreparedGraph:
    """The board in five partitions, the last one shorter."""
    return prepare(grid, tmp_path_factory.mktemp("grid") / "prepared", Plan(partitions=5))


@pytest.fixture
def saves_often(monkeypatch):
    monkeypatch.setattr(module, "SAVE_EVERY", -1.0)


def trained(graph, work, at_hand=3, **options):
    settings = make_settings("transa", **{**SMALL, **options})
    return train_in_partitions(settings.energy, settings.recipe, graph, work, at_hand=at_hand)


@pytest.mark.parametrize("at_hand", [2, 3, 5])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "hinge", "sampling": "bernoulli", "optimiser": "adam", "lr": 0.01},
        {"loss": "listwise", "negatives": 20},
        {"loss": "listwise", "negatives": 20, "reciprocal": True},
        {"reciprocal": True},
        {"model": "transe", "constraint": "sphere", "average": False},
        {"model": "transh", "margin": 1.0},
    ],
    ids=["defaults", "hinge", "listwise", "inverses", "both ways", "transe", "transh"],
)
def test_the_board_is_learnt(prepared, tmp_path, at_hand, options):
    settings = make_settings(**{"model": "transa", **SMALL, "epochs": 40, **options})
    learnt = train_in_partitions(
        settings.energy, settings.recipe, prepared, tmp_path, at_hand=at_hand
    )
    first, last = learnt.history[0], learnt.history[-1]
    assert last.loss < 0.8 * first.loss
    assert last.best > 0.15
    assert learnt.parameters["entity"].shape[0] == prepared.n_entities


def test_the_same_seed_gives_the_same_bits_whatever_is_written_in_between(
    prepared, tmp_path, monkeypatch
):
    one = trained(prepared, tmp_path / "one")
    monkeypatch.setattr(module, "SAVE_EVERY", -1.0)
    other = trained(prepared, tmp_path / "other")
    for name, table in one.parameters.items():
        np.testing.assert_array_equal(table, other.parameters[name])
    assert [line.loss for line in one.history] == [line.loss for line in other.history]


def test_one_partition_is_a_graph_in_memory(grid, tmp_path):
    graph = prepare(grid, tmp_path / "prepared", Plan(partitions=1))
    learnt = trained(graph, tmp_path / "work", 1, epochs=40)
    assert learnt.history[-1].best > 0.15


@pytest.mark.parametrize("reading", ["pairs", "spheres"])
@pytest.mark.parametrize(("halved_at", "reciprocal"), [(0.0, False), (2.0, False), (2.0, True)])
def test_margins_are_those_of_the_graph_in_memory(
    prepared, tmp_path, reading, halved_at, reciprocal
):
    margin = Adaptive(reading=reading, local=1.0, halved_at=halved_at, mu=0.7)
    settings = make_settings("transa", **SMALL, margin=margin, reciprocal=reciprocal)
    run = PartitionedRun(settings.energy, settings.recipe, prepared, tmp_path, 2)
    run.begin()
    while run.epoch < 0:
        run._advance()
    run.margins.begin(0)
    layout = prepared.layout
    vectors = np.empty((prepared.n_entities, 8), np.float32)
    for partition in range(layout.partitions):
        rows = {"entity": vectors[partition * layout.rows :][: layout.size(partition)]}
        run.hand.draw(partition, rows)
    triples = prepared.train
    if reciprocal:
        triples = np.concatenate([triples, inverses_of(triples, prepared.n_relations)])
    expected = adaptive_margins(
        triples, vectors, run.relations["relation"], mu=0.7, norm="l1", reading=reading
    )
    if halved_at:
        for column, values in zip(((0, 1), (1, 2)), expected, strict=True):
            _, inverse, count = np.unique(
                triples[:, column], axis=0, return_inverse=True, return_counts=True
            )
            values *= (halved_at / (halved_at + count - 1))[inverse.ravel()]
    # Where relations have inverses, what was anchored at a tail is anchored at a head as well.
    at_head, at_tail = expected[0], expected[0 if reciprocal else 1][-prepared.record.train :]
    first = 0
    for pair in layout.pairs:
        arrays = prepared.bucket(pair)
        if not len(arrays["triples"]):
            continue
        found = run.margins.of({pair: arrays}, layout.rows)
        some = slice(first, first + len(arrays["triples"]))
        for values, groups, wanted in (
            (found.at_head, found.head_group, at_head[some]),
            (found.at_tail, found.tail_group, at_tail[some]),
        ):
            np.testing.assert_allclose(values[groups], wanted, rtol=1e-5)
        first = some.stop
    run.hand.close()
    assert run.margins.mean() == pytest.approx(np.mean(expected), rel=1e-5)


def test_margins_that_are_kept_are_used_until_they_are_due(prepared, tmp_path):
    margin = Adaptive(every=2, local=0.5)
    margins = [
        line.mean_margin for line in trained(prepared, tmp_path, epochs=4, margin=margin).history
    ]
    assert margins[0] == margins[1] != margins[2] == margins[3]


def test_the_mean_is_that_of_the_rows_after_each_epoch(prepared, tmp_path):
    """Against a run that keeps no mean: the same steps, whose rows are averaged here."""
    rows = []
    settings = make_settings("transa", **SMALL, average=False, validate_every=0)
    run = PartitionedRun(settings.energy, settings.recipe, prepared, tmp_path / "last", 3)
    run.begin()
    for _ in range(3):
        run.one_epoch()
        rows.append({name: table.copy() for name, table in run.rows.mean.items()})
    run.hand.close()
    mean = rows[0]
    for epoch, tables in enumerate(rows[1:], start=2):
        weight = 9 / (epoch + 8)
        mean = {name: (1 - weight) * mean[name] + weight * tables[name] for name in mean}
    found = trained(prepared, tmp_path / "mean", validate_every=0).parameters
    for name, table in mean.items():
        np.testing.assert_allclose(found[name], table, atol=1e-6)


CHILD = """
import os, signal, sys
from pathlib import Path
from transa.prepared.graph import PreparedGraph
from transa.settings.config import make_settings
from transa.training.partitioned import files, run

graph, work, turns, how = sys.argv[1:]
run.SAVE_EVERY = -1.0
count = 0

def counted(self, turn, *rest, before=run.PartitionedRun._finish_partitions):
    global count
    count += 1
    if how == "in a turn" and count == int(turns):
        os.kill(os.getpid(), signal.SIGKILL)
    before(self, turn, *rest)

def writing(self, name, arrays, before=files.RunFiles.write_rows):
    if how == "in a write" and count == int(turns):
        (self.folder / name).write_bytes(b"half")
        os.kill(os.getpid(), signal.SIGKILL)
    before(self, name, arrays)

run.PartitionedRun._finish_partitions = counted
files.RunFiles.write_rows = writing
margin = {"kind": "adaptive", "local": 0.5}
settings = make_settings("transa", dim=8, epochs=3, threads=1, seed=5, margin=margin)
what = settings.energy, settings.recipe, PreparedGraph(Path(graph))
run.train_in_partitions(*what, Path(work), at_hand=3)
"""


@pytest.mark.parametrize(
    ("turns", "how"),
    [(2, "in a turn"), (7, "in a turn"), (13, "in a turn"), (7, "in a write"), (10, "in a write")],
)
def test_a_killed_run_goes_on_as_if_it_had_not_been(prepared, tmp_path, turns, how):
    work = tmp_path / "work"
    words = [sys.executable, "-c", CHILD, prepared.folder, work, turns, how]
    ended = subprocess.run([str(word) for word in words], check=False, capture_output=True)
    if ended.returncode == 0:
        pytest.fail("it was not killed")
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    settings = make_settings("transa", **SMALL, margin=Adaptive(local=0.5))
    how_to = settings.energy, settings.recipe, prepared
    resumed = train_in_partitions(*how_to, work, at_hand=3, resume=True)
    undisturbed = train_in_partitions(*how_to, tmp_path / "other", at_hand=3)
    for name, table in undisturbed.parameters.items():
        np.testing.assert_array_equal(resumed.parameters[name], table)
    losses = [[line.loss for line in each.history] for each in (resumed, undisturbed)]
    assert losses[0] == losses[1]


@pytest.mark.usefixtures("saves_often")
def test_a_kill_costs_at_most_the_turn_in_hand(prepared, tmp_path):
    settings = make_settings("transa", **SMALL)
    run = PartitionedRun(settings.energy, settings.recipe, prepared, tmp_path, 3)
    run.begin()
    for _ in range(12):
        run._advance()
        run.hand.check(wait=True)
        saved = json.loads((tmp_path / "progress.json").read_text())
        if run.epoch > 0 or (run.epoch == 0 and run.step > 0):
            assert (saved["epoch"], saved["step"]) == (run.epoch, run.step)
    run.hand.close()
    names = {path.name.partition(".")[0] for path in tmp_path.glob("part-*")}
    # Nothing that is not needed any more stays.
    assert len(list(tmp_path.glob("part-*"))) == len(names)


def test_a_full_disk_in_mid_epoch_costs_nothing_that_was_saved(prepared, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SAVE_EVERY", -1.0)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    settings = make_settings("transa", **SMALL)
    how = settings.energy, settings.recipe, prepared

    def fill(_):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))

    try:
        with pytest.raises(StoreError, match=r"cannot be written .*--resume goes on"):
            train_in_partitions(*how, tmp_path / "work", at_hand=3, report=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    resumed = train_in_partitions(*how, tmp_path / "work", at_hand=3, resume=True)
    undisturbed = train_in_partitions(*how, tmp_path / "other", at_hand=3)
    np.testing.assert_array_equal(resumed.parameters["entity"], undisturbed.parameters["entity"])


def test_a_disk_too_small_to_begin_is_told(prepared, tmp_path):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            trained(prepared, tmp_path / "work")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
@pytest.mark.usefixtures("saves_often")
def test_a_partition_that_is_not_as_it_was_written_is_refused(prepared, tmp_path, damage):
    work = tmp_path / "run" / "work"
    trained(prepared, work, at_hand=2)
    for path in work.glob("part-*"):
        if damage == "cut":
            path.write_bytes(path.read_bytes()[:-10])
        elif damage == "changed":
            map_arrays(path, write=True)["entity"][0, 0] += 1
        else:
            path.unlink()
    settings = make_settings("transa", **{**SMALL, "epochs": 6})
    with pytest.raises(StoreError, match=r"part-\d+\.\d+ is not as it was written, .*train again"):
        train_in_partitions(
            settings.energy, settings.recipe, prepared, work, at_hand=2, resume=True
        )


@pytest.mark.parametrize(
    ("stem", "array"),
    [("bucket", "triples"), ("around", "out.neighbour")],
    ids=["bucket", "around"],
)
def test_a_file_of_the_graph_that_was_changed_is_refused(prepared, tmp_path, stem, array):
    copy = PreparedGraph(Path(shutil.copytree(prepared.folder, tmp_path / "copy")))
    path = max(copy.folder.glob(f"{stem}-*"), key=lambda path: path.stat().st_size)
    map_arrays(path, write=True)[array].flat[0] ^= 1
    with pytest.raises(StoreError, match="prepare the graph again"):
        trained(copy, tmp_path / "work")


def test_a_checkpoint_of_another_run_is_refused(prepared, tmp_path):
    trained(prepared, tmp_path / "work")
    settings = make_settings("transa", **SMALL)

    def resumed(recipe, at_hand=3):
        train_in_partitions(
            settings.energy, recipe, prepared, tmp_path / "work", at_hand=at_hand, resume=True
        )

    with pytest.raises(StoreError, match="of another run"):
        resumed(replace(settings.recipe, lr=0.3))
    with pytest.raises(StoreError, match="had 3 partitions at hand, and 2 fit"):
        resumed(settings.recipe, 2)
    progress = tmp_path / "work" / "progress.json"
    told = json.loads(progress.read_text())
    progress.write_text(json.dumps(told | {"format": 99}))
    with pytest.raises(StoreError, match="newer transa"):
        resumed(settings.recipe)
    progress.write_text("{}")
    with pytest.raises(StoreError, match="damaged"):
        resumed(settings.recipe)
    progress.unlink()
    with pytest.raises(StoreError, match="no checkpoint"):
        resumed(settings.recipe)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "distmult"}, "fused engine"),
        ({"reciprocal": True, "sampling": "bernoulli"}, "with reciprocal relations"),
        ({"same_position": 0.5}, "same_position"),
        ({"stop_on": "accuracy"}, "stop_on"),
    ],
)
def test_what_cannot_be_trained_in_partitions_is_refused(prepared, tmp_path, options, words):
    settings = make_settings(**{"model": "transa", **options})
    with pytest.raises(ConfigError, match=words):
        train_in_partitions(settings.energy, settings.recipe, prepared, tmp_path)


def test_too_little_memory_for_two_partitions_is_refused(prepared, tmp_path):
    settings = make_settings("transa", **SMALL)
    with pytest.raises(TooLargeError, match="prepare it in more partitions"):
        train_in_partitions(settings.energy, settings.recipe, prepared, tmp_path, memory=10**6)


def test_the_estimator_takes_a_prepared_graph_and_its_model_comes_back(prepared, tmp_path):
    model = transa.TransA(**SMALL).fit(str(prepared.folder), at_hand=3)
    model.save(tmp_path / "model")
    again = transa.load(tmp_path / "model")
    assert isinstance(again.graph_, PreparedGraph)
    np.testing.assert_array_equal(again.parameters_["entity"], model.parameters_["entity"])
    assert again.predict_tails("square 0", "right", 3) == model.predict_tails(
        "square 0", "right", 3
    )
    assert again.evaluate("valid").to_dict() == model.evaluate("valid").to_dict()
    assert again.similar("square 3", 2) == model.similar("square 3", 2)


@pytest.mark.parametrize("reciprocal", [False, True])
@pytest.mark.parametrize("at_hand", [3, 5])
def test_what_is_known_of_a_turn_is_all_that_is_at_hand(prepared, tmp_path, at_hand, reciprocal):
    settings = make_settings("transa", **SMALL, reciprocal=reciprocal)
    run = PartitionedRun(settings.energy, settings.recipe, prepared, tmp_path, at_hand)
    for turn in run.order:
        run.hand.bring(turn.at_hand)
        buckets = {pair: prepared.bucket(pair) for pair in turn.buckets}
        asked = run.trainer.questions.ask(run.hand, buckets, threads=2)
        # All triples at hand, as positions among the rows at hand.
        everywhere = {pair: prepared.bucket(pair) for pair in pairs_among(turn.at_hand)}
        every = run.trainer.questions.ask(run.hand, everywhere, threads=1).triples
        wanted = known_of(every, run.hand.n_rows, 8, "uniform")
        expected = {
            tuple(triple): (
                wanted.tails[slice(*wanted.tail_spans[i])].tolist(),
                wanted.heads[slice(*wanted.head_spans[i])].tolist(),
            )
            for i, triple in enumerate(every.tolist())
        }
        for i, triple in enumerate(asked.triples.tolist()):
            known = asked.known
            tails = known.tails[slice(*known.tail_spans[i])].tolist()
            heads = known.heads[slice(*known.head_spans[i])].tolist()
            assert (tails, heads or expected[tuple(triple)][1]) == expected[tuple(triple)]
            assert bool(heads) != reciprocal
        drawn, sides = _corrupted(asked)
        true = {tuple(triple) for triple in every.tolist()}
        for (h, r, t), side, others in zip(asked.triples.tolist(), sides, drawn, strict=True):
            made = {(h, r, x) if side else (x, r, t) for x in others}
            assert side == -1 or not made & true
    run.hand.close()


def _corrupted(asked):
    triples = asked.triples
    sides, drawn = np.empty(len(triples), np.int8), np.zeros((len(triples), 4), np.int32)
    which, state = np.arange(len(triples)), np.ones(1, np.uint64)
    corrupt_many(triples, which, 64, asked.known, empty_pool(4), state, sides, drawn)
    return drawn.tolist(), sides.tolist()


def test_a_stopped_run_keeps_what_was_saved(prepared, tmp_path):
    settings = make_settings("transa", **{**SMALL, "epochs": 10**6, "patience": 0})
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from transa.prepared.graph import PreparedGraph\n"
        "from transa.settings.config import make_settings\n"
        "from transa.training.partitioned.run import train_in_partitions\n"
        "s = make_settings('transa', dim=8, epochs=10**6, threads=1, seed=5, patience=0)\n"
        "graph = PreparedGraph(Path(sys.argv[1]))\n"
        "def report(line): print(line.epoch, flush=True)\n"
        "work = Path(sys.argv[2])\n"
        "done = train_in_partitions(s.energy, s.recipe, graph, work, at_hand=3, report=report)\n"
        "print(done.stopped)\n"
    )
    words = [sys.executable, "-c", code, prepared.folder, tmp_path / "work"]
    child = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        if line.strip() == "4":
            child.send_signal(signal.SIGINT)
        last = line.strip()
    assert child.wait() == 0
    assert last == "interrupted"
    recipe = replace(settings.recipe, epochs=40)
    work = tmp_path / "work"
    saved = json.loads((work / "progress.json").read_text())["epoch"]
    assert saved >= 4
    recipe = replace(settings.recipe, epochs=saved + 2)
    how = settings.energy, recipe, prepared
    resumed = train_in_partitions(*how, work, at_hand=3, resume=True)
    assert len(resumed.history) == saved + 2
