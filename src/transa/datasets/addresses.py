"""Where the named graphs are published, and what their files must be.

A graph's files are made from public ones, which are pinned to a commit or tag. What is checked is
the outcome: the sha256 of the normalised text, which is the same from whatever mirror it came.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transa.datasets import normalise

PUBLIC_MIRROR = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Piece:
    """One file of a graph's folder."""

    file: str
    parts: tuple[str, ...]
    """Addresses below the mirror, in the order in which `make` takes their contents."""
    make: Callable[..., bytes]
    sha256: str
    optional: bool = False
    """A graph without it is still that graph."""


_ROTATE = "DeepGraphLearning/KnowledgeGraphEmbedding/617062aaedf53bf4d6b44450a580a96dc30e0632/data/"
_KG_BERT = "yao8839836/kg-bert/0b8f625108efcb9b43603b6840f2548ff3d3c973/data/"
_CODEX = "tsafavi/codex/3132e426c2a6b643b70bad679905a3a6270be440/data/"
_CODEX_S = _CODEX + "triples/codex-s/"
_PYKEEN = "pykeen/pykeen/v1.11.1/src/pykeen/datasets/"

_WORDNET_NAMES = Piece(
    "entity_names.tsv",
    (_KG_BERT + "WN18/wordnet-mlj12-definitions.txt",),
    normalise.names,
    "eb7ce6557f9143cba3bd795e738481af759dc1902116e5bacacd27b9c071970f",
    optional=True,
)
_FREEBASE_NAMES = _KG_BERT + "FB15K/entity2text.txt"


def _splits(folder: str, train: str, valid: str, test: str) -> tuple[Piece, ...]:
    """The usual three files, given what each one's sha256 is."""
    checksums = {"train.txt": train, "valid.txt": valid, "test.txt": test}
    return tuple(
        Piece(file, (folder + file,), normalise.lines, sha256) for file, sha256 in checksums.items()
    )


def _classification(
    folder: str, train: str, valid: tuple[str, str], test: tuple[str, str]
) -> tuple[Piece, ...]:
    """Socher's files: dev and test are labelled; each gives its true triples, and all of them."""
    dev, held_out = (folder + "dev.tsv",), (folder + "test.tsv",)
    return (
        Piece("train.txt", (folder + "train.tsv",), normalise.lines, train),
        Piece("valid.txt", dev, normalise.positives, valid[0]),
        Piece("valid_labeled.txt", dev, normalise.lines, valid[1]),
        Piece("test.txt", held_out, normalise.positives, test[0]),
        Piece("test_labeled.txt", held_out, normalise.lines, test[1]),
    )


