from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest

from transa.errors import ConfigError, InputError, StoreError, TrainingError
from transa.graph import Graph, Vocabulary
from transa.margins import Adaptive, Fixed
from transa.models import FittedModel, TransEEnergy
from transa.ranking import quick_metrics
from transa.settings.recipe import Recipe
from transa.training.loop import Run, train
from transa.training.rows import blend

ENERGY = TransEEnergy(16, "l1")
RECIPE = Recipe(epochs=12, validate_every=4, patience=0, threads=1, seed=3)


class KilledError(Exception):
    """Ends a run from within, as a kill does: no handler of the loop sees it coming."""


def assert_same(one, other):
    for name in one.parameters:
        np.testing.assert_array_equal(one.parameters[name], other.parameters[name])


@pytest.mark.parametrize("engine", ["fused", "autograd"])
@pytest.mark.parametrize("margin", [Fixed(1.0), Adaptive(), Adaptive(reading="pairs", mu=0.5)])
def test_it_learns(grid, engine, margin):
    batch = 8 if engine == "autograd" else RECIPE.batch
    recipe = replace(RECIPE, engine=engine, margin=margin, epochs=60, batch=batch)
    trained = train(ENERGY, recipe, grid)
    assert trained.history[-1].loss < trained.history[0].loss
    best = max(line.best for line in trained.history if line.best is not None)
    by_chance = 2 / grid.n_entities
    assert best > 5 * by_chance


@pytest.mark.parametrize("engine", ["fused", "autograd"])
def test_one_thread_is_bit_identical(grid, engine):
    recipe = replace(RECIPE, engine=engine)
    assert_same(train(ENERGY, recipe, grid), train(ENERGY, recipe, grid))


def test_another_seed_is_another_run(grid):
    one, other = (train(ENERGY, replace(RECIPE, seed=seed), grid) for seed in (1, 2))
    assert not np.array_equal(one.parameters["entity"], other.parameters["entity"])


@pytest.mark.parametrize("engine", ["fused", "autograd"])
@pytest.mark.parametrize("optimiser", ["sgd", "adagrad", "adam"])
def test_a_run_killed_and_resumed_equals_one_never_stopped(
    grid, tmp_path, monkeypatch, engine, optimiser
):
    monkeypatch.setattr("transa.training.loop.SAVE_EVERY", 0.0)
    recipe = replace(RECIPE, engine=engine, optimiser=optimiser, lr=0.01)
    file = tmp_path / "run.checkpoint"

    def die_at_seven(line):
        if line.epoch == 7:
            raise KilledError

    with pytest.raises(KilledError):
        train(ENERGY, recipe, grid, checkpoint=file, report=die_at_seven)
    resumed = train(ENERGY, recipe, grid, checkpoint=file, resume=True)
    whole = train(ENERGY, recipe, grid)
    assert_same(resumed, whole)
    assert resumed.best_epoch == whole.best_epoch
    assert [line.loss for line in resumed.history] == [line.loss for line in whole.history]


def test_a_finished_run_can_be_given_more_epochs(grid, tmp_path):
    file = tmp_path / "run.checkpoint"
    train(ENERGY, replace(RECIPE, epochs=5), grid, checkpoint=file)
    longer = train(ENERGY, RECIPE, grid, checkpoint=file, resume=True)
    whole = train(ENERGY, RECIPE, grid)
    assert [line.loss for line in longer.history] == [line.loss for line in whole.history]


def test_early_stopping_keeps_the_best(grid):
    recipe = replace(RECIPE, epochs=400, validate_every=1, patience=2, lr=0.5)
    trained = train(ENERGY, recipe, grid)
    assert trained.stopped == "early"
    looks = {line.epoch: line.validation for line in trained.history}
    assert trained.best_epoch == max(looks, key=lambda epoch: (looks[epoch], -epoch))
    assert len(trained.history) == trained.best_epoch + 2


def test_mean_rank_can_decide(grid):
    trained = train(ENERGY, replace(RECIPE, stop_on="mr"), grid)
    looks = [line.validation for line in trained.history if line.validation is not None]
    assert trained.history[-1].best == min(looks)


