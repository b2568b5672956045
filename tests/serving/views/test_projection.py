"""The map shows the two directions in which vectors lie widest."""

from __future__ import annotations

import numpy as np

from transa.serving.views.projection import principal_plane


def test_it_is_the_plane_of_the_singular_vectors():
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(300, 5)) * [9, 4, 1, 0.5, 0.1]).astype(np.float32)
    placed = principal_plane(vectors, np.arange(300))
    centred = vectors - vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    expected = centred @ directions[:2].T
    expected /= np.abs(expected).max()
    for axis in range(2):
        alike = abs(np.corrcoef(placed[:, axis], expected[:, axis])[0, 1])
        assert alike > 0.9999
    np.testing.assert_allclose(np.abs(placed), np.abs(expected), atol=1e-4)


def test_of_many_a_sample_decides():
    rng = np.random.default_rng(1)
    vectors = (rng.normal(size=(5000, 3)) * [8, 2, 0.1]).astype(np.float32)
    placed = principal_plane(vectors, np.arange(10))
    assert placed.shape == (10, 2)
    assert abs(np.corrcoef(placed[:, 0], vectors[:10, 0])[0, 1]) > 0.99


def test_vectors_that_are_all_the_same_lie_in_the_middle():
    assert not principal_plane(np.ones((4, 3), np.float32), np.arange(4)).any()


def test_vectors_of_one_number():
    placed = principal_plane(np.float32([[0], [1], [5]]), np.arange(3))
    assert np.abs(placed[:, 0]).max() == 1
    assert not placed[:, 1].any()
