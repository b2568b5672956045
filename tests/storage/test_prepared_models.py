"""Model folders of graphs in partitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import transa
from transa.errors import StoreError
from transa.files.arrays import map_arrays
from transa.graph import Graph, Vocabulary
from transa.models import FittedModel
from transa.prepared.graph import PreparedGraph
from transa.prepared.prepare import Plan, prepare
from transa.ranking import evaluate
from transa.storage import folder as store


@pytest.fixture(scope="module")
def prepared(atlas, tmp_path_factory) -> PreparedGraph:
    return prepare(atlas, tmp_path_factory.mktemp("atlas") / "prepared", Plan(partitions=3))


@pytest.fixture(scope="module")
def model(prepared):
    return transa.TransE(dim=4, epochs=2, threads=1).fit(prepared)


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def in_memory(graph: Graph) -> Graph:
    return Graph(
        train=graph.train,
        entities=Vocabulary("entity", graph.entities.labels),
        relations=graph.relations,
        valid=graph.valid,
        test=graph.test,
        name=graph.name,
    )


def test_they_have_the_settings_of_their_size_and_leave_probabilities_to_those_who_ask(model):
    assert model.settings_.energy.reciprocal
    assert model.settings_.recipe.loss == "listwise"
    assert model.learnt_.probabilities is None
    assert model.fit_probabilities().learnt_.probabilities is not None


def test_every_file_is_named_and_the_graph_is_with_them(folder, prepared):
    names = store.files_in(folder)
    assert {f"graph/{name}" for name in prepared.record.sums} < set(names)
    assert {"config.json", "graph/prepared.json", "checksums.json"} < set(names)
    assert sorted(names) == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_what_is_not_as_it_was_written_is_refused(folder, prepared):
    """A file may be one with that of the prepared graph, so that it is replaced, not changed."""
    bucket = next(p for p in prepared.layout.pairs if len(prepared.bucket(p)["triples"]))
    path = folder / "graph" / f"bucket-{bucket}.safetensors"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    map_arrays(path, write=True)["triples"][0, 1] ^= 1
    transa.load(folder)
    with pytest.raises(StoreError, match=f"bucket-{bucket}.safetensors is not as it was written"):
        store.inspect(folder)
    record = folder / "graph" / "prepared.json"
    content = record.read_bytes()
    record.unlink()
    record.write_bytes(content + b" ")
    with pytest.raises(StoreError, match=r"prepared.json is not as it was written"):
        transa.load(folder)
    record.unlink()
    with pytest.raises(StoreError, match=r"entities\.parquet is missing"):
        transa.load(folder)


def test_a_folder_has_the_graph_of_its_last_model(folder, model, prepared):
    (folder / "notes.txt").write_text("mine")
    larger = model.fold_in([("new land", "borders", "fr")])
    larger.save(folder)
    assert not (folder / "graph").exists()
    assert (folder / "notes.txt").exists()
    again = transa.load(folder)
    assert not isinstance(again.graph_, PreparedGraph)
    assert again.graph_.n_entities == prepared.n_entities + 1
    model.save(folder)
    assert not (folder / "triples.parquet").exists()
    assert isinstance(transa.load(folder).graph_, PreparedGraph)


def test_a_folder_called_graph_that_is_someone_elses_stays(folder, model):
    larger = model.fold_in([("new land", "borders", "fr")])
    larger.save(folder)
    (folder / "graph").mkdir()
    (folder / "graph" / "mine.txt").write_text("mine")
    larger.save(folder)
    assert (folder / "graph" / "mine.txt").exists()
    assert not [name for name in store.files_in(folder) if name.startswith("graph")]


@pytest.mark.parametrize("protocol", ["published", "offered"])
@pytest.mark.parametrize("loop", [False, True])
def test_ranks_are_those_of_the_graph_in_memory(atlas, tmp_path, protocol, loop):
    """A loop of one relation decides on the questions of all its triples."""
    triples = atlas.train if not loop else np.concatenate([atlas.train, np.int32([[5, 0, 5]])])
    source = replace(atlas, train=triples)
    graph = prepare(source, tmp_path / "prepared", Plan(partitions=3))
    assert graph.index.has_loops.any() == loop
    model = transa.TransE(dim=4, epochs=2, threads=1).fit(graph).model_
    other = FittedModel(model.energy, model.tables, in_memory(PreparedGraph(graph.folder)))
    found, expected = (evaluate(m, "valid", protocol=protocol) for m in (model, other))
    assert found.to_dict() == expected.to_dict()
    assert "train" not in vars(graph)
