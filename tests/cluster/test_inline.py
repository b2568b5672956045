"""What a run on a cluster comes to, step by step, with workers of this process."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from transa.cluster import run as module
from transa.cluster.relations import averaged
from transa.cluster.run import train_on_cluster
from transa.cluster.store import Store
from transa.errors import ConfigError, StoreError, TooLargeError
from transa.margins import Adaptive
from transa.prepared.prepare import Plan, prepare
from transa.settings.config import make_settings

from .inline import run_of

pytestmark = pytest.mark.xdist_group("ray")

SMALL = {"dim": 8, "epochs": 3, "threads": 1, "seed": 5}


class EndedError(Exception):
    """As a kill does."""


@pytest.fixture(scope="module")
def board(town, tmp_path_factory):
    return prepare(town, tmp_path_factory.mktemp("board") / "prepared", Plan(partitions=7))


def trained(settings, graph, work, **options):
    run = run_of(settings, graph, work, **options)
    run.begin()
    return run.until_done(None, None), run


@pytest.mark.parametrize(
    "options",
    [
        {"margin": Adaptive(local=0.5), "validate_every": 0},
        {"model": "transh", "margin": 1.0, "average": False, "optimiser": "adam", "lr": 0.01},
        {"model": "transe", "constraint": "sphere", "loss": "listwise", "reciprocal": True},
    ],
    ids=["margins", "transh", "listwise"],
)
def test_the_board_is_learnt_and_a_run_goes_on_wherever_it_ended(board, tmp_path, options, cluster):
    settings = make_settings(**{"model": "transa", **SMALL, "validate_every": 1, **options})
    whole, run = trained(settings, board, tmp_path / "whole")
    assert whole.history[-1].loss < whole.history[0].loss
    # Of what no model is made any more nothing is left.
    kinds = {path.name.split("-")[0].split(".")[0] for path in (tmp_path / "whole").iterdir()}
    assert "turn" not in kinds
    assert len(list((tmp_path / "whole").glob("part-*"))) <= 3 * board.layout.partitions
    for fatal in (2, 9, 13):
        work, count = tmp_path / str(fatal), 0

        def end(job, fatal=fatal):
            nonlocal count
            count += job.method == "train"
            if count == fatal:
                raise EndedError

        broken = run_of(settings, board, work)
        broken.pool.before = end
        broken.begin()
        with pytest.raises(EndedError):
            broken.until_done(None, None)
        again = run_of(settings, board, work)
        again.restore()
        resumed = again.until_done(None, None)
        for name, table in whole.parameters.items():
            np.testing.assert_array_equal(resumed.parameters[name], table)
        assert [line.loss for line in resumed.history] == [line.loss for line in whole.history]
    run.pool.close()


def test_a_run_stopped_while_it_looks_goes_on(board, tmp_path, cluster, monkeypatch):
    from transa.training.interrupt import StopRequestedError

    settings = make_settings("transa", **SMALL, validate_every=1)
    whole, _ = trained(settings, board, tmp_path / "whole")
    run = run_of(settings, board, tmp_path / "work")
    run.begin()
    run.one_epoch()

    def stop(_):
        raise StopRequestedError

    with monkeypatch.context() as patch:
        patch.setattr(run, "_look", stop)
        for _ in range(5):
            run._advance()
    run.save()
    again = run_of(settings, board, tmp_path / "work")
    again.restore()
    resumed = again.until_done(None, None)
    np.testing.assert_array_equal(resumed.parameters["entity"], whole.parameters["entity"])


def test_callbacks_see_the_run_and_may_change_its_rate(board, tmp_path, cluster):
    settings = make_settings("transa", **SMALL, validate_every=0)
    run, seen = run_of(settings, board, tmp_path), []
    run.begin()

    def look(running, report):
        seen.append(running.model().tables["entity"].copy())
        running.rate /= 2
        running.save_checkpoint()
        if report.epoch == 2:
            running.stop()

    learnt = run.until_done(None, None, [look])
    np.testing.assert_array_equal(seen[-1], learnt.parameters["entity"])
    assert learnt.stopped == "early"
    again = run_of(settings, board, tmp_path)
    again.restore()
    assert again.recipe.lr == settings.recipe.lr / 4
    with pytest.raises(ConfigError, match="its own storage alone"):
        run.save(tmp_path / "elsewhere")


def test_relations_go_as_far_as_their_triples_took_them():
    before = {"relation": np.float32([[0, 0], [1, 1], [2, 2]]), "shared": np.float32([[4]])}
    one = {"relation": np.float32([[3, 0], [5, 1], [2, 2]]), "shared": np.float32([[8]])}
    other = {"relation": np.float32([[0, 6], [9, 9], [2, 2]]), "shared": np.float32([[0]])}
    found = averaged(before, [one, other], [np.array([2, 4, 0]), np.array([1, 0, 0])])
    np.testing.assert_allclose(found["relation"], [[2, 2], [5, 1], [2, 2]])
    assert 4 < found["shared"][0, 0] < 8


def test_a_checkpoint_that_is_not_of_this_run_is_refused(board, tmp_path, cluster):
    settings = make_settings("transa", **{**SMALL, "epochs": 1})
    with pytest.raises(StoreError, match="there is no checkpoint of a cluster's run"):
        run_of(settings, board, tmp_path / "none").restore()
    run = run_of(settings, board, tmp_path)
    run.begin()
    other = replace(settings, recipe=replace(settings.recipe, lr=0.3))
    with pytest.raises(StoreError, match="of another run"):
        run_of(other, board, tmp_path).restore()
    told = tmp_path / "cluster.json"
    whole = told.read_text()
    told.write_text(whole.replace('"format": 1', '"format": 9'))
    with pytest.raises(StoreError, match="newer transa"):
        run_of(settings, board, tmp_path).restore()
    told.write_text(whole[:-20])
    with pytest.raises(StoreError, match="damaged"):
        run_of(settings, board, tmp_path).restore()


def test_storage_that_cannot_be_used_is_told(tmp_path):
    with pytest.raises(StoreError, match="cannot be used"):
        Store("nosuch://place")
    with pytest.raises(StoreError, match=r"cannot be read .*--resume goes on"):
        Store(str(tmp_path)).read("nothing")


@pytest.mark.parametrize("address", ["memory://transa/one", "folder"])
def test_files_are_the_same_wherever_they_are(address, tmp_path):
    store = Store(str(tmp_path / "in") if address == "folder" else address)
    assert not store.has("one")
    store.write("one", b"1")
    store.write("two", b"2")
    assert store.read("one") == b"1"
    assert sorted(store.names()) == ["one", "two"]
    store.remove(["one", "three"])
    assert store.names() == ["two"]
    if address != "folder":
        (tmp_path / "here").write_bytes(b"3")
        store.put(tmp_path / "here", "three")
        store.fetch("three", tmp_path / "there")
        assert (tmp_path / "there").read_bytes() == b"3"
        assert Store("memory://transa/none").names() == []


def test_what_a_cluster_cannot_train_is_refused(board, tmp_path, cluster):
    settings = make_settings("transa", **SMALL)
    how = settings.energy, settings.recipe, board
    with pytest.raises(ConfigError, match="two partitions or more at hand, found 1"):
        train_on_cluster(*how, tmp_path / "one", "auto", at_hand=1)
    with pytest.raises(TooLargeError, match=r"a turn takes .* prepare the graph in more"):
        train_on_cluster(*how, tmp_path / "two", "auto", memory=1000)
    many = replace(settings.recipe, threads=500)
    with pytest.raises(ConfigError, match="no node has 500 cores"):
        train_on_cluster(settings.energy, many, board, tmp_path / "three", "auto")
    run_of(settings, board, tmp_path / "four").begin()
    with pytest.raises(StoreError, match="holds a run that was stopped"):
        train_on_cluster(*how, tmp_path / "four", "auto")


def test_what_blocks_would_not_rank_exactly_is_looked_at_on_this_machine(
    board, tmp_path, cluster, monkeypatch
):
    settings = make_settings("transa", **{**SMALL, "epochs": 1})
    in_blocks, _ = trained(settings, board, tmp_path / "one")
    monkeypatch.setattr(module, "is_exact_in_blocks", lambda _: False)
    here, _ = trained(settings, board, tmp_path / "two")
    assert here.history[-1].validation == in_blocks.history[-1].validation
