"""Folds of triples, for cross-validation: what is held out can be asked of what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError, checked_seed


class TripleKFold:
    """Splits rows of triples into folds, for `GridSearchCV(cv=...)` and its kin.

    Every entity and relation of a fold also occurs outside of it, and copies of a triple are in one
    fold. Triples that no fold can spare, since some entity or relation has no other, are always
    learnt from.

    Args:
        n_splits: how many folds.
        seed: what they are drawn with.

    Example:
        >>> triples = [(a, "beside", b) for a in "abcd" for b in "abcd" if a != b]
        >>> [len(held_out) for _, held_out in TripleKFold(3).split(triples)]
        [4, 4, 4]
    """

    def __init__(self, n_splits: int = 5, *, seed: int = 0) -> None:
        if isinstance(n_splits, bool) or not isinstance(n_splits, int) or n_splits < 2:
            raise ConfigError(f"n_splits is a whole number of at least 2, found {n_splits!r:.60}")
        self.n_splits, self.seed = n_splits, checked_seed(seed)

    def __repr__(self) -> str:
        return f"TripleKFold({self.n_splits}, seed={self.seed})"

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:  # noqa: N803, ARG002
        """How many folds."""
        return self.n_splits

    def split(
        self,
        X: Any,  # noqa: ANN401, N803 (scikit-learn's name)
        y: object = None,  # noqa: ARG002
        groups: object = None,  # noqa: ARG002
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The numbers of the rows to learn from and of those held out, fold by fold."""
        from transa.kernels.splitting import hold_out

        row, triples = _numbered(X)
        sizes = triples.max(axis=0) + 1
        n_entities = int(max(sizes[0], sizes[2]))
        heads, relations, tails = triples.T
        degrees = np.bincount(heads, minlength=n_entities)
        degrees += np.bincount(tails[tails != heads], minlength=n_entities)
        left = np.random.default_rng(self.seed).permutation(len(triples))
        every = np.arange(len(row))
        for number in range(self.n_splits):
            wanted = round(len(left) / (self.n_splits - number))
            of_relations = np.bincount(relations, minlength=int(sizes[1]))
            held_out = hold_out(triples, left, degrees.copy(), of_relations, wanted)
            if not len(held_out):
                raise InputError(
                    f"{len(triples):,} triples can't be split into {self.n_splits} folds so that "
                    "what is held out has no label of its own; take fewer folds or more triples"
                )
            left = left[~np.isin(left, held_out)]
            is_held_out = np.isin(row, held_out)
            yield every[~is_held_out], every[is_held_out]


def _numbered(rows: Any) -> tuple[NDArray[np.int64], NDArray[np.int32]]:  # noqa: ANN401
    """Per row the number of its triple, and the distinct triples as ids."""
    columns: Sequence[Any]
    if hasattr(rows, "columns"):
        columns = [rows[name] for name in rows.columns]
    else:
        array = np.asarray(rows)
        if array.ndim != 2 or not len(array):
            raise InputError(f"expected rows of head, relation and tail, found {rows!r:.100}")
        columns = list(array.T)
    if len(columns) != 3:
        raise InputError(f"expected head, relation and tail, found {len(columns)} columns")
    h, r, t = (pl.Series(np.asarray(column).astype(str)) for column in columns)
    entities = pl.concat([h, t]).rank("dense").to_numpy().astype(np.int32) - 1
    relations = r.rank("dense").to_numpy().astype(np.int32) - 1
    ids = np.stack([entities[: len(h)], relations, entities[len(h) :]], axis=1)
    triples, row = np.unique(ids, axis=0, return_inverse=True)
    return row.ravel(), np.ascontiguousarray(triples)
