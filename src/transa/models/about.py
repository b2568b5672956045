"""What is told of a model: its formula, its size, whose it is and what it can learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Pattern: TypeAlias = Literal["symmetric", "antisymmetric", "inverse", "composition", "one-to-many"]


@dataclass(frozen=True)
class About:
    """One row of `transa models`.

    Attributes:
        formula: f_r(h, t), lower is better, in the paper's symbols.
        paper: who published it.
        per_entity: parameters of an entity; d is `dim`, k the model's own size, where it has one.
        per_relation: parameters of a relation.
        shared: parameters that all triples share.
        size: the name of the hyper-parameter that k stands for.
        learns: patterns that the model finds by itself: shown most of a relation, it ranks the rest
            first. tests/models/test_patterns.py holds every model to it. A model may be able to
            represent more than it finds.

            - symmetric: r(a, b) makes r(b, a) true;
            - antisymmetric: r(a, b) makes r(b, a) false;
            - inverse: r(a, b) makes s(b, a) true;
            - composition: r(a, b) and s(b, c) make q(a, c) true;
            - one-to-many: a head has many tails, which are not all alike.
    """

    formula: str
    paper: str
    per_entity: str = "d"
    per_relation: str = "d"
    shared: str = "0"
    size: str | None = None
    learns: tuple[Pattern, ...] = ()
