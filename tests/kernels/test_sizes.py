"""Which sizes have kernels of their own."""

from __future__ import annotations

import pytest

import transa
from transa.kernels.jit import told_of_compiling
from transa.kernels.sizes import ANY, compiled_dim, compiled_sizes


def test_common_sizes_have_their_own_kernel_and_all_others_share_one():
    assert [compiled_dim(dim) for dim in (50, 200, 7, 137)] == [50, 200, ANY, ANY]
    assert compiled_sizes(100, 16) == (100, 16)
    assert compiled_sizes(100, 5) == compiled_sizes(33, 16) == compiled_sizes(9, 9) == (ANY, ANY)


@pytest.mark.parametrize("options", [{}, {"loss": "hinge"}, {"loss": "logistic"}])
def test_a_new_size_is_not_compiled(options, atlas):
    def train(dim, negatives):
        told = []
        with told_of_compiling(told.append):
            given = {"epochs": 1, "threads": 1, "dim": dim, "negatives": negatives, **options}
            transa.TransE(**given).fit(atlas)
        return told

    train(5, 3)
    assert train(6, 4) == train(11, 2) == []
