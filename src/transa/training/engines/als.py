"""Alternating least squares: RESCAL as it was published (Nickel et al. 2011, 2012).

X_k is the 0/1 matrix of relation k, a row a head and a column a tail. Sought are A, a row an
entity, and a matrix R_k a relation, that make

    Σ_k ‖X_k − A R_k Aᵀ‖² + λ ‖A‖² + λ Σ_k ‖R_k‖²

small. For fixed R it is a least-squares problem in A (seen from the left and from the right, with
the other A as it was), and for fixed A one in each R_k. All that either needs of X_k are sums over
its triples, and of A beyond that AᵀA: nothing of n x n is made, and a sweep takes O(triples · d²).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from transa.graph.sorting import distinct_triples
from transa.models.energy import Energy
from transa.models.rescal import RESCALEnergy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket, Ids, Key
from transa.training.engines.torch_engine import TorchEngine, torch_threads
from transa.training.interrupt import StopAsked, never

# Enough to tell leading eigenvectors from others; the sweeps do the rest.
_SUBSPACE_ITERATIONS = 10


class ALSEngine(TorchEngine):
    """An epoch is a sweep: all of A, then every R_k."""

    def __init__(self, energy: Energy, recipe: Recipe, bucket: Bucket) -> None:
        super().__init__(energy, recipe, bucket)
        assert isinstance(energy, RESCALEnergy)  # noqa: S101 (see `engines.engine_for`)
        self._ridge = energy.ridge
        # A triple is true once, however often it is told.
        triples = distinct_triples(bucket.triples)
        triples = triples[np.argsort(triples[:, 1], kind="stable")].astype(np.int64)
        self._n_triples = len(triples)
        ends = np.searchsorted(triples[:, 1], np.arange(len(bucket.tables["relation"]) + 1))
        self._slices = [
            (self.tensor(triples[start:stop, 0].copy()), self.tensor(triples[start:stop, 2].copy()))
            for start, stop in pairwise(ends)
        ]

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked = never) -> float:
        """A sweep, at the first chunk of an epoch; the sum of squares that is left after it."""
        del blocks, stop  # half a sweep is worth nothing
        *_, epoch, chunk = key
        if chunk != 0:
            return 0.0
        with torch_threads(threads):
            if epoch == 0:
                self._begin()
            self._solve_entities()
            return self._solve_relations()

    def _begin(self) -> None:
        """A as the leading eigenvectors of Σ_k X_k + X_kᵀ, by subspace iteration, and R to fit.

        As published. From A drawn at random, a large sparse graph shows nothing: all would vanish.
        """
        import torch

        entity = self._tables["entity"]
        heads, tails = (torch.cat(ends) for ends in zip(*self._slices, strict=True))
        basis = torch.linalg.qr(entity)[0]
        for _ in range(_SUBSPACE_ITERATIONS):
            image = torch.zeros_like(basis).index_add_(0, heads, basis[tails])
            basis = torch.linalg.qr(image.index_add_(0, tails, basis[heads]))[0]
        # With more dimensions than entities, those beyond stay unused.
        entity.zero_()[:, : basis.shape[1]] = basis
        self._solve_relations()

    def _solve_entities(self) -> None:
        """A = (Σ_k X_k A R_kᵀ + X_kᵀ A R_k) (Σ_k R_k AᵀA R_kᵀ + R_kᵀ AᵀA R_k + λI)⁻¹."""
        import torch

        entity, relation = self._tables["entity"], self._tables["relation"]
        wanted = torch.zeros_like(entity)
        for matrix, (heads, tails) in zip(relation, self._slices, strict=True):
            wanted.index_add_(0, heads, entity[tails] @ matrix.T)
            wanted.index_add_(0, tails, entity[heads] @ matrix)
        gram = entity.T @ entity
        weights = (relation @ gram @ relation.mT + relation.mT @ gram @ relation).sum(0)
        weights = weights.double()
        weights.diagonal().add_(self._ridge)
        # A pseudo-inverse in double precision: with λ = 0 the d x d system may be singular.
        solved = wanted.double() @ torch.linalg.pinv(weights, hermitian=True)
        entity[...] = solved.to(entity.dtype)

    def _solve_relations(self) -> float:
        """R_k = V (VᵀAᵀX_kA V / (σᵢσⱼ + λ)) Vᵀ, with V and σ the eigenvectors and -values of AᵀA.

        Returns the sum of squares that is left, which the same terms give.
        """
        import torch

        entity, relation = self._tables["entity"], self._tables["relation"]
        values, vectors = torch.linalg.eigh((entity.T @ entity).double())
        values = values.clamp(min=0)
        outer = values[:, None] * values
        # Entities in the coordinates of V, so that AᵀX_kA comes out in them.
        turned = entity @ vectors.to(entity.dtype)
        left = float(self._n_triples + self._ridge * entity.square().sum())
        for k, (heads, tails) in enumerate(self._slices):
            seen = (turned[heads].T @ turned[tails]).double()
            # With λ = 0, what no entity shows is left out.
            solved = torch.where(seen != 0, seen / (outer + self._ridge).clamp(min=1e-12), 0.0)
            relation[k] = (vectors @ solved @ vectors.T).to(relation.dtype)
            left += float((solved * (solved * (outer + self._ridge) - 2 * seen)).sum())
        return left
