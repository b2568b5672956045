"""A look at a whole graph: what it counts, and how it prints."""

from __future__ import annotations

import json

import transa

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
