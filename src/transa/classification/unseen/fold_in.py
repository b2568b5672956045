"""New entities for a model that is trained: only their vectors are fitted, all else stays.

The triples of new entities are held against corruptions of them, as in training, by the pairwise
softplus loss log(1 + exp(f + M − f′)). The corruptions are drawn once, so that it is one smooth
function that Adam goes down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.models import Energy, FittedModel, Parameters
from transa.settings.recipe import Constraint

if TYPE_CHECKING:
    from torch import Tensor

# Corruptions of a triple: in rounds, each of which throws the coin for the side anew.
_ROUNDS, _NEGATIVES = 8, 8


@dataclass(frozen=True)
class FoldIn:
    """How new vectors are fitted.

    Attributes:
        steps: of Adam.
        lr: its learning rate at first; it falls to 0 along a straight line.
        margin: how much higher the energy of a corruption should be, M.
        constraint: as the model was trained.
        seed: of the corruptions.
    """

    steps: int = 100
    lr: float = 0.05
    margin: float = 1.0
    constraint: Constraint = "ball"
    seed: int = 0


def entity_tables(energy: Energy) -> list[str]:
    """The tables that have a row for each entity."""
    return [name for name, of in energy.tables.items() if of == "entity"]


def fold_in(
    model: FittedModel,
    tables: Parameters,
    new: NDArray[np.int64],
    triples: Triples,
    how: FoldIn,
) -> Parameters:
    """The tables with the rows of new entities fitted to their triples.

    Args:
        model: what was trained. Corruptions are drawn from its entities alone, so that a verdict
            does not depend on what else is asked; none is one of its training triples.
        tables: the model's, with a row for each new entity to begin from.
        new: the distinct ids of the new entities.
        triples: true triples, each with a new entity.
        how: the settings.
    """
    import torch
    from torch.nn.functional import softplus

    energy = model.energy
    true, false = _corruptions(triples, model.graph.train, model.graph.n_entities, how.seed)
    # Only rows that occur are gathered: the tables may be large.
    rows = np.unique(np.concatenate([new, true[:, [0, 2]].ravel(), false[..., [0, 2]].ravel()]))
    positive, negative = _as_columns(true, rows), _as_columns(false, rows)
    kept = {name: torch.from_numpy(tables[name][rows]) for name in entity_tables(energy)}
    rest = {name: torch.from_numpy(t.copy()) for name, t in tables.items() if name not in kept}
    places = torch.from_numpy(np.searchsorted(rows, new))
    fitted = {name: table[places].requires_grad_() for name, table in kept.items()}
    optimiser = torch.optim.Adam(fitted.values(), lr=how.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, how.steps)
    for _ in range(how.steps):
        optimiser.zero_grad()
        now = {n: table.index_copy(0, places, fitted[n]) for n, table in kept.items()} | rest
        f, f_ = energy.of_triples(now, *positive), energy.of_triples(now, *negative)
        loss = softplus(f[:, None] + how.margin - f_).sum() / _NEGATIVES
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        _constrain(fitted, how.constraint)
    return tables | {
        name: _with_rows(tables[name], new, vectors) for name, vectors in fitted.items()
    }


def _corruptions(
    triples: Triples, known: Triples, n_candidates: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The triples once a round, (n, 3), and what each is held against, (n, K, 3)."""
    # Numba is of no use to those who only load and ask.
    from transa.graph.sampling import draw, known_of
    from transa.kernels.random import generator_state
    from transa.kernels.training.sampling import TAIL

    everything = np.ascontiguousarray(np.concatenate([triples, known]))
    n_relations = int(everything[:, 1].max()) + 1
    known_ = known_of(everything, n_candidates, n_relations, "uniform")
    which = np.tile(np.arange(len(triples)), _ROUNDS)
    sides, negatives = draw(everything, which, known_, _NEGATIVES, generator_state(seed))
    possible = sides >= 0
    true = triples[which[possible]].astype(np.int64)
    false = np.repeat(true[:, None], _NEGATIVES, axis=1)
    at_tail = sides[possible] == TAIL
    false[at_tail, :, 2] = negatives[possible][at_tail]
    false[~at_tail, :, 0] = negatives[possible][~at_tail]
    return true, false


def _as_columns(triples: NDArray[np.int64], rows: NDArray[np.int64]) -> list[Tensor]:
    """Heads, relations and tails; entities as positions among `rows`."""
    import torch

    head, relation, tail = np.moveaxis(triples, -1, 0)
    columns = (np.searchsorted(rows, head), relation, np.searchsorted(rows, tail))
    return [torch.from_numpy(np.ascontiguousarray(column)) for column in columns]


def _constrain(fitted: Mapping[str, Tensor], constraint: Constraint) -> None:
    """Keep new entities where training keeps all: on the unit sphere, or in the ball."""
    import torch

    vectors = fitted["entity"]
    with torch.no_grad():
        lengths = vectors.norm(dim=1, keepdim=True)
        if constraint == "ball":
            vectors /= lengths.clamp(min=1)
        elif constraint == "sphere":
            vectors /= lengths.where(lengths > 0, 1)


def _with_rows(
    table: NDArray[np.float32], rows: NDArray[np.int64], vectors: Tensor
) -> NDArray[np.float32]:
    changed = table.copy()
    changed[rows] = vectors.detach().numpy()
    return changed
