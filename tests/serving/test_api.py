"""What the server says is what the model says, singly and in batches."""

from __future__ import annotations

import httpx
import pytest

from tests.serving.conftest import ARABIC, CHINESE, SCRIPT, serving
from transa import Graph, TransE, Vocabulary

GAPS = ("tails", "heads", "relations")


def test_tails_are_the_models_own(client, ring):
    said = client.get("/api/v1/tails", params={"head": "town 3", "relation": "near", "k": 4})
    expected = ring.predict_tails("town 3", "near", 4)
    assert [a["label"] for a in said.json()["answers"]] == [p.label for p in expected]
    assert [a["score"] for a in said.json()["answers"]] == pytest.approx(
        [p.score for p in expected], abs=1e-5
    )


def test_known_answers_are_among_them_when_asked_for(client, ring):
    asked = {"relation": "near", "tail": "town 3", "k": 30, "known": True}
    said = client.get("/api/v1/heads", params=asked).json()["answers"]
    expected = ring.predict_heads("near", "town 3", 30, known=True)
    assert [a["known"] for a in said] == [p.known for p in expected]
    assert {"train"} <= {a["known"] for a in said}


def test_relations(client, ring):
    said = client.get("/api/v1/relations", params={"head": "town 3", "tail": "town 9", "k": 2})
    expected = ring.predict_relations("town 3", "town 9", 2)
    assert [a["label"] for a in said.json()["answers"]] == [p.label for p in expected]


@pytest.mark.parametrize(
    ("path", "questions"),
    [
        ("tails", [{"head": f"town {i}", "relation": "near"} for i in range(9)]),
        ("heads", [{"relation": "after <b>", "tail": f"town {i}"} for i in range(9)]),
        ("relations", [{"head": "Zürich", "tail": f"town {i}"} for i in range(9)]),
    ],
)
def test_a_batch_is_its_questions(client, path, questions):
    body = {"questions": questions, "k": 2}
    together = client.post(f"/api/v1/{path}", json=body).json()["results"]
    singly = [client.get(f"/api/v1/{path}", params={**q, "k": 2}).json() for q in questions]
    assert [[a["label"] for a in r["answers"]] for r in together] == [
        [a["label"] for a in r["answers"]] for r in singly
    ]


def test_an_empty_batch(client):
    assert client.post("/api/v1/tails", json={"questions": []}).json() == {"results": []}


def test_similar(client, ring):
    expected = [p.label for p in ring.similar("town 5", 3)]
    said = client.get("/api/v1/similar", params={"entity": "town 5", "k": 3}).json()["answers"]
    many = client.post("/api/v1/similar", json={"entities": ["town 5"], "k": 3}).json()
    assert [a["label"] for a in said] == expected
    assert many["results"][0]["answers"] == said


def test_score(client, ring):
    triple = ("town 1", "near", "town 2")
    words = dict(zip(("head", "relation", "tail"), triple, strict=True))
    expected = float(ring.score_samples([triple])[0])
    assert client.get("/api/v1/score", params=words).json()["score"] == pytest.approx(expected)
    many = client.post("/api/v1/score", json={"triples": [triple, triple]}).json()["results"]
    assert [row["score"] for row in many] == pytest.approx([expected] * 2)


def test_classify_also_labels_that_are_unknown(client, ring):
    triples = [("town 1", "near", "town 2"), ("town 1", "near", "nowhere")]
    said = client.post("/api/v1/classify", json={"triples": triples}).json()["results"]
    expected = ring.classify(triples).to_dicts()
    assert [row["verdict"] for row in said] == [row["verdict"] for row in expected]
    assert said[1]["verdict"] is None
    assert "unknown" in said[1]["reason"]
    words = dict(zip(("head", "relation", "tail"), triples[0], strict=True))
    assert client.get("/api/v1/classify", params=words).json() == said[0]


def test_reasons_speak_for_and_against(client):
    words = {"head": "town 1", "relation": "near", "tail": "town 2"}
    said = client.get("/api/v1/reasons", params=words).json()
    assert {row["speaks"] for row in said["reasons"]} <= {"for", "against"}
    assert said["sentence"]
    many = client.post("/api/v1/reasons", json={"triples": [list(words.values())]}).json()
    assert many["results"] == [said]


def test_discoveries_are_not_known(client, awkward):
    said = client.get("/api/v1/discover", params={"top": 5, "relation": "near"}).json()
    known = {tuple(row) for row in awkward.known.tolist()}
    ids = awkward.entities
    assert said["complete"]
    assert 0 < len(said["facts"]) <= 5
    for fact in said["facts"]:
        assert (ids.id(fact["head"]), 0, ids.id(fact["tail"])) not in known
    body = {"relations": ["near"], "top": 5}
    assert client.post("/api/v1/discover", json=body).json()["facts"] == said["facts"]


def test_discoveries_of_all_relations(client, ring):
    said = client.get("/api/v1/discover", params={"top": 30, "min_probability": 0.2}).json()
    expected = ring.discover(top=30, min_probability=0.2)
    told = [(fact["head"], fact["relation"], fact["tail"]) for fact in said["facts"]]
    assert told == [(row.head, row.relation, row.tail) for row in expected]


