"""The experiments by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from experiments import (
    ablations,
    by_size,
    movement,
    table1,
    table3,
    table4,
    theorem1,
    yardsticks,
)
from experiments.contests import margin_energies, margin_free, margin_listwise
from experiments.figures import FIGURE_1, FIGURE_2
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.unit import Unit
from transa.errors import UnknownNameError


class Experiment(Protocol):
    """What the module of an experiment has."""

    @property
    def NAME(self) -> str:  # noqa: N802 (a constant of the module)
        """On the command line, and the folder of its records."""

    @property
    def TITLE(self) -> str:  # noqa: N802
        """In the report."""

    def units(self, scale: Scale) -> list[Unit]:
        """All that is trained."""

    def run(self, runner: Runner, scale: Scale) -> None:
        """Train, choose on validation triples, test what was chosen."""

    def section(self, records: Sequence[Record], pictures: Path) -> str:
        """The experiment's part of the report, in Markdown; its pictures go into a folder."""


_IN_ORDER: tuple[Experiment, ...] = (
    by_size,
    yardsticks,
    table3,
    table4,
    margin_free,
    margin_listwise,
    margin_energies,
    table1,
    theorem1,
    FIGURE_1,
    FIGURE_2,
    movement,
    ablations,
)
EXPERIMENTS: Mapping[str, Experiment] = {each.NAME: each for each in _IN_ORDER}
"""By name, in the order of the report."""


def experiment_named(name: str) -> Experiment:
    """The experiment of a name.

    Raises:
        UnknownNameError: says which there are.
    """
    if name not in EXPERIMENTS:
        known = ", ".join([*EXPERIMENTS, "report"])
        raise UnknownNameError(f"no experiment {name!r}; there are {known}")
    return EXPERIMENTS[name]