def test_accuracy_can_decide(grid):
    trained = train(ENERGY, replace(RECIPE, stop_on="accuracy"), grid)
    looks = [line.validation for line in trained.history if line.validation is not None]
    assert trained.history[-1].best == max(looks)
    # Half of the triples that are judged are true.
    assert 0.5 < max(looks) <= 1
    few = replace(grid, valid=grid.valid[:1])
    with pytest.raises(ConfigError, match="needs 4 labelled validation triples"):
        train(ENERGY, replace(RECIPE, stop_on="accuracy"), few)


def test_without_validation_the_last_vectors_are_kept(grid):
    graph = Graph(grid.train, grid.entities, grid.relations)
    recipe = replace(RECIPE, average=False)
    trained = train(ENERGY, recipe, graph)
    assert all(line.validation is None for line in trained.history)
    run = Run(ENERGY, recipe, graph, checkpoint=None)
    for _ in range(recipe.epochs):
        run.one_epoch()
    np.testing.assert_array_equal(trained.parameters["entity"], run.parameters["entity"])


def test_what_is_kept_is_the_mean_that_every_epoch_enters(grid):
    unvalidated = Graph(grid.train, grid.entities, grid.relations)

    def trained(epochs, average):
        return train(ENERGY, replace(RECIPE, epochs=epochs, average=average), unvalidated)

    mean = trained(1, average=False).parameters
    for epoch in (2, 3):
        blend(mean, trained(epoch, average=False).parameters, epoch)
    for name, table in trained(3, average=True).parameters.items():
        np.testing.assert_array_equal(table, mean[name])


def test_the_mean_is_what_is_validated(grid):
    trained = train(ENERGY, RECIPE, grid)
    found = quick_metrics(FittedModel(ENERGY, trained.parameters, grid), grid.valid, threads=1)
    assert found.mrr == trained.history[-1].best


def test_it_is_looked_early_then_regularly(grid):
    history = train(ENERGY, replace(RECIPE, epochs=17, validate_every=8), grid).history
    assert [line.epoch for line in history if line.validation is not None] == [1, 2, 5, 8, 16, 17]


def test_what_was_learnt_before_the_first_look_is_kept(grid, monkeypatch):
    monkeypatch.setattr("transa.training.validation.EARLY", ())

    def interrupt_at_three(line):
        if line.epoch == 3:
            signal.raise_signal(signal.SIGINT)

    trained = train(ENERGY, replace(RECIPE, validate_every=100), grid, report=interrupt_at_three)
    assert trained.stopped == "interrupted"
    unvalidated = Graph(grid.train, grid.entities, grid.relations)
    assert_same(trained, train(ENERGY, replace(RECIPE, epochs=3), unvalidated))


def test_the_log_has_a_line_per_epoch_also_when_resumed(grid, tmp_path):
    log, file = tmp_path / "log.jsonl", tmp_path / "run.checkpoint"
    train(ENERGY, replace(RECIPE, epochs=3), grid, log=log, checkpoint=file)
    train(ENERGY, replace(RECIPE, epochs=5), grid, log=log, checkpoint=file, resume=True)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3, 4, 5]
    assert set(lines[0]) >= {"loss", "mean_margin", "validation", "seconds_left"}


def test_adaptive_margins_move_and_fixed_ones_do_not(grid):
    adaptive, fixed = (
        [line.mean_margin for line in train(ENERGY, replace(RECIPE, margin=m), grid).history]
        for m in (Adaptive(), Fixed(2.0))
    )
    assert len(set(adaptive)) > 1
    assert set(fixed) == {2.0}


def test_margins_recomputed_every_n_epochs(grid):
    recipe = replace(RECIPE, margin=Adaptive(every=4), epochs=8)
    margins = [line.mean_margin for line in train(ENERGY, recipe, grid).history]
    assert len(set(margins[:4])) == len(set(margins[4:])) == 1
    assert margins[0] != margins[4]


def test_the_sphere_holds_at_the_start_of_an_epoch(grid):
    recipe = replace(RECIPE, constraint="sphere", lr=1e-7, optimiser="sgd", epochs=1)
    lengths = np.linalg.norm(train(ENERGY, recipe, grid).parameters["entity"], axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-4)


def test_the_ball_holds_after_every_update(grid):
    lengths = np.linalg.norm(train(ENERGY, RECIPE, grid).parameters["entity"], axis=1)
    assert lengths.max() <= 1 + 1e-5