def test_margins_are_the_spheres(client, ring):
    said = client.get("/api/v1/margins", params={"entity": "town 4"}).json()
    outgoing, _ = ring.spheres("town 4")
    told = said["directions"][0]
    assert [r["positives"] for r in told["relations"]] == [
        len(s.positives) for s in outgoing.relations
    ]
    first = told["relations"][0]
    inside = [p["distance"] for p in first["points"] if p["inside"]]
    assert max(inside) == pytest.approx(first["farthest_positive"], abs=1e-4)
    many = client.post("/api/v1/margins", json={"entities": ["town 4"]}).json()
    assert many["results"] == [said]


def test_what_is_known_of_an_entity(client, awkward):
    said = client.get("/api/v1/entity", params={"label": SCRIPT}).json()
    id_ = awkward.entities.id(SCRIPT)
    triples = awkward.known
    expected = int(((triples[:, 0] == id_) | (triples[:, 2] == id_)).sum())
    assert said["count"] == expected == sum(fact["total"] for fact in said["facts"])
    near = next(f for f in said["facts"] if f["relation"] == "near" and f["asks"] == "tail")
    assert {e["label"] for e in near["entities"]} == {ARABIC, CHINESE, "town 33", "town 32"}


@pytest.mark.parametrize(
    ("typed", "first"),
    [("script", SCRIPT), ("zurich", "Zürich"), ("北京", CHINESE), (ARABIC[:3], ARABIC)],
)
def test_search(client, typed, first):
    hits = client.get("/api/v1/search/entities", params={"q": typed}).json()["hits"]
    assert hits[0]["label"] == first


def test_search_of_relations(client):
    hits = client.get("/api/v1/search/relations", params={"q": "aft"}).json()["hits"]
    assert [hit["label"] for hit in hits] == ["after <b>"]


def test_the_map_has_every_entity(client, awkward):
    said = client.get("/api/v1/map").json()
    assert said["labels"] == awkward.entities.labels.to_list()
    assert max(map(abs, said["x"] + said["y"])) == 1


def test_the_model_and_its_worth(client, ring):
    card = client.get("/api/v1/model").json()
    assert card["graph"]["entities"] == 40
    assert [epoch["epoch"] for epoch in card["history"]] == list(range(1, 31))
    worth = client.get("/api/v1/model/test").json()
    assert worth["ranked"] == worth["of"] == 25
    assert worth["filtered"]["mrr"] == pytest.approx(ring.evaluate().filtered.mrr)


def test_health_and_metrics(client):
    assert client.get("/health").json()["status"] == "ok"
    client.get("/api/v1/tails", params={"head": "town 3", "relation": "near"})
    text = client.get("/metrics").text
    assert 'transa_requests_total{path="/api/v1/tails",status="200"}' in text
    assert 'transa_questions_together_count{kind="answers"}' in text


def test_every_route_is_in_the_document(client):
    paths = client.get("/api/openapi.json").json()["paths"]
    both = [*GAPS, "similar", "score", "classify", "discover", "margins", "reasons"]
    assert all({"get", "post"} <= paths[f"/api/v1/{name}"].keys() for name in both)
    assert {"/health", "/metrics", "/api/v1/search/entities"} <= paths.keys()


def test_a_model_without_thresholds_gets_them_when_asked(awkward, tmp_path):
    model = TransE(dim=8, epochs=2, threads=1).fit(awkward)
    model.save(tmp_path / "m")
    with serving(tmp_path / "m") as client:
        said = client.get(
            "/api/v1/classify", params={"head": "town 1", "relation": "near", "tail": "town 2"}
        )
    assert isinstance(said.json()["verdict"], bool)


def test_a_graph_of_one_triple(tmp_path):
    """As empty as a model can be."""
    one = Graph(
        train=[[0, 0, 1]],
        entities=Vocabulary("entity", ["a", "b", "unseen"]),
        relations=Vocabulary("relation", ["r"]),
    )
    TransE(dim=2, epochs=1, threads=1).fit(one).save(tmp_path / "m")
    with serving(tmp_path / "m") as client:
        for path in ("map", "model", "model/test", "entity?label=unseen", "search/entities?q=zzz"):
            assert client.get(f"/api/v1/{path}").status_code == 200, path
        assert client.get("/api/v1/entity?label=unseen").json()["facts"] == []
        assert client.get("/api/v1/model/test").json()["filtered"] is None
        refused = client.get("/api/v1/classify?head=a&relation=r&tail=b")
        assert refused.status_code == 409
        assert is_a_problem(refused)


def test_margins_of_a_model_that_has_none(awkward, tmp_path):
    from transa import Estimator

    Estimator("distmult", dim=4, epochs=1, threads=1).fit(awkward).save(tmp_path / "m")
    with serving(tmp_path / "m") as client:
        refused = client.get("/api/v1/margins", params={"entity": "town 1"})
        assert refused.status_code == 409
        assert "no translation" in refused.json()["detail"]


def is_a_problem(response: httpx.Response) -> bool:
    told = response.json()
    media = response.headers["content-type"] == "application/problem+json"
    return media and told["status"] == response.status_code and bool(told["detail"])
