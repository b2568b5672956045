"""What there is: every named graph, its size, and whom to credit."""

from __future__ import annotations

from dataclasses import dataclass

from transa.declarations import suggestion
from transa.errors import InputError, UnknownNameError


@dataclass(frozen=True)
class DatasetInfo:
    """A named graph. Counts are of lines as published, entities are over all three splits."""

    name: str
    description: str
    relations: int
    entities: int
    train: int
    valid: int
    test: int
    labelled_negatives: bool
    """Whether valid and test come with false triples too: see `load_labelled`."""
    citation: str
    licence: str
    home: str


def _entry(
    name: str,
    description: str,
    sizes: tuple[int, int],
    triples: tuple[int, int, int],
    credit: tuple[str, str, str],
    labelled_negatives: bool = False,
) -> DatasetInfo:
    """`sizes` are its relations and entities, `triples` those of train, valid and test."""
    return DatasetInfo(name, description, *sizes, *triples, labelled_negatives, *credit)


_BORDES = (
    "Bordes, Usunier, García-Durán, Weston, Yakhnenko: Translating embeddings for modeling "
    "multi-relational data. NIPS 2013"
)
_SOCHER = (
    "Socher, Chen, Manning, Ng: Reasoning with neural tensor networks for knowledge base "
    "completion. NIPS 2013"
)
_CONVE = (
    "Dettmers, Minervini, Stenetorp, Riedel: Convolutional 2D knowledge graph embeddings. AAAI 2018"
)
_KEMP = (
    "Kemp, Tenenbaum, Griffiths, Yamada, Ueda: Learning systems of concepts with an infinite "
    "relational model. AAAI 2006"
)
_TOUTANOVA = (
    "Toutanova, Chen: Observed versus latent features for knowledge base and text "
    "inference. CVSC 2015"
)
_SAFAVI = "Safavi, Koutra: CoDEx: A comprehensive knowledge graph completion benchmark. EMNLP 2020"
_WORDNET = "WordNet 3.0 licence"
_FREEBASE = "CC BY 2.5 (Freebase)"
_ROTATE = "https://github.com/DeepGraphLearning/KnowledgeGraphEmbedding"
_KG_BERT = "https://github.com/yao8839836/kg-bert"
_PYKEEN = "https://github.com/pykeen/pykeen"

CATALOGUE = (
    _entry(
        "countries",
        "facts of the world that a person can judge; comes with transa",
        sizes=(8, 1571),
        triples=(2748, 351, 351),
        credit=("GeoNames, https://www.geonames.org", "CC BY 4.0", "https://www.geonames.org"),
    ),
    _entry(
        "wn18",
        "WordNet; inverse relations leak from train into test",
        sizes=(18, 40_943),
        triples=(141_442, 5_000, 5_000),
        credit=(_BORDES, _WORDNET, _ROTATE),
    ),
    _entry(
        "fb15k",
        "Freebase; inverse relations leak from train into test",
        sizes=(1_345, 14_951),
        triples=(483_142, 50_000, 59_071),
        credit=(_BORDES, _FREEBASE, _ROTATE),
    ),
    _entry(
        "wn11",
        "WordNet, for triple classification; train repeats 2,220 lines",
        sizes=(11, 38_551),
        triples=(112_581, 2_609, 10_544),
        credit=(_SOCHER, _WORDNET, _KG_BERT),
        labelled_negatives=True,
    ),
    _entry(
        "fb13",
        "Freebase, for triple classification; 7 of the relations are tested",
        sizes=(13, 75_043),
        triples=(316_232, 5_908, 23_733),
        credit=(_SOCHER, _FREEBASE, _KG_BERT),
        labelled_negatives=True,
    ),
    _entry(
        "fb15k-237",
        "fb15k without inverse relations",
        sizes=(237, 14_541),
        triples=(272_115, 17_535, 20_466),
        credit=(_TOUTANOVA, "Microsoft Research data licence; " + _FREEBASE, _ROTATE),
    ),
    _entry(
        "wn18rr",
        "wn18 without inverse relations",
        sizes=(11, 40_943),
        triples=(86_835, 3_034, 3_134),
        credit=(_CONVE, _WORDNET, _ROTATE),
    ),
    _entry(
        "codex-s",
        "Wikidata, small, with hard negatives",
        sizes=(42, 2_034),
        triples=(32_888, 1_827, 1_828),
        credit=(_SAFAVI, "MIT", "https://github.com/tsafavi/codex"),
        labelled_negatives=True,
    ),
    _entry(
        "nations",
        "dealings between 14 nations",
        sizes=(55, 14),
        triples=(1_592, 199, 201),
        credit=(_KEMP, "MIT", _PYKEEN),
    ),
    _entry(
        "kinship",
        "kinship terms among 104 people of the Alyawarra",
        sizes=(25, 104),
        triples=(8_544, 1_068, 1_074),
        credit=(_KEMP, "MIT", _PYKEEN),
    ),
)


def available() -> list[DatasetInfo]:
    """Every graph that `load` knows by name."""
    return list(CATALOGUE)


def info(name: str) -> DatasetInfo:
    """The entry of one graph, or an error that suggests the nearest name."""
    if not isinstance(name, str):
        raise InputError(f"the name of a data set is a string, found {name!r:.100}")
    for entry in CATALOGUE:
        if entry.name == name:
            return entry
    names = [entry.name for entry in CATALOGUE]
    hint = suggestion(name.casefold(), names)
    raise UnknownNameError(f"no data set is called {name!r:.100}; {hint}")
