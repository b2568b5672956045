"""What a benchmark measured: figures round by round, what they are held against, and files."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

RESULTS = Path(__file__).with_name("results")

Sense = Literal["at least", "at most"]


@dataclass(frozen=True)
class Side:
    """One contestant at one point.

    Attributes:
        name: the contestant.
        values: a figure a round, in the point's unit.
        setting: what was chosen for it, such as the best of several batch sizes.
    """

    name: str
    values: tuple[float, ...]
    setting: str = ""

    @property
    def median(self) -> float:
        """The middle round."""
        return statistics.median(self.values)


@dataclass(frozen=True)
class Score:
    """A figure that is held against a bar, a value a round; without a bar it is only reported."""

    what: str
    values: tuple[float, ...]
    bar: float | None = None
    sense: Sense = "at least"

    @property
    def median(self) -> float:
        """The middle round."""
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """The rounds' range as a share of their median."""
        return (max(self.values) - min(self.values)) / self.median if self.median else 0.0

    @property
    def met(self) -> bool | None:
        """Whether the median meets the bar; None without one."""
        if self.bar is None:
            return None
        return self.median >= self.bar if self.sense == "at least" else self.median <= self.bar


@dataclass(frozen=True)
class Point:
    """One piece of work, done by everyone who can."""

    name: str
    unit: str
    sides: tuple[Side, ...]
    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, record: dict[str, Any]) -> Point:
        """The point that `asdict` made this of."""
        return cls(
            name=record["name"],
            unit=record["unit"],
            sides=tuple(Side(s["name"], tuple(s["values"]), s["setting"]) for s in record["sides"]),
            scores=tuple(
                Score(s["what"], tuple(s["values"]), s["bar"], s["sense"]) for s in record["scores"]
            ),
            notes=tuple(record["notes"]),
        )


@dataclass(frozen=True)
class Results:
    """The points of one work as far as they are measured, and where they were."""

    work: str
    title: str
    machine: dict[str, Any]
    quick: bool
    complete: bool
    seconds: float
    notes: tuple[str, ...]
    points: tuple[Point, ...]

    def write(self, folder: Path) -> None:
        """One file a work, written whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{self.work}.json.part"
        partial.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")
        partial.replace(folder / f"{self.work}.json")


def read_results(folder: Path, work: str) -> Results | None:
    """What was last measured of a work; None if nothing was."""
    path = folder / f"{work}.json"
    if not path.is_file():
        return None
    record = json.loads(path.read_text())
    record["points"] = tuple(map(Point.read, record["points"]))
    record["notes"] = tuple(record["notes"])
    return Results(**record)


def ratios(above: Side, below: Side) -> tuple[float, ...]:
    """`above` ÷ `below`, round by round: what disturbs a round disturbs both sides."""
    return tuple(a / b for a, b in zip(above.values, below.values, strict=True))
