"""A look at a whole graph: what it counts, and how it prints."""

from __future__ import annotations

import json

import transa
from transa.inspection.report import relations_table
from transa.tables import as_text

TRAIN = [("a", "r", "b"), ("a", "r", "b"), ("b", "r", "c"), ("c", "r", "c")]
TEST = [("a", "r", "b"), ("a", "s", "new"), ("a", "s", "newer")]


def look():
    return transa.inspect(transa.from_labels(TRAIN, test=TEST, unseen="keep", name="[x]"))


def test_what_is_repeated_shared_and_unseen():
    train, test = look().splits
    assert (train.facts, train.repeated, train.loops, train.unseen) == (4, 1, 1, 0)
    assert (test.unseen, test.unseen_entities, test.unseen_relations) == (2, 2, 1)
    assert look().shared == {"train and test": 1}


def test_it_prints_as_tables():
    printed = str(look())
    for words in ("[x]: 5 entities, 2 relations", "1 facts in both train and test", "Hubs"):
        assert words in printed
    assert "a rule that only copies: MRR" in printed
    assert "test facts" not in str(transa.inspect(transa.from_labels(TRAIN, split=None)))


def test_all_of_it_is_json():
    found = json.loads(json.dumps(look().to_dict()))
    assert found["leakage"]["rule"].keys() >= {"mrr", "hits@1"}
    assert found["hubs"][0]["entity"] == "b"
    assert [kind["relation"] for kind in found["relation_kinds"]] == ["r", "s"]


def test_as_many_hubs_as_asked():
    assert len(transa.inspect("countries", hubs=2).hubs) == 2


def test_what_rdf_declares_of_relations(tmp_path):
    path = tmp_path / "family.ttl"
    facts = "".join(f"e:p{i} e:parent e:p{i + 1} . e:p{i + 1} e:child e:p{i} .\n" for i in range(9))
    path.write_text(
        "@prefix e: <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "e:parent owl:inverseOf e:child . e:knows a owl:SymmetricProperty .\n"
        "e:boss owl:inverseOf e:underling . e:p1 e:knows e:p2 ; e:boss e:p3 ; a e:Person .\n"
        + facts
    )
    found = transa.inspect(transa.read(path, split=None))
    kinds = {kind.relation.removeprefix("http://e/"): kind for kind in found.relation_kinds}
    assert kinds["parent"].inverse == kinds["parent"].declared_inverse == "http://e/child"
    assert kinds["child"].declared_inverse == "http://e/parent"
    assert (kinds["knows"].inverse, kinds["knows"].symmetric) == (None, False)
    assert kinds["knows"].declared_inverse == "http://e/knows"
    # The graph has no facts of the other one.
    assert kinds["boss"].declared_inverse is None
    assert [kind.relation for kind in found.relation_kinds if kind.tells_types] == [
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    ]
    assert "declared inverse or symmetric" in str(found)
    assert "telling types" in str(found)
    assert "http://e/child (declared)" in as_text(relations_table(found))
    assert "declared" not in str(transa.inspect("countries"))
