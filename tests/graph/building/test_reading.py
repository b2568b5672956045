from __future__ import annotations

from dataclasses import asdict
from json import dumps

import pytest

from transa import read

TRAIN = "a\tr\tb\nb\tr\tc\nc\tr\ta\na\tr\tb\nc\tq\tb\n"


@pytest.fixture
def folder(tmp_path):
    """Three files: train repeats a line, test has one of train's and two that it cannot know."""
    (tmp_path / "train.tsv").write_text(TRAIN)
    (tmp_path / "valid.tsv").write_text("a\tr\tc\n")
    (tmp_path / "test.tsv").write_text("b\tr\tc\na\tnew\tb\nnew\tr\tb\n")
    return tmp_path


def sizes(graph):
    return len(graph.train), len(graph.valid), len(graph.test)


def test_unseen_kept(folder):
    graph = read(folder, unseen="keep")
    assert sizes(graph) == (5, 1, 3)
    assert graph.entities.labels.to_list() == ["a", "b", "c", "new"]
    assert graph.relations.labels.to_list() == ["new", "q", "r"]
    assert [source.unseen for source in graph.report.sources] == [0, 0, 2]


def test_unseen_dropped(folder):
    graph = read(folder, unseen="drop")
    assert sizes(graph) == (5, 1, 1)
    assert graph.entities.labels.to_list() == ["a", "b", "c"]
    assert graph.relations.labels.to_list() == ["q", "r"]
    assert graph.train.tolist()[4] == [2, 0, 1]
    assert graph.test.tolist() == [[1, 1, 2]]
    assert "2 with a label that train does not have (dropped)" in str(graph.report)


def test_duplicates_counted_and_kept(folder):
    report = read(folder, unseen="keep").report
    assert [source.repeated for source in report.sources] == [1, 0, 0]
    shared = {(each.one, each.other): each.count for each in report.shared}
    assert shared == {("train", "valid"): 0, ("train", "test"): 1, ("valid", "test"): 0}
    assert "train.tsv: tab-separated text, 5 triples, 1 of them repeated (kept)" in str(report)
    assert "1 triples in both train and test (kept)" in str(report)


def test_duplicates_dropped(folder):
    graph = read(folder, unseen="keep", duplicates="drop")
    assert sizes(graph) == (4, 1, 2)
    assert "1 of them repeated (dropped)" in str(graph.report)


def test_the_report_is_plain_data(folder):
    assert '"repeated": 1' in dumps(asdict(read(folder, unseen="keep").report))


def test_three_files_and_a_folder_are_the_same(folder, tmp_path):
    by_folder = read(folder, unseen="keep")
    by_file = read(
        str(folder / "train.tsv"),
        valid=folder / "valid.tsv",
        test=str(folder / "test.tsv"),
        unseen="keep",
        name=tmp_path.name,
    )
    assert repr(by_folder) == repr(by_file)
    assert by_folder.test.tolist() == by_file.test.tolist()


def test_names_come_with_the_folder(folder):
    (folder / "entity_names.tsv").write_text("b\tBerta\n")
    (folder / "relation_names.tsv").write_text("r\tis related to\n")
    graph = read(folder, unseen="drop")
    assert [graph.entities.display(i) for i in range(3)] == ["a", "Berta", "c"]
    assert graph.relations.display(1) == "is related to"


def test_one_file_is_split(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("".join(f"e{i % 10},r{i % 3},e{i * 7 % 10}\n" for i in range(300)))
    graph = read(path, seed=3, duplicates="drop")
    assert graph.name == "all"
    assert len(graph.valid) == len(graph.test) == 3
    assert graph.test.tolist() == read(path, seed=3, duplicates="drop").test.tolist()
    assert read(path, split=None).train.shape == (300, 3)


def test_the_order_of_lines_does_not_change_the_ids(tmp_path):
    lines = TRAIN.splitlines(keepends=True)
    (tmp_path / "one.tsv").write_text("".join(lines))
    (tmp_path / "other.tsv").write_text("".join(reversed(lines)))
    one, other = (read(tmp_path / f"{name}.tsv", split=None) for name in ("one", "other"))
    assert one.entities.labels.equals(other.entities.labels)
    assert one.train.tolist() == other.train.tolist()[::-1]


def test_a_split_that_falls_short_says_so(tmp_path):
    path = tmp_path / "star.tsv"
    path.write_text("".join(f"hub\tr\tleaf{i}\n" for i in range(10)))
    graph = read(path)
    assert sizes(graph) == (10, 0, 0)
    assert "valid and test have 2 triples fewer than asked" in str(graph.report)


@pytest.mark.parametrize(
    ("name", "counts", "repeated", "unseen", "shared"),
    [
        ("nations", (14, 55, 1592, 199, 201), (0, 0, 0), (0, 0, 0), (0, 0, 0)),
        ("wn11", (38551, 11, 112581, 2609, 10544), (2220, 3, 51), (0, 197, 800), (0, 0, 31)),
        ("wn18rr", (40943, 11, 86835, 3034, 3134), (0, 0, 0), (0, 210, 210), (0, 0, 0)),
        ("codex-s", (2034, 42, 32888, 1827, 1828), (0, 0, 0), (0, 0, 0), (0, 0, 0)),
    ],
)
def test_the_benchmarks_have_their_published_counts(
    datasets, name, counts, repeated, unseen, shared
):
    graph = read(datasets / name, unseen="keep")
    assert (graph.n_entities, graph.n_relations, *sizes(graph)) == counts
    assert tuple(source.repeated for source in graph.report.sources) == repeated
    assert tuple(source.unseen for source in graph.report.sources) == unseen
    assert tuple(each.count for each in graph.report.shared) == shared


def test_benchmark_names_for_people(datasets):
    graph = read(datasets / "codex-s")
    assert graph.entities.names is not None
    assert graph.entities.names.count() == 1085
    assert graph.relations.names.count() == 42
