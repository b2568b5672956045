"""Ranks from blocks of entities that are never together: counted block by block, and added up.

A block is asked together with the rows that the questions are about and those of their answers,
which are few. How often these beat an answer is counted once by itself and taken off again. For
energies whose distances do not depend on who else is there, the counts are those of the whole
table, to the last one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError
from transa.graph import Triples
from transa.graph.candidates import Protocol
from transa.graph.known import SIDES, KnownIndex
from transa.kernels.ranking.counting import KNOWN_EQUAL, Questions
from transa.models.energy import Energy, Tables
from transa.ranking.questions import Asked, ask
from transa.ranking.ranks import Ranks, count


@dataclass(frozen=True, eq=False)
class BlockQuestions:
    """What is asked of every block.

    Attributes:
        triples: that are ranked.
        sides: of each side the questions, and the row of the triple of each answer.
        entities: those that the questions are about, and their answers, in order.
    """

    triples: Triples
    sides: tuple[tuple[Asked, NDArray[np.int64]], ...]
    entities: NDArray[np.int64]

    @classmethod
    def of(
        cls, triples: Triples, known: KnownIndex, protocol: Protocol = "published"
    ) -> BlockQuestions:
        """The questions that triples answer; `known` is all that is known."""
        known = known.about(triples)
        sides = tuple(ask(triples, side, known, protocol) for side in SIDES)
        return cls(triples, sides, np.unique(triples[:, [0, 2]]).astype(np.int64))

    def count(
        self, energy: Energy, block: Tables, first: int, asked_of: Tables, threads: int
    ) -> NDArray[np.int64]:
        """The counts of the entities of a block, and of `asked_of` as well; (n, 2, 4).

        Args:
            energy: of the model.
            block: the block's rows of every table of entities, and all other tables.
            first: the id of its first entity.
            asked_of: the rows of `entities`.
            threads: how many.

        Raises:
            InputError: if a row is not finite.
        """
        of_entities = [name for name, of in energy.tables.items() if of == "entity"]
        both = {n: np.concatenate([block[n], asked_of[n]]) for n in of_entities}
        size = len(block[of_entities[0]])
        tables = {**block, **both}
        for name, table in tables.items():
            if not np.isfinite(table).all():
                raise InputError(
                    f"the {name} vectors hold NaN or infinity, so there are no ranks; "
                    "train with a lower learning rate"
                )
        counts = np.zeros((len(self.triples), len(SIDES), 4), dtype=np.int64)
        for column, (asked, rows) in enumerate(self.sides):
            found = np.zeros((len(self.triples), 4), dtype=np.int64)
            for _ in count(energy, tables, self._within(asked, first, size), found, threads):
                pass
            counts[rows, column] = found
        return counts

    def _within(self, asked: Asked, first: int, size: int) -> Asked:
        """The same questions, ids being places in a block and what follows it."""
        whole = asked.questions
        question, known = _spread(whole)
        inside = (known >= first) & (known < first + size)
        ends = np.append(0, np.cumsum(np.bincount(question[inside], minlength=len(asked))))
        questions = Questions(
            first=whole.first,
            answers=(size + np.searchsorted(self.entities, whole.answers)).astype(np.int32),
            known_start=ends[:-1],
            known_stop=ends[1:],
            known=(known[inside] - first).astype(np.int32),
        )
        anchor = size + np.searchsorted(self.entities, asked.anchor)
        return replace(asked, anchor=anchor, questions=questions)

    def ranks(self, of_blocks: Iterable[NDArray[np.int64]], alone: NDArray[np.int64]) -> Ranks:
        """Ranks among the entities of all blocks; `alone` was counted for a block of nobody."""
        total = np.zeros((len(self.triples), len(SIDES), 4), dtype=np.int64)
        for counts in of_blocks:
            total += counts - alone
        for column, (asked, rows) in enumerate(self.sides):
            # In its own block an answer could not be told from another one that is known.
            question, known = _spread(asked.questions)
            of_answer = np.repeat(np.arange(len(asked)), np.diff(asked.questions.first))
            n = max(int(known.max(initial=0)), int(asked.questions.answers.max(initial=0))) + 1
            itself = np.isin(of_answer * n + asked.questions.answers, question * n + known)
            total[rows, column, KNOWN_EQUAL] -= itself
        return Ranks.of(self.triples, total)


def _spread(questions: Questions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All known answers one after the other, each with its question."""
    sizes = questions.known_stop - questions.known_start
    question = np.repeat(np.arange(len(sizes)), sizes)
    before = questions.known_start - np.append(0, np.cumsum(sizes))[:-1]
    places = np.arange(sizes.sum()) + np.repeat(before, sizes)
    return question, questions.known[places].astype(np.int64)


def is_exact_in_blocks(energy: Energy) -> bool:
    """Whether blocks give the very counts of the whole table."""
    view = energy.distance_view()
    return view is not None and view.row_by_row and not energy.reciprocal


def check_exact_in_blocks(energy: Energy) -> None:
    """Refuse energies of which blocks would not give the very counts.

    Raises:
        ConfigError: says what to do instead.
    """
    if not is_exact_in_blocks(energy):
        raise ConfigError(
            "a cluster ranks transa, transe, transh and unstructured without reciprocal relations; "
            f"rank {energy.name} on one machine, without --cluster"
        )
