"""Entities whose labels are spelt alike."""

from __future__ import annotations

import numpy as np
import pytest

from transa.classification.unseen.spelling import similarly_spelt

KNOWN = ["__dog_1", "__cat_1", "__family_rosaceae_1", "__hot_dog_2", "__family_canidae_1", "__2_3"]


def names(wanted, known=KNOWN):
    (found,) = similarly_spelt(known, [wanted])
    return [known[i] for i in found.ids]


def test_the_same_word_is_likest():
    assert names("__dog_7")[:2] == ["__dog_1", "__hot_dog_2"]
    assert names("Dogs")[0] == "__dog_1"


def test_endings_count():
    assert names("family_liliaceae")[0] == "__family_rosaceae_1"


def test_what_shares_nothing_is_like_nothing():
    assert names("xyz") == []
    assert names("__4_5") == []
    assert names("") == []
    assert names("anything", []) == []


def test_a_label_is_not_alike_to_itself():
    (found,) = similarly_spelt(KNOWN, ["__dog_1"], itself=[0])
    assert KNOWN[found.ids[0]] == "__hot_dog_2"
    assert 0 not in found.ids


def test_weights_sum_to_one_and_fall():
    (found,) = similarly_spelt(KNOWN, ["dog family"])
    assert found.weights.sum() == pytest.approx(1)
    assert (np.diff(found.weights) <= 0).all()
    vectors = np.eye(len(KNOWN), dtype=np.float32)
    np.testing.assert_allclose(found.mean(vectors[found.ids])[found.ids], found.weights)


def test_rare_pieces_count_more():
    known = ["genus rosa", "genus lilium", "genus canis", "rosa"]
    assert names("genus rosarum", known)[0] == "genus rosa"
    assert names("rosarum", known)[0] == "rosa"
