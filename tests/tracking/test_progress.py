"""What is shown of a run: lines in a log, a bar in a notebook, and that kernels are compiled."""

from __future__ import annotations

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import transa
from transa.kernels import jit
from transa.settings.recipe import Recipe
from transa.storage.record import EpochReport
from transa.tracking.progress import COMPILING, Log, line_of, watched


def report(epoch, seconds, of=1000):
    left = 0.0 if epoch == of else seconds
    return EpochReport(epoch, of, 0.5, 1.25, None, 0.25, seconds, left)


def test_a_line_comes_every_so_often_and_at_the_end():
    lines, now = [], [0.0]
    log = Log(Recipe(epochs=1000), lines.append, lambda: now[0])
    with watched(log) as shown:
        for epoch in range(1, 901):
            now[0] = float(epoch)
            shown(report(epoch, now[0]))
    assert lines[0] == "epoch 1 of 1000  loss 0.500  margin 1.25  best MRR 0.250"
    assert lines[1] == "epoch 11 of 1000  loss 0.500  margin 1.25  best MRR 0.250  0:11 left"
    assert lines[-1].startswith("epoch 900 of 1000")
    assert lines[-1].endswith("15:00"), "it stopped early, so that nothing is left"
    assert 30 < len(lines) < 90, "so much as one can read, however long the run"


def test_the_last_line_is_written_once():
    lines = []
    with watched(Log(Recipe(epochs=2), lines.append, iter(range(0, 1000, 100)).__next__)) as shown:
        shown(report(1, 1.0, of=2))
        shown(report(2, 2.0, of=2))
    assert [line.split("  ")[0] for line in lines] == ["epoch 1 of 2", "epoch 2 of 2"]


def test_a_brief_line_fits_where_there_is_little_room():
    assert line_of(report(9, 3.0), "mrr", brief=True) == "loss 0.500  best MRR 0.250  0:03 left"


def test_compiling_is_told_of_where_it_happens(monkeypatch, tmp_path):
    monkeypatch.setattr(jit, "_cache_folder", lambda: tmp_path)

    def doubled(x):
        return x + x

    for lines in ([], None):
        told = []
        with watched(Log(Recipe(), told.append)):
            jit.kernel(doubled)(np.float32(2.0))
        assert told == ([COMPILING] if lines == [] else []), "what is in the cache is not compiled"


@pytest.mark.parametrize(("wanted", "lines"), [(None, 0), (False, 0), (True, 2)])
def test_in_python_it_is_shown_where_that_is_wanted(atlas, capsys, wanted, lines):
    transa.TransE(dim=4, epochs=2, threads=1).fit(atlas, progress=wanted)
    out, err = capsys.readouterr()
    assert out == ""
    assert len([line for line in err.splitlines() if line.startswith("epoch")]) == min(lines, 2)


CELLS = (
    "import transa",
    "model = transa.TransE(dim=4, epochs=3, threads=1).fit('countries')",
    "model.predict_tails('France', 'borders', k=2)",
    "model.evaluate()",
    "_ = transa.TransE(dim=4, epochs=1, threads=1).fit('countries', progress=False)",
    "print(model.similar('Peru', k=1))",
)


def test_in_a_notebook_there_is_a_bar_and_tables_and_nothing_else():
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, CELLS)))
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    nothing, bar, answers, ranks, quiet, plain = (cell.outputs for cell in notebook.cells)
    assert nothing == quiet == []
    (shown,) = bar
    assert '<progress value="3" max="3"></progress> epoch 3 of 3 loss' in shown.data["text/html"]
    for (output,), word in ((answers, "probability"), (ranks, "Hits@10")):
        assert output.output_type == "execute_result"
        assert "<table>" in output.data["text/html"]
        assert word in output.data["text/html"]
    (text,) = plain
    assert "Peru" in text.text