@pytest.mark.parametrize("engine", ["fused", "autograd"])
def test_a_loss_that_is_not_finite_is_a_sentence(grid, engine):
    recipe = replace(
        RECIPE, engine=engine, optimiser="sgd", lr=1e30, constraint="none", margin=Fixed(1)
    )
    with pytest.raises(TrainingError, match="lower the learning rate"):
        train(TransEEnergy(16, "l2sq"), recipe, grid)


def test_a_margin_that_is_not_finite_is_a_sentence(grid):
    recipe = replace(RECIPE, optimiser="sgd", lr=1e25, constraint="none", loss="hinge", epochs=30)
    with pytest.raises(TrainingError, match="finite"):
        train(TransEEnergy(16, "l2sq"), recipe, grid)


def test_one_triple_is_enough_to_train_on():
    graph = Graph(
        np.array([[0, 0, 1]], dtype=np.int32),
        Vocabulary("entity", ["a", "b"]),
        Vocabulary("relation", ["r"]),
    )
    assert train(ENERGY, RECIPE, graph).stopped == "finished"


def test_a_graph_of_one_entity_is_refused():
    graph = Graph(
        np.array([[0, 0, 0]], dtype=np.int32),
        Vocabulary("entity", ["a"]),
        Vocabulary("relation", ["r"]),
    )
    with pytest.raises(InputError, match="one entity"):
        train(ENERGY, RECIPE, graph)


@pytest.mark.parametrize("what", ["missing", "damaged", "of another run"])
def test_a_checkpoint_that_will_not_do_is_refused(grid, tmp_path, what):
    file = tmp_path / "run.checkpoint"
    recipe = RECIPE
    if what != "missing":
        train(ENERGY, replace(RECIPE, epochs=2), grid, checkpoint=file)
    if what == "damaged":
        file.write_bytes(file.read_bytes()[:100])
    if what == "of another run":
        recipe = replace(RECIPE, lr=0.2)
    words = {"missing": "no checkpoint", "damaged": "damaged", "of another run": "another run"}
    with pytest.raises(StoreError, match=words[what]):
        train(ENERGY, recipe, grid, checkpoint=file, resume=True)
    assert list(tmp_path.glob(".*")) == []


def test_a_checkpoint_is_of_a_graph_with_as_many_entities(grid, tmp_path):
    file = tmp_path / "run.checkpoint"
    train(ENERGY, replace(RECIPE, epochs=2), grid, checkpoint=file)
    labels = [str(i) for i in range(grid.n_entities + 1)]
    larger = replace(grid, entities=Vocabulary("entity", labels))
    with pytest.raises(StoreError, match="another run"):
        train(ENERGY, RECIPE, larger, checkpoint=file, resume=True)


@pytest.mark.parametrize("wrong", ["float64", "rows", "tables"])
def test_tables_that_are_not_the_energys_are_refused_before_training(grid, wrong):
    class Odd(TransEEnergy):
        def initialise(self, n_entities, n_relations, rng):
            tables = super().initialise(n_entities, n_relations, rng)
            if wrong == "float64":
                tables["entity"] = tables["entity"].astype(np.float64)
            if wrong == "rows":
                tables["relation"] = tables["relation"][:1]
            if wrong == "tables":
                tables["other"] = tables["entity"]
            return tables

    words = {"float64": "it is float64", "rows": "relation rows", "tables": "'other'"}
    with pytest.raises(ConfigError, match=words[wrong]):
        train(Odd(4, "l1"), replace(RECIPE, engine="autograd"), grid)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"engine": "autograd", "device": "cuda:7"}, "is not available"),
        ({"engine": "fused", "device": "cuda"}, "fused engine"),
        ({"device": "abacus"}, "is not available"),
    ],
)
def test_an_engine_or_device_that_is_not_there_is_refused(grid, settings, words):
    with pytest.raises(ConfigError, match=words):
        train(ENERGY, replace(RECIPE, **settings), grid)


def test_resume_without_a_checkpoint_is_refused(grid):
    with pytest.raises(ConfigError, match="needs the checkpoint"):
        train(ENERGY, RECIPE, grid, resume=True)
