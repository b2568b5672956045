"""What a model needs to judge triples, beyond its vectors; kept in the model folder as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from transa.classification.result import Judgements
from transa.classification.thresholds.calibration import Calibration
from transa.classification.thresholds.local import Shifts
from transa.classification.thresholds.per_relation import Thresholds
from transa.errors import one_of
from transa.graph import Vocabulary

UnseenEntities: TypeAlias = Literal["none", "words", "facts", "words+facts"]
"""How entities that train never has are treated; see `transa.classification.unseen.newcomers`."""

UNSEEN: tuple[UnseenEntities, ...] = get_args(UnseenEntities)

ThresholdKind: TypeAlias = Literal["relation", "local", "names"]
"""One a relation (Socher et al.), or moved by what training has of a triple's entities, or also by
what entities of like names would say."""

KINDS: tuple[ThresholdKind, ...] = get_args(ThresholdKind)


@dataclass(frozen=True, eq=False)
class Classifier:
    """Thresholds, probabilities, and the treatment of unseen entities that they were fitted with.

    Attributes:
        thresholds: one a relation.
        calibration: from margin to probability.
        unseen: the treatment.
        fitted_on: where the false validation triples were from.
        kind: of its thresholds.
        shifts: how they move with the entities of a triple; None if they do not.
    """

    thresholds: Thresholds
    calibration: Calibration
    unseen: UnseenEntities
    fitted_on: str
    kind: ThresholdKind = "relation"
    shifts: Shifts | None = None

    def __post_init__(self) -> None:
        one_of("unseen", self.unseen, UNSEEN)
        one_of("thresholds", self.kind, KINDS)

    @property
    def options(self) -> dict[str, str]:
        """What it was asked to be."""
        return {
            "thresholds": self.kind,
            "unseen": self.unseen,
            "calibration": self.calibration.method,
        }

    def judge(
        self,
        energies: NDArray[np.float32],
        relations: NDArray[np.integer],
        moved: NDArray[np.float64] | float = 0.0,
    ) -> Judgements:
        """Judge triples by their energies, infinite where there is none.

        `moved` is how far each one's threshold is from its relation's.
        """
        thresholds = self.thresholds.values[relations] + moved
        margins = thresholds - energies
        probabilities = self.calibration.probabilities(margins, relations)
        return Judgements(energies, thresholds, margins, probabilities)

    def to_plain(self, relations: Vocabulary) -> dict[str, Any]:
        """For JSON: relations by label, and only those with something of their own.

        `transa.storage.judging` is the inverse.
        """
        thresholds, calibration = self.thresholds, self.calibration
        own = np.flatnonzero(thresholds.counts)
        return {
            "unseen": self.unseen,
            "fitted_on": self.fitted_on,
            "threshold": thresholds.pooled,
            "thresholds": {
                relations.label(r): {
                    "threshold": float(thresholds.values[r]),
                    "fitted_on": int(thresholds.counts[r]),
                }
                for r in map(int, own)
            },
            "kind": self.kind,
            "shifts": None if self.shifts is None else _plain_shifts(self.shifts, relations),
            "calibration": {
                "method": calibration.method,
                "pooled": asdict(calibration.pooled),
                "own": {relations.label(r): asdict(c) for r, c in calibration.own.items()},
            },
        }


def _plain_shifts(shifts: Shifts, relations: Vocabulary) -> dict[str, Any]:
    own = {relations.label(r): [*weights] for r, weights in shifts.own.items()}
    return {"pooled": [*shifts.pooled], "own": own}
