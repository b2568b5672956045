"""The margins of the training triples, and when they are computed anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.errors import TrainingError
from transa.graph import Triples
from transa.kernels.margins.readings import Neighbourhoods, TripleMargins
from transa.margins.adaptive import opt_margins
from transa.margins.margin import Fixed
from transa.margins.margin_graph import MarginGraph
from transa.margins.of_energies import energy_margins
from transa.margins.spheres import translation_of
from transa.models.energy import Energy, Parameters
from transa.settings.recipe import Recipe

# Tells the draws of margins from those of steps, whose keys have the number of a chunk there.
DRAWS = 1 << 31


class Margins:
    """One margin per triple and corrupted side, as the recipe's margin says.

    Attributes:
        current: what the engines read; its arrays are filled in place.
    """

    def __init__(self, energy: Energy, recipe: Recipe, triples: Triples, n_entities: int) -> None:
        self._margin = margin = recipe.margin
        self._energy, self._seed = energy, recipe.seed
        if isinstance(margin, Fixed):
            one_group = np.zeros(len(triples), dtype=np.int32)
            value = np.full(1, margin.value, dtype=np.float32)
            self.current = TripleMargins(one_group, value, one_group, value.copy())
        else:
            if margin.reading != "energies":
                translation_of(energy)
            self._around = around = MarginGraph.of(triples, n_entities)
            heads, tails = (side.around for side in around.sides)
            self._shares = share_of(heads, margin.halved_at), share_of(tails, margin.halved_at)
            self.current = TripleMargins(
                heads.group_of_triple,
                np.zeros(len(heads.group_relation), dtype=np.float32),
                tails.group_of_triple,
                np.zeros(len(tails.group_relation), dtype=np.float32),
            )
        self._head_counts, self._tail_counts = (
            np.bincount(groups, minlength=len(values)).astype(np.float32)
            for groups, values in (self.current[:2], self.current[2:])
        )

    def due(self, epoch: int) -> bool:
        """Whether this epoch begins with new margins."""
        return not isinstance(self._margin, Fixed) and epoch % self._margin.every == 0

    def compute(self, parameters: Parameters, epoch: int, threads: int) -> None:
        """Margins from the vectors as they are, each the share that is asked for."""
        assert not isinstance(self._margin, Fixed)  # noqa: S101 (narrows the type)
        seed, out = (self._seed, epoch, DRAWS), (self.current.at_head, self.current.at_tail)
        if self._margin.reading == "energies":
            energy_margins(
                *(self._around, self._energy, parameters, self._margin, self._shares, out),
                epoch=epoch,
                seed=seed,
            )
        else:
            opt_margins(
                self._around,
                parameters["entity"],
                parameters["relation"],
                translation_of(self._energy).norm,
                self._margin,
                self._shares,
                out,
                epoch=epoch,
                seed=seed,
                threads=threads,
            )
        mean = np.float32(self.mean())
        # One check is enough: any margin that is not finite makes the mean so.
        if not np.isfinite(mean):
            raise TrainingError(
                f"a margin is not finite in epoch {epoch + 1}: the vectors have diverged; "
                "lower the learning rate"
            )
        if self._margin.local < 1:
            for margins in (self.current.at_head, self.current.at_tail):
                margins *= np.float32(self._margin.local)
                margins += mean * np.float32(1 - self._margin.local)

    def mean(self) -> float:
        """The mean over triples and sides."""
        total = self.current.at_head @ self._head_counts + self.current.at_tail @ self._tail_counts
        return float(total / (2 * len(self.current.head_group)))

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """What a checkpoint keeps."""
        return {
            "margins/at_head": self.current.at_head,
            "margins/at_tail": self.current.at_tail,
        }


def share_of(around: Neighbourhoods, halved_at: float) -> NDArray[np.float32]:
    """How much of M_opt each group is held to: all for an only answer, less among others.

    All answers of a question are to be inside one internal sphere. Many do not fit into a small
    one, and asking for it draws together what is not alike.
    """
    answers = np.diff(around.positive_ptr)
    if halved_at == 0:
        return np.ones(len(answers), dtype=np.float32)
    return (halved_at / (halved_at + answers - 1)).astype(np.float32)


def margins_of(
    margins: TripleMargins, which: NDArray[np.int64], sides: NDArray[np.int8]
) -> NDArray[np.float32]:
    """The margins of the triples numbered `which`, by the side corrupted (0 head, 1 tail)."""
    at_head = margins.at_head[margins.head_group[which]]
    at_tail = margins.at_tail[margins.tail_group[which]]
    chosen: NDArray[np.float32] = np.where(sides == 1, at_head, at_tail)
    return chosen
