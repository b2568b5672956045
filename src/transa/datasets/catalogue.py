"""What there is: every named graph, its size, and whom to credit."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

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
_WORDNET = "WordNet 3.0 licence"
_FREEBASE = "CC BY 2.5 (Freebase)"

CATALOGUE = (
    DatasetInfo(
        name="countries",
        description="facts of the world that a person can judge; comes with transa",
        relations=8,
        entities=1571,
        train=2748,
        valid=351,
        test=351,
        labelled_negatives=False,
        citation="GeoNames, https://www.geonames.org",
        licence="CC BY 4.0",
        home="https://www.geonames.org",
    ),
    DatasetInfo(
        name="wn18",
        description="WordNet; inverse relations leak from train into test",
        relations=18,
        entities=40_943,
        train=141_442,
        valid=5_000,
        test=5_000,
        labelled_negatives=False,
        citation=_BORDES,
        licence=_WORDNET,
        home="https://github.com/DeepGraphLearning/KnowledgeGraphEmbedding",
    ),
    DatasetInfo(
        name="fb15k",
        description="Freebase; inverse relations leak from train into test",
        relations=1_345,
        entities=14_951,
        train=483_142,
        valid=50_000,
        test=59_071,
        labelled_negatives=False,
        citation=_BORDES,
        licence=_FREEBASE,
        home="https://github.com/DeepGraphLearning/KnowledgeGraphEmbedding",
    ),
    DatasetInfo(
        name="wn11",
        description="WordNet, for triple classification; train repeats 2,220 lines",
        relations=11,
        entities=38_551,
        train=112_581,
        valid=2_609,
        test=10_544,
        labelled_negatives=True,
        citation=_SOCHER,
        licence=_WORDNET,
        home="https://github.com/yao8839836/kg-bert",
    ),
    DatasetInfo(
        name="fb13",
        description="Freebase, for triple classification; 7 of the relations are tested",
        relations=13,
        entities=75_043,
        train=316_232,
        valid=5_908,
        test=23_733,
        labelled_negatives=True,
        citation=_SOCHER,
        licence=_FREEBASE,
        home="https://github.com/yao8839836/kg-bert",
    ),
    DatasetInfo(
        name="fb15k-237",
        description="fb15k without inverse relations",
        relations=237,
        entities=14_541,
        train=272_115,
        valid=17_535,
        test=20_466,
        labelled_negatives=False,
        citation=(
            "Toutanova, Chen: Observed versus latent features for knowledge base and text "
            "inference. CVSC 2015"
        ),
        licence="Microsoft Research data licence; " + _FREEBASE,
        home="https://github.com/DeepGraphLearning/KnowledgeGraphEmbedding",
    ),
    DatasetInfo(
        name="wn18rr",
        description="wn18 without inverse relations",
        relations=11,
        entities=40_943,
        train=86_835,
        valid=3_034,
        test=3_134,
        labelled_negatives=False,
        citation=_CONVE,
        licence=_WORDNET,
        home="https://github.com/DeepGraphLearning/KnowledgeGraphEmbedding",
    ),
    DatasetInfo(
        name="codex-s",
        description="Wikidata, small, with hard negatives",
        relations=42,
        entities=2_034,
        train=32_888,
        valid=1_827,
        test=1_828,
        labelled_negatives=True,
        citation=(
            "Safavi, Koutra: CoDEx: A comprehensive knowledge graph completion benchmark. "
            "EMNLP 2020"
        ),
        licence="MIT",
        home="https://github.com/tsafavi/codex",
    ),
    DatasetInfo(
        name="nations",
        description="dealings between 14 nations",
        relations=55,
        entities=14,
        train=1_592,
        valid=199,
        test=201,
        labelled_negatives=False,
        citation=_KEMP,
        licence="MIT",
        home="https://github.com/pykeen/pykeen",
    ),
    DatasetInfo(
        name="kinship",
        description="kinship terms among 104 people of the Alyawarra",
        relations=25,
        entities=104,
        train=8_544,
        valid=1_068,
        test=1_074,
        labelled_negatives=False,
        citation=_KEMP,
        licence="MIT",
        home="https://github.com/pykeen/pykeen",
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
    close = difflib.get_close_matches(name.casefold(), names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
    raise UnknownNameError(f"no data set is called {name!r:.100}; {hint}")
