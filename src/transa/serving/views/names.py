"""Entities and relations found by what people type: whole names, beginnings, parts, misspellings.

Names are compared without case, accents and punctuation. Of those that fit equally well, the ones
that most triples have come first.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph import Vocabulary

# Occurrences looked at before the best of them are taken; a letter occurs everywhere.
_MOST_SCANNED = 2000
# Names that a misspelling is compared with: some 20 ms.
_MOST_COMPARED = 100_000
# Below this share of letters in common, two names are not alike.
_ALIKE = 60
_LAST = "\U0010ffff"
_BETWEEN_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Hit:
    """Something found: its id, label, name and how many triples have it."""

    id: int
    label: str
    name: str
    count: int


class NameIndex:
    """The labels and names of a vocabulary, sorted.

    Example:
        >>> from transa import Vocabulary
        >>> index = NameIndex(Vocabulary("entity", ["Spain", "España del Sur"]), np.array([3, 1]))
        >>> [hit.label for hit in index.search("espana")], index.search("Spian")[0].label
        (['España del Sur'], 'Spain')
    """

    def __init__(self, vocabulary: Vocabulary, counts: NDArray[np.integer]) -> None:
        self.kind = vocabulary.kind
        self.labels: list[str] = vocabulary.labels.to_list()
        named = self.labels if vocabulary.names is None else vocabulary.names.to_list()
        self.names = [n or label for n, label in zip(named, self.labels, strict=True)]
        self.counts = counts
        self._ids = {label: i for i, label in enumerate(self.labels)}
        self._vocabulary = vocabulary
        keys = {(folded(name), i) for i, name in enumerate(self.names)}
        keys |= {(folded(label), i) for i, label in enumerate(self.labels)}
        ordered = sorted(keys)
        self._keys = [key for key, _ in ordered]
        self._of_key = np.array([i for _, i in ordered], dtype=np.int64)
        # A line a key, each with a space before it, so that every word follows one.
        self._text = "\n".join(f" {key}" for key in self._keys)
        ends = np.cumsum([len(key) + 2 for key in self._keys])
        self._starts = np.concatenate([[0], ends[:-1]]) if len(ends) else np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.labels)

    def find(self, label: str) -> int | None:
        """The id of a label, or of a name that only one thing bears."""
        found = self._ids.get(label)
        if found is None and label in self._vocabulary:
            found = self._vocabulary.id(label)
        return found

    def hit(self, index: int) -> Hit:
        """What is told of an id."""
        return Hit(index, self.labels[index], self.names[index], int(self.counts[index]))

    def search(self, text: str, limit: int = 10) -> list[Hit]:
        """The best matches of what was typed; of nothing, the ones that most triples have."""
        wanted = folded(text)
        found: dict[int, None] = {}
        for tier in self._tiers(wanted):
            best = tier[np.argsort(-self.counts[tier], kind="stable")]
            found.update(dict.fromkeys(best.tolist()))
            if len(found) >= limit:
                break
        return [self.hit(i) for i in list(found)[:limit]]

    def alike(self, label: str, limit: int = 3) -> list[str]:
        """Labels that may have been meant."""
        return [self.labels[hit.id] for hit in self.search(label, limit)] if folded(label) else []

    def _tiers(self, wanted: str) -> Iterator[NDArray[np.int64]]:
        """Ids, those of a better kind of match first; a kind is looked for only when needed."""
        if not wanted:
            yield np.arange(len(self))
            return
        start, stop = bisect_left(self._keys, wanted), bisect_left(self._keys, wanted + _LAST)
        whole = start
        while whole < stop and self._keys[whole] == wanted:
            whole += 1
        yield self._of_key[start:whole]
        yield self._of_key[whole:stop]
        yield self._with(f" {wanted}")
        yield self._with(wanted)
        yield self._misspelt(wanted)

    def _with(self, part: str) -> NDArray[np.int64]:
        """Those whose key has this part."""
        places: list[int] = []
        at = self._text.find(part)
        while at >= 0 and len(places) < _MOST_SCANNED:
            places.append(at)
            at = self._text.find(part, at + 1)
        rows = np.searchsorted(self._starts, np.array(places, dtype=np.int64), "right") - 1
        return self._of_key[rows]

    def _misspelt(self, wanted: str) -> NDArray[np.int64]:
        from rapidfuzz import fuzz, process

        slack = max(2, len(wanted) // 3)
        near = [key for key in self._keys if abs(len(key) - len(wanted)) <= slack]
        if len(wanted) < 3 or len(near) > _MOST_COMPARED:
            near = [key for key in near if key[:1] == wanted[:1]][:_MOST_COMPARED]
        close = process.extract(wanted, near, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=10)
        best = max((score for _, score, _ in close), default=0)
        # Only those about as close as the closest, or a rare guess would stand beside a sure one.
        keys = [key for key, score, _ in close if score >= best - 10]
        return self._of_key[[bisect_left(self._keys, key) for key in keys]]


def folded(text: str) -> str:
    """Without case, accents and punctuation; as it is, in small letters, if that is all it has."""
    plain = text.casefold()
    if not plain.isascii():
        letters = unicodedata.normalize("NFKD", plain)
        plain = "".join(c for c in letters if not unicodedata.combining(c))
    words = _BETWEEN_WORDS.sub(" ", plain).strip()
    return words or plain.strip()
