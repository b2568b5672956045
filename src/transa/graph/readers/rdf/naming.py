"""Which of several names a person is shown: the one in the language that is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence

import polars as pl

NAMING = (
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2000/01/rdf-schema#label",
)
"""The predicates whose literals are names, the better first."""

_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
_Rank = tuple[int, int]


def users_languages() -> tuple[str, ...]:
    """The language that the system is set to; none if that is C or not set."""
    for variable in _LOCALE:
        told = os.environ.get(variable)
        if told:
            tag = told.partition(".")[0].partition("@")[0].replace("_", "-").casefold()
            return () if tag in ("c", "posix") else (tag,)
    return ()


class Names:
    """The best name of each thing so far.

    Args:
        languages: The tags asked for, best first (``de-at`` also takes ``de``); after them come
            names without a language, English, and any other.
        predicates: Whose literals are names, best first.
    """

    def __init__(self, languages: Sequence[str], predicates: Sequence[str]) -> None:
        tags = [tag.casefold() for tag in languages]
        # A country is more than was asked of a name: de-AT is content with de.
        wanted = [part for tag in tags for part in dict.fromkeys((tag, tag.partition("-")[0]))]
        self._order = {tag: n for n, tag in enumerate(dict.fromkeys([*wanted, "", "en"]))}
        self._predicates = {predicate: n for n, predicate in enumerate(predicates)}
        self._best: dict[str, tuple[_Rank, str]] = {}

    def __contains__(self, predicate: str) -> bool:
        return predicate in self._predicates

    def add(self, label: str, predicate: str, name: str, language: str) -> None:
        """Keep a name, if it is better than the one there is."""
        rank = self._language_rank(language.casefold()), self._predicates[predicate]
        name = " ".join(name.split())
        found = self._best.get(label)
        if name and (found is None or rank < found[0]):
            self._best[label] = rank, name

    def _language_rank(self, tag: str) -> int:
        primary = tag.partition("-")[0]
        if tag in self._order:
            return 2 * self._order[tag]
        return 2 * self._order.get(primary, len(self._order)) + 1

    def frame(self) -> pl.DataFrame | None:
        """The columns label and name."""
        if not self._best:
            return None
        names = [name for _, name in self._best.values()]
        return pl.DataFrame({"label": list(self._best), "name": names})
