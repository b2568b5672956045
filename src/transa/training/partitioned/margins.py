"""Adaptive margins of a graph in partitions: one number per pair of neighbours, kept on disk.

A bucket's distances are measured when its rows are at hand, after it was trained. A partition's
margins are reduced from them when its last bucket of an epoch is done; the next epoch uses them.
Before the first epoch, a round without training measures all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from transa.errors import TrainingError
from transa.files.arrays import Arrays
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.threads import over_spans
from transa.margins.by_block import margins_from, measure_pairs, pairs_to_measure
from transa.margins.margin import Adaptive, Fixed
from transa.margins.margin_graph import MarginGraph, Pairs, side_of
from transa.margins.spheres import in_distances, translation_of
from transa.models.energy import Energy, Parameters, lengths
from transa.prepared.buckets import BOTH, SIDES, buckets_of, neighbourhoods_of
from transa.prepared.graph import PreparedGraph
from transa.prepared.layout import Pair
from transa.settings.recipe import Recipe
from transa.training.margins import DRAWS, share_of
from transa.training.partitioned.files import RunFiles


class PartitionedMargins:
    """One margin per triple and corrupted side, as the recipe's margin says.

    Attributes:
        sums: of the margins of each partition's triples, anchored at its entities.
        used: the mean of the margins that the current epoch uses.
    """

    def __init__(
        self, energy: Energy, recipe: Recipe, graph: PreparedGraph, files: RunFiles
    ) -> None:
        self._margin, self._seed = recipe.margin, recipe.seed
        self._graph, self._files, self._reciprocal = graph, files, energy.reciprocal
        self.sums: dict[int, float] = {}
        self.used = recipe.margin.value if isinstance(recipe.margin, Fixed) else 0.0
        self.made_for = -1
        if isinstance(recipe.margin, Adaptive):
            in_distances(recipe.margin)
            self._norm = translation_of(energy).norm

    def restore(self, used: float, made_for: int, sums: Mapping[str, float]) -> None:
        """Go back to what a run had saved."""
        self.used, self.made_for = used, made_for
        self.sums = {int(partition): each for partition, each in sums.items()}

    def due(self, epoch: int) -> bool:
        """Whether an epoch begins with new margins, for which the one before it measures."""
        return isinstance(self._margin, Adaptive) and epoch % self._margin.every == 0

    def measure(self, pair: Pair, of: Pairs, rows: NDArray[np.float32], threads: int) -> None:
        """Measure a bucket's pairs of neighbours, whose rows are at hand."""
        distances = np.empty(len(of.one), np.float32)

        def measure(_: int, start: int, stop: int) -> None:
            some = Pairs(of.one[start:stop], of.other[start:stop])
            measure_pairs(some, rows, rows, self._norm, distances[start:stop])

        if len(of.one):
            over_spans(measure, len(of.one), threads)
        self._files.write_distances(pair, distances)

    def reduce(self, partition: int, tables: Parameters, epoch: int, threads: int) -> None:
        """A partition's margins for an epoch, from distances on disk and its rows at hand."""
        margin = self._margin
        assert isinstance(margin, Adaptive)  # noqa: S101 (narrows the type)
        around = self._around(partition)
        wanted = pairs_to_measure(around, margin, (self._seed, epoch, DRAWS, partition), threads)
        distances = [np.empty(0, np.float32) for _ in wanted.pairs]
        if distances:
            distances[0] = self._files.read_distances(buckets_of(self._graph.layout, partition))
        for n in range(1, len(distances)):
            distances[n] = np.empty(len(wanted.pairs[n].one), np.float32)
            rows = tables["entity"]
            measure_pairs(wanted.pairs[n], rows, rows, self._norm, distances[n])
        heads, tails = (side.around for side in around.sides)
        found = [np.empty(len(side.group_relation), np.float32) for side in (heads, tails)]
        margins_from(
            around,
            wanted,
            tuple(distances),
            lengths(tables["relation"], self._norm),
            margin,
            (share_of(heads, margin.halved_at), share_of(tails, margin.halved_at)),
            (found[0], found[1]),
            epoch=epoch,
            threads=threads,
        )
        counts = [np.diff(side.positive_ptr).astype(np.float32) for side in (heads, tails)]
        self.sums[partition] = sum(float(f @ c) for f, c in zip(found, counts, strict=True))
        if self._reciprocal:
            # An anchor's groups, as a head's and as a tail's: both are asked for tails.
            forth = heads.group_relation < self._graph.n_relations
            found = [found[0][forth], found[0][~forth]]
        if margin.local > 0:
            named = dict(zip(SIDES, found, strict=True))
            self._files.write_rows(f"margins-{partition}.{epoch}", named)

    def _around(self, partition: int) -> MarginGraph:
        around = self._graph.around(partition)
        pairs = self._graph.pairs_around(partition)
        names = (BOTH, BOTH) if self._reciprocal else SIDES
        found = [neighbourhoods_of(around, name) for name in names]
        if self._reciprocal:
            # Round a tail is what is round a head, each relation being its own inverse's.
            relations, n = found[1].group_relation, self._graph.n_relations
            found[1] = found[1]._replace(group_relation=(relations + n) % np.int32(2 * n))
        sides = [
            side_of(each, pairs[f"{name}.slot"], pairs[f"{name}.positive"])
            for name, each in zip(names, found, strict=True)
        ]
        none = np.empty(0, np.int32)
        # Neighbours were measured bucket by bucket.
        measured = Pairs(none, none), np.empty(0, np.float32)
        return MarginGraph.of_sides((sides[0], sides[1]), *measured)

    def begin(self, epoch: int) -> None:
        """Use what was reduced for this epoch.

        Raises:
            TrainingError: if a margin is not finite.
        """
        if not self.due(epoch):
            return
        # In the order of partitions, whichever was done first.
        total = sum(self.sums[partition] for partition in sorted(self.sums))
        self.used = total / ((4 if self._reciprocal else 2) * self._graph.record.train)
        self.made_for = epoch
        if not np.isfinite(self.used):
            raise TrainingError(
                f"a margin is not finite in epoch {epoch + 1}: the vectors have diverged; "
                "lower the learning rate"
            )

    def named(self) -> list[str]:
        """The files of margins that this epoch or the next uses."""
        kept = [name for name in list(self._files.sums) if name.startswith("margins-")]
        return [name for name in kept if int(name.rpartition(".")[2]) >= self.made_for]

    def of(self, buckets: Mapping[Pair, Arrays], rows: int) -> TripleMargins:
        """The margins of the triples of some buckets; `rows` are those of a partition."""
        local = self._margin.local if isinstance(self._margin, Adaptive) else 0.0
        n = sum(len(arrays["triples"]) for arrays in buckets.values())
        if local == 0:
            one_group = np.zeros(n, dtype=np.int32)
            value = np.full(1, self.used, dtype=np.float32)
            return TripleMargins(one_group, value, one_group, value.copy())
        partitions = sorted({p for pair in buckets for p in pair})
        read = [self._files.read_rows(f"margins-{p}.{self.made_for}") for p in partitions]
        found = []
        for side, column in zip(SIDES, (0, 2), strict=True):
            values = np.concatenate([each[side] for each in read])
            values *= np.float32(local)
            values += np.float32(self.used) * np.float32(1 - local)
            before = np.append(0, np.cumsum([len(each[side]) for each in read]))
            first = dict(zip(partitions, before.astype(np.int32), strict=False))
            groups = [
                arrays[f"{side}_group"]
                + np.where(arrays["triples"][:, column] < rows, first[pair.low], first[pair.high])
                for pair, arrays in buckets.items()
            ]
            found += [np.concatenate(groups), values]
        return TripleMargins(*found)

    def mean(self) -> float:
        """The mean over triples and sides."""
        return self.used
