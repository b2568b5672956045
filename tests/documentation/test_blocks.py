"""Every block of code that README and site show does what the page says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import transa
from tests.documentation.pages import PAGES, Reader, blocks, commands, prepare
from transa.cli.app import run
from transa.models import registry

ALL = [block for page in PAGES for block in blocks(page)]
RUN = [page for page in PAGES if any(block.is_run for block in blocks(page))]

# One after the other in one process: they share a model, and compiled kernels.
pytestmark = pytest.mark.xdist_group("documentation")


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> Path:
    """What pages take for granted: what `transa demo` leaves behind, and a file of triples."""
    folder = tmp_path_factory.mktemp("given")
    model = transa.TransA(dim=50, epochs=20, threads=1).fit("countries")
    model.save(folder / "demo" / "model")
    shutil.copytree(folder / "demo" / "model", folder / "my-model")
    graph = model.graph_
    entities, relations = graph.entities.labels.to_list(), graph.relations.labels.to_list()
    rows = [row for split in (graph.train, graph.valid, graph.test) for row in split]
    lines = [f"{entities[h]}\t{relations[r]}\t{entities[t]}\n" for h, r, t in rows]
    (folder / "facts.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_blocks_run(page, given, call_in_process, monkeypatch, tmp_path):
    prepare(tmp_path, given)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    registered = dict(registry._BY_NAME)
    reader = Reader(tmp_path, call_in_process(run), given)
    try:
        for block in blocks(page):
            if block.is_run:
                reader.follow(block)
    finally:
        reader.close()
        registry._BY_NAME.clear()
        registry._BY_NAME.update(registered)


def test_every_block_has_a_language():
    assert [block.where for block in ALL if not block.language] == []


def test_few_blocks_are_not_run():
    """What cannot be run says why; most can be."""
    code = [block for block in ALL if block.language in ("bash", "python")]
    left = [block.where for block in code if not block.is_run and block.page.stem != "results"]
    assert len(left) < len(code) / 8, left


def test_a_block_is_read_as_a_shell_would():
    text = "transa a 'b c' \\\n    --d  # why\n\nmake x && transa e\n"
    assert commands(text) == [["transa", "a", "b c", "--d"], ["make", "x"], ["transa", "e"]]