HOMES: dict[str, tuple[Piece, ...]] = {
    "wn18": (
        *_splits(
            _ROTATE + "wn18/",
            train="24c9b02dc57d3ae8ca8467ce355995edee7be8eddc3bd070ee34d3c6fc3c95eb",
            valid="13347bfb5e17d1cae003e0bfe29b4716d3ab748e8cfb6af997138d37da3a51dc",
            test="d22c19d176d4ba6a6f0d0c6bfce39ab3c16e3b20e1df6f9efe0d9ed86542fa10",
        ),
        _WORDNET_NAMES,
    ),
    "fb15k": (
        *_splits(
            _ROTATE + "FB15k/",
            train="f9cdfd2685f6483bd3a499d433919b15d62f0715c6cf18b2ca30c2aa5c47a704",
            valid="471929cde9cf74b1caa8348c2b601c8010d6b2f2a56bae49b4ebfd14c9bce855",
            test="5b60b4de325482c3368e22d0b7452d465b09a610fea0ce3768d8b1e8b5a7e42a",
        ),
        Piece(
            "entity_names.tsv",
            (_FREEBASE_NAMES,),
            normalise.names,
            "c5a296ae3adb7720d223d3f112a55d3cd54f2653e376c00a77d0d5778c92cd17",
            optional=True,
        ),
    ),
    "wn11": _classification(
        _KG_BERT + "WN11/",
        train="1a49d78c8bbd2285514f7aaa4d5c9390c1fbb4fdd7151013d8285b01420b4651",
        valid=(
            "b06edc86f6be6782013c6e37f113cd59d743a773d8398b72853d0d3a61f48f1e",
            "c98b66ad43717096069551df27b4261f5ddf336d6c742848b52d5f17c3bfaaa0",
        ),
        test=(
            "d719f621f545046cf9ea814dc63ab0f43240e42da6255c1d6588309794ac787e",
            "ebcf1c6f84d5f27c85e173f399ae7c4755fd582a0d95c7173369f6ca539c9f0f",
        ),
    ),
    "fb13": _classification(
        _KG_BERT + "FB13/",
        train="a5fbd015907724cea39d1eb8379cdd5b4859515196beda261e302401428035fb",
        valid=(
            "5894f04d657f9169abce63f3b5e3f3e678aad0fddbde0dbfe0a3b19821741574",
            "431d05a8dd27cf5adbfc9ae5f7f3f40037bcdc9632bfc87eccdb4895e2633c6c",
        ),
        test=(
            "e0a7ed4fcc1e5842444d0f0a09a0d5260cbedffeeff99de5a2a971541afb1f49",
            "a85b2e843f64b2020987bf3e99aac0a875ac5d05e900f5a63a37305b7c34741b",
        ),
    ),
    "fb15k-237": (
        *_splits(
            _ROTATE + "FB15k-237/",
            train="61099230e4439f90885ca9767739e31e8e32f54736fa1c35952b27997bc7c08a",
            valid="749cbe9d923bac7b9354da5614ecfed2e0220256d442c3e04a6b303db1f273d9",
            test="e2e35e8e6113de220140b6f44dc71a5207b0fc6872d575e874aefe13259b655b",
        ),
        Piece(
            "entity_names.tsv",
            (
                _FREEBASE_NAMES,
                *(_ROTATE + f"FB15k-237/{split}.txt" for split in ("train", "valid", "test")),
            ),
            normalise.names_of_present,
            "c77823b20447c887b77fab4bd3da64d3e54c2e987ba2f8e6dbf97fe3177dd21c",
            optional=True,
        ),
    ),
    "wn18rr": (
        *_splits(
            _ROTATE + "wn18rr/",
            train="038612e783c215ee5f3ca9fbfca27b8d0739be1028fe4ee7c174aecf0b83d5df",
            valid="453ce7202afa58094a04d2b1560ee2b02660f1c260b32ce6651c8ccedd1028ab",
            test="0383bceaaa1096cf3c03ec021ed0048068e2355dbfc0239b292cefdac821cec5",
        ),
        _WORDNET_NAMES,
    ),
    "codex-s": (
        *_splits(
            _CODEX_S,
            train="64f93b7f314f3936a6f65739721429db3f6a7c8f5a1e1104ec3bb544f7434f59",
            valid="3831c0e57daef03c3a18cdd1a72e370b496f696c5218883d35c7d2ab8a6a772c",
            test="27127fcb34688c4778e88a39ef3c9b540807da846021e9d9685660ac1838aca1",
        ),
        Piece(
            "valid_labeled.txt",
            (_CODEX_S + "valid.txt", _CODEX_S + "valid_negatives.txt"),
            normalise.labelled,
            "c5736c399c260c2d7e96ddd7b5383302888205fc0dcc099965f621514229c161",
        ),
        Piece(
            "test_labeled.txt",
            (_CODEX_S + "test.txt", _CODEX_S + "test_negatives.txt"),
            normalise.labelled,
            "7297474b1167fb514082d11027a66190b3b9fdec7814af8c26e5769af5999582",
        ),
        Piece(
            "relation_names.tsv",
            (_CODEX + "relations/en/relations.json", _CODEX_S + "train.txt"),
            normalise.relation_labels,
            "985ba34ab8bcdcca9e750c1b10b4ce8195310f3e9e30bfa589774f0444700364",
            optional=True,
        ),
    ),
    "nations": _splits(
        _PYKEEN + "nations/",
        train="0830fa9da8e5bba2ccdaa45b7bdc9130451ba66b09ff2708f35fccaf82473e57",
        valid="2b337a62e51a2f45c283eac98a70d21b7e0e102136be1539b2a52c652a7b0530",
        test="3971085165b47b6aeaec68058c6d8d98b3005e929db81268410b95ae4db770ab",
    ),
    "kinship": _splits(
        _PYKEEN + "kinships/",
        train="738612111a6acf0e39662bde24c7e72a4d1edf20931beea077da367dda689731",
        valid="c56f8630a583178b1e569f11a64aa535ae1ce0b0912d8b1e24716be2b37f04da",
        test="05e5733265761d55be9c05bfaff5a8d0808df46f9c1e9d66cc3f2fe114e43d88",
    ),
}
