"""Labels and the integer ids that stand for them."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.errors import InputError, UnknownNameError
from transa.graph.once import once

UNKNOWN = -1
"""Stands for a label that a vocabulary does not have."""

# Each takes some ten microseconds to compare.
_MOST_COMPARED = 20_000


class Vocabulary:
    """The labels of entities or of relations; a label's id is its position.

    Invariants: labels are distinct, non-empty strings. `names`, where a data set has them, are what
    a person calls the things labelled (``Paris`` for ``/m/05qtj``); they need not be distinct.

    Example:
        >>> vocabulary = Vocabulary("entity", ["France", "Spain"])
        >>> vocabulary.id("Spain")
        1
    """

    def __init__(
        self,
        kind: str,
        labels: Sequence[str] | pl.Series,
        names: Sequence[str | None] | pl.Series | None = None,
    ) -> None:
        self.kind = kind
        self.labels = _as_series(labels, kind)
        self.names = None if names is None else _names(names, kind)
        if self.labels.has_nulls() or (self.labels == "").any():
            raise InputError(f"one of the {kind} labels is empty")
        if self.labels.n_unique() != len(self.labels):
            raise InputError(f"the {kind} labels are not distinct")
        if self.names is not None and len(self.names) != len(self.labels):
            raise InputError(f"{len(self.names)} names for {len(self.labels)} {kind} labels")

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Vocabulary({self.kind!r}, {len(self):,} labels)"

    @once
    def _index(self) -> dict[str, int]:
        return {label: i for i, label in enumerate(self.labels.to_list())}

    @once
    def _index_of_unique_names(self) -> dict[str, int]:
        if self.names is None:
            return {}
        frame = pl.DataFrame({"name": self.names, "id": np.arange(len(self))}).drop_nulls()
        unique = frame.filter(pl.col("name").is_unique())
        return dict(zip(unique["name"], unique["id"], strict=True))

    def __contains__(self, label: object) -> bool:
        known = (self._index, self._index_of_unique_names)
        return isinstance(label, str) and any(label in index for index in known)

    def id(self, label: str) -> int:
        """The id of a label, or of a name that only one thing bears."""
        if not isinstance(label, str):
            raise InputError(f"a label is a string, found {label!r}")
        found = self._index.get(label)
        if found is None:
            found = self._index_of_unique_names.get(label)
        if found is None:
            raise UnknownNameError(f"unknown {self.kind} {label!r}{self._hint(label)}")
        return found

    def ids(self, labels: Iterable[str]) -> NDArray[np.int32]:
        """The ids of many labels."""
        _check_listed(labels)
        return np.fromiter((self.id(label) for label in labels), dtype=np.int32)

    def find(self, labels: Iterable[str]) -> NDArray[np.int32]:
        """The ids of labels or names of which some may be unknown: `UNKNOWN` (-1)."""
        _check_listed(labels)
        index, names = self._index, self._index_of_unique_names
        found = (index.get(label, names.get(label, UNKNOWN)) for label in map(_as_key, labels))
        return np.fromiter(found, dtype=np.int32)

    def label(self, index: int) -> str:
        """The label of an id."""
        if not isinstance(index, int | np.integer) or not 0 <= index < len(self):
            raise InputError(f"no {self.kind} has the id {index!r}; there are {len(self):,} from 0")
        return str(self.labels[int(index)])

    def display(self, index: int) -> str:
        """What to show a person: the name where there is one, else the label."""
        name = None if self.names is None else self.names[int(index)]
        return self.label(index) if name is None else str(name)

    def _hint(self, label: str) -> str:
        """Close labels, as a question; names in another case are the commonest slip."""
        known = [*self._index, *self._index_of_unique_names]
        same = [k for k in known if k.casefold() == label.casefold()]
        close = same or difflib.get_close_matches(label, _alike(label, known), n=3, cutoff=0.6)
        if not close:
            return f" (there are {len(self):,}, for example {self.label(0)!r})" if len(self) else ""
        return "; did you mean " + " or ".join(repr(c) for c in close) + "?"


def _names(names: Sequence[str | None] | pl.Series, kind: str) -> pl.Series:
    try:
        return pl.Series("name", names, dtype=pl.String)
    except (TypeError, UnicodeEncodeError) as error:
        raise InputError(f"the {kind} names are a list of strings, found {names!r:.100}") from error


def _check_listed(labels: object) -> None:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError(f"expected a list of labels, found {labels!r:.100}")


def _as_key(label: str) -> str:
    if not isinstance(label, Hashable):
        raise InputError(f"a label is a string, found {label!r:.100}")
    return label


def _as_series(labels: Sequence[str] | pl.Series, kind: str) -> pl.Series:
    """As Polars keeps them; refused if they are something else."""
    problem = f"the {kind} labels are a list of strings"
    if isinstance(labels, pl.Series):
        if labels.dtype not in (pl.String, pl.Categorical, pl.Enum):
            raise InputError(f"{problem}, found a series of {labels.dtype}")
        return labels.cast(pl.String).alias("label")
    if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
        raise InputError(f"{problem}, found {labels!r:.100}")
    if not all(isinstance(label, str) for label in labels):
        raise InputError(f"{problem}; one of them is not")
    try:
        return pl.Series("label", labels, dtype=pl.String)
    except UnicodeEncodeError as error:
        raise InputError(f"{problem}; one of them is no Unicode text ({error})") from error


def _alike(label: str, known: list[str]) -> list[str]:
    """Those to compare with: all, or in a large vocabulary those that begin as the label does."""
    shared = 0
    while len(known) > _MOST_COMPARED and shared < len(label):
        shared += 1
        known = [other for other in known if other[:shared] == label[:shared]]
    return known
