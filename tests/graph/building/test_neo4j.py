"""Exports of Neo4j: folders of node and relationship files, id spaces, and APOC's single file."""

from __future__ import annotations

import gzip

import pytest

import transa
from transa.errors import InputError
from transa.graph.readers.options import FileOptions
from transa.graph.readers.streaming import parts_of

PEOPLE = "personId:ID(Person),name,born:int,:LABEL\n1,Keanu,1964,Actor\n2,Laurence,1961,Actor\n"
MOVIES = "movieId:ID(Movie),title,:LABEL\n1,The Matrix,Movie\n2,John Wick,Movie\n"
ROLES = (
    ":START_ID(Person),role,:END_ID(Movie),:TYPE\n"
    '1,"Neo, the One",1,ACTED_IN\n2,Morpheus,1,ACTED_IN\n1,John,2,ACTED_IN\n'
)
KNOWS = ":START_ID(Person),:END_ID(Person)\n1,2\n"
FACTS = {
    ("Person/1", "ACTED_IN", "Movie/1"),
    ("Person/2", "ACTED_IN", "Movie/1"),
    ("Person/1", "ACTED_IN", "Movie/2"),
    ("Person/1", "knows", "Person/2"),
}
MIXED = """_id,_labels,name,born,_start,_end,_type,since
0,:Person,Ann,1980,,,,
1,:Person,"Bob, jr",1990,,,,
2,:City,,,,,,
,,,,0,1,KNOWS,1999
,,,,1,2,LIVES_IN,
"""


def labelled(graph: transa.Graph) -> set[tuple[str, str, str]]:
    return {
        (graph.entities.label(h), graph.relations.label(r), graph.entities.label(t))
        for h, r, t in graph.train
    }


@pytest.fixture
def export(tmp_path):
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "movies.csv.gz").write_bytes(gzip.compress(MOVIES.encode()))
    (folder / "roles.csv").write_text(ROLES)
    (folder / "knows.csv").write_text(KNOWS)
    return folder


def test_a_folder_of_nodes_and_relationships(export):
    graph = transa.read(export, split=None)
    assert labelled(graph) == FACTS
    assert graph.entities.display(graph.entities.id("Person/1")) == "Keanu"
    assert graph.entities.display(graph.entities.id("Movie/1")) == "The Matrix"
    assert "2 files of relationships, Neo4j's export" in str(graph.report)
    assert "4 names of nodes" in str(graph.report)


def test_another_property_can_be_the_name(export):
    (export / "movies.csv.gz").unlink()
    graph = transa.read(export, split=None, names_from=["born"])
    assert graph.entities.display(graph.entities.id("Person/2")) == "1961"
    with pytest.raises(InputError, match=r"no property age .*but personId, name, born"):
        transa.read(export, split=None, names_from=["age"])


def test_relationships_alone(export):
    graph = transa.read(export / "roles.csv", split=None)
    assert ("Person/1", "ACTED_IN", "Movie/1") in labelled(graph)
    assert graph.entities.names is None
    # The type is the name of the file where no column has it.
    assert labelled(transa.read(export / "knows.csv", split=None)) == {
        ("Person/1", "knows", "Person/2")
    }


def test_ids_without_spaces_and_other_delimiters(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(":START_ID;since:int;:TYPE;:END_ID\na;1999;knows;b\n")
    assert labelled(transa.read(path, split=None)) == {("a", "knows", "b")}


def test_nodes_without_names(tmp_path):
    (tmp_path / "nodes.csv").write_text("id:ID,:LABEL\n1,x\n2,x\n")
    (tmp_path / "r.csv").write_text(":START_ID,:END_ID,:TYPE\n1,2,r\n")
    graph = transa.read(tmp_path, split=None)
    assert labelled(graph) == {("1", "r", "2")}
    assert graph.entities.names is None


def test_one_file_of_nodes_and_relationships(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text(MIXED)
    graph = transa.read(path, split=None)
    assert labelled(graph) == {("0", "KNOWS", "1"), ("1", "LIVES_IN", "2")}
    assert graph.entities.display(graph.entities.id("1")) == "Bob, jr"
    path.write_text(MIXED + ",,,,0,,KNOWS,\n")
    with pytest.raises(InputError, match="relationship 3 is without start, end or type"):
        transa.read(path, split=None)


def test_an_export_larger_than_memory_is_read_in_parts(export):
    rows = [
        row
        for name in ("roles.csv", "knows.csv")
        for part in parts_of(export / name, FileOptions())
        for row in part().rows()
    ]
    assert set(rows) == FACTS
