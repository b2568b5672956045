"""Commands that use a model."""

from __future__ import annotations

import polars as pl
import pytest
import yaml

import transa
from transa.settings.config import make_settings, to_plain


def test_predict_by_the_two_that_are_given(command, folder, fitted):
    tails = command("predict", folder, "--head", "France", "--relation", "borders", "--json")
    assert tails.json == {
        "question": "France · borders · ?",
        "predictions": fitted.predict_tails("fr", "borders").to_dicts(),
    }
    heads = command(
        "predict", folder, "--relation", "capital", "--tail", "Paris", "-k", 3, "--json"
    )
    assert heads.json["predictions"] == fitted.predict_heads("capital", "p a", 3).to_dicts()
    between = command("predict", folder, "--head", "fr", "--tail", "es", "--known", "--json")
    wanted = fitted.predict_relations("fr", "es", known=True).to_dicts()
    assert between.json["predictions"] == wanted


def test_predict_for_people(command, folder):
    done = command("predict", folder, "--head", "Belgium", "--relation", "borders", "--known")
    assert done.code == 0
    assert "Belgium · borders · ?" in done.out
    assert "[Atlantis]" in done.out
    assert "train" in done.out
    assert "valid" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--head", "France"), ("two of --head, --relation and --tail", "not 1")),
        (("--head", "a", "--relation", "b", "--tail", "c"), ("not 3",)),
        (("--head", "Frence", "--relation", "borders"), ("Frence", "did you mean 'France'?")),
        (("--head", "France", "--relation", "border"), ("did you mean 'borders'?",)),
        (("--head", "France", "--relation", "borders", "-k", "0"), ("at least 1",)),
    ],
)
def test_predict_refuses(command, folder, arguments, words):
    assert command("predict", folder, *arguments).is_refused(*words)


def test_similar(command, folder, fitted):
    found = command("similar", folder, "Spain", "-k", 2, "--json").json
    assert found["similar"] == fitted.similar("Spain", 2).to_dicts()
    assert "similar to Spain" in command("similar", folder, "Spain").out
    assert command("similar", folder, "Spane").is_refused("did you mean 'Spain'?")


def test_evaluate(command, folder, fitted):
    found = command("evaluate", folder, "--json").json
    assert found == fitted.evaluate().to_dict()
    for setting in ("filtered", "raw"):
        wanted = {"mr", "mrr", "hits@1", "hits@3", "hits@10"}
        assert wanted <= found["link_prediction"][setting].keys()
    valid = command("evaluate", folder, "--split", "valid", "--ties", "optimistic", "--json").json
    assert valid == fitted.evaluate("valid", ties="optimistic").to_dict()
    assert "MRR" in command("evaluate", folder).out
    assert "By relation" not in command("evaluate", folder).out
    assert "By relation" in command("evaluate", folder, "--relations").out
    assert command("evaluate", folder, "--split", "tests").is_refused("no split 'tests'")
    assert command("evaluate", folder, "--ties", "none").is_refused("ties is one of")


def test_margins_by_relation(command, folder, fitted):
    found = command("margins", folder, "--json").json
    borders = found["relations"][0]
    frame = fitted.margins().filter(pl.col("relation") == "borders")
    assert borders["relation"] == "borders"
    assert borders["triples"] == len(frame) == 8
    assert borders["head_anchored_mean"] == pytest.approx(frame["head_anchored"].mean())
    assert borders["tail_anchored_max"] == pytest.approx(frame["tail_anchored"].max())
    done = command("margins", folder, "--reading", "pairs", "--mu", 0.5)
    assert "reading pairs, μ 0.5" in done.out
    assert command("margins", folder, "--reading", "peers").is_refused("reading is one of")
    assert command("margins", folder, "--mu", 2).is_refused("mu is at most 1")


def test_margins_round_an_entity(command, folder, fitted):
    found = command("margins", folder, "--entity", "France", "--mu", 0.5, "--json").json
    outgoing, incoming = fitted.spheres("France")
    borders = outgoing.relations[0]
    assert found["outgoing"]["m_ent"]["spheres"] == outgoing.m_ent("spheres")
    first = found["outgoing"]["relations"][0]
    assert first["positives"] == 3
    assert first["margin"] == borders.margins
    assert first["m_opt"] == outgoing.m_opt(borders, 0.5, "active")
    assert len(found["incoming"]["relations"]) == len(incoming.relations)
    done = command("margins", folder, "--entity", "[Atlantis]")
    assert "[Atlantis] · r · ?" in done.out
    assert command("margins", folder, "--entity", "Frence").is_refused("did you mean 'France'?")


