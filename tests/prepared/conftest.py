from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from transa.prepared.graph import PreparedGraph
from transa.prepared.prepare import Plan, prepare

N, RELATIONS, TRIPLES = 60, 4, 500


@pytest.fixture(scope="session")
def lines() -> list[str]:
    """Lines of labels, some of them twice."""
    rng = np.random.default_rng(3)
    ends = (rng.random((TRIPLES, 2)) ** 2 * N).astype(int)
    rows = [
        f"e {h}\tr{r}\te {t}\n"
        for (h, t), r in zip(ends, rng.integers(4, size=TRIPLES), strict=True)
    ]
    return [*rows, *rows[:20]]


@pytest.fixture(scope="session")
def file(lines, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("source") / "towns.tsv"
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="session")
def prepared(file, tmp_path_factory) -> PreparedGraph:
    """The same in seven partitions, of which the last is shorter."""
    folder = tmp_path_factory.mktemp("prepared") / "towns"
    return prepare(file, folder, Plan(partitions=7, held_out=30))


def labelled(graph, split) -> list[tuple[str, str, str]]:
    """A split's triples as labels, sorted."""
    h, r, t = graph.split(split).T
    entities, relations = graph.entities.labels, graph.relations.labels
    return sorted(zip(entities.gather(h), relations.gather(r), entities.gather(t), strict=True))
