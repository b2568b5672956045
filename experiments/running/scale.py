"""How much of an experiment is run."""

from __future__ import annotations

from dataclasses import dataclass

from transa.errors import ConfigError


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run.

    Attributes:
        quick: fewer epochs, short vectors, one seed: rough figures in minutes.
        seeds: of headline rows.
        graphs: instead of the experiment's own.
    """

    quick: bool = False
    seeds: int = 3
    graphs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise ConfigError(f"--seeds is at least 1, found {self.seeds}")

    @property
    def all_seeds(self) -> range:
        """The seeds of a headline row."""
        return range(1 if self.quick else self.seeds)

    def graphs_or(self, *own: str) -> tuple[str, ...]:
        """The graphs to run on."""
        return self.graphs or own

    def epochs(self, full: int) -> int:
        """A tenth of the epochs where it is to be quick."""
        return max(2, full // 10) if self.quick else full