def test_margins_as_a_figure(command, folder, tmp_path):
    figure = tmp_path / "f.png"
    options = ("--entity", "France", "--relation", "borders")
    assert command("margins", folder, *options, "--figure", figure).code == 0
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert command("margins", folder, "--figure", figure).is_refused("give --entity too")
    refused = command("margins", folder, *options, "--figure", tmp_path / "f.bmp")
    assert refused.is_refused("a figure is one of .png")
    alone = command("margins", folder, "--entity", "q", "--relation", "borders", "--figure", figure)
    assert alone.is_refused("no training triples by 'borders' to draw")


def test_export(command, folder, tmp_path):
    out = tmp_path / "vectors.parquet"
    done = command("export", folder, "--to", "parquet", "--out", out, "--json")
    assert done.json == {
        "file": str(out), "format": "parquet", "table": "entity", "rows": 12, "dim": 8,
    }  # fmt: skip
    assert len(pl.read_parquet(out)) == 12
    told = command("export", folder, "--table", "relation", "--out", tmp_path / "r.tsv")
    assert "2 relation vectors of 8 dimensions" in told.err
    assert command("export", folder, "--to", "xml", "--out", out).is_refused(
        "tsv, parquet, word2vec"
    )
    assert command("export", folder, "--table", "x", "--out", out).is_refused("no table 'x'")
    assert command("export", folder, "--out", folder / "log.jsonl" / "x").is_refused(
        "cannot be written"
    )


def test_info(command, folder, fitted):
    assert command("info", folder, "--json").json["graph"]["name"] == "atlas"
    done = command("info", folder)
    assert "12 entities, 2 relations" in done.out
    assert "6 epochs" in done.out
    settings = yaml.safe_load(command("info", folder, "--settings").out)
    assert make_settings(**settings) == fitted.settings
    with (folder / "parameters.safetensors").open("ab") as file:
        file.write(b"!")
    assert command("info", folder).is_refused("parameters.safetensors is not as it was written")


def test_datasets(command, monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSA_CACHE", str(tmp_path))
    monkeypatch.delenv("TRANSA_DATA", raising=False)
    entries = {entry["name"]: entry for entry in command("datasets", "--json").json["datasets"]}
    assert entries["countries"]["local"] is True
    assert entries["fb15k"]["local"] is False
    assert entries["fb15k"]["train"] == 483_142
    done = command("datasets")
    assert "483,142" in done.out
    monkeypatch.setenv("TRANSA_DATA", str(tmp_path / "nowhere"))
    assert command("datasets").is_refused("TRANSA_DATA")


def test_a_demo(command, tmp_path):
    done = command("demo", "--out", tmp_path / "demo", "--json")
    assert done.code == 0
    found = done.json
    assert transa.load(found["folder"]).graph_.name == "countries"
    assert (tmp_path / "demo" / "margins.png").read_bytes().startswith(b"\x89PNG")
    borders = found["questions"][0]
    assert {"Spain", "Germany"} <= {*borders["known"], *(name for name, _ in borders["added"])}
    # Chance would find one in a hundred and fifty among the first ten.
    assert found["link_prediction"]["filtered"]["hits@10"] > 0.6
    assert [path.name for path in (tmp_path / "demo").iterdir() if path.is_dir()] == ["model"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model").write_text("")
    assert command("demo", "--out", tmp_path / "other").is_refused("a file is there")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("evaluate", "--threads", "-1"), "threads is not negative"),
        (("margins", "--relation", "borders"), "give --entity and --figure too"),
        (("export", "--out", "."), "give a name"),
    ],
)
def test_what_would_change_nothing_or_go_wrong_is_refused(command, folder, arguments, words):
    name, *options = arguments
    assert command(name, folder, *options).is_refused(words)


def test_settings_as_json(command, folder, fitted):
    assert command("info", folder, "--settings", "--json").json == to_plain(fitted.settings)


def test_predict_says_where_every_answer_is_known(command, tmp_path):
    graph = transa.from_ids([[0, 0, 1], [1, 0, 0]])
    transa.TransE(dim=2, epochs=1, threads=1).fit(graph).save(tmp_path / "known")
    done = command("predict", tmp_path / "known", "--head", "0", "--relation", "0")
    assert done.code == 0
    assert done.out == ""
    assert "--known" in done.err


def test_evaluate_names_the_splits_that_have_triples(command, tmp_path):
    graph = transa.from_ids([[0, 0, 1], [1, 0, 2]], valid=[[0, 0, 2]])
    transa.TransE(dim=2, epochs=1, threads=1).fit(graph).save(tmp_path / "untested")
    done = command("evaluate", tmp_path / "untested")
    assert done.is_refused("no test triples to rank", "valid and train")


def test_info_tells_of_thresholds(command, folder):
    assert "transa classify --save keeps some" in command("info", folder).out
    assert "thresholds: kept in" in command("classify", folder, "--save").err
    lines = [line.split() for line in command("info", folder).out.splitlines()]
    assert ["thresholds", "kept"] in lines
