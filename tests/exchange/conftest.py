"""Models of several families, for one graph."""

from __future__ import annotations

import pytest

import transa

MODELS = {
    "transa": {},
    "transh": {},
    "distmult": {},
    "complex": {"reciprocal": True},
    "rotate": {},
    "transe": {"reciprocal": True},
}


@pytest.fixture(scope="session", params=MODELS)
def model(request, atlas):
    """A model that has learnt a little."""
    name, options = request.param, MODELS[request.param]
    return transa.Estimator(name, dim=8, epochs=3, threads=1, patience=0, **options).fit(atlas)
