"""A model as a PyTorch module: to score with, to fine-tune, to put on any device."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from transa.models.energy import Energy, inverse_of
from transa.models.fitted import FittedModel


class ScoringModule(nn.Module):
    """Scores triples of ids: minus the energy, so higher is more plausible.

    The tables are its parameters, copied, so that training them leaves the model alone. Ids are
    those of the graph's vocabularies.

    Attributes:
        energy: f_r(h, t), lower is better.
        tables: the parameters by name.
    """

    def __init__(self, model: FittedModel) -> None:
        super().__init__()
        self.energy: Energy = model.energy
        tables = {name: torch.tensor(table) for name, table in model.tables.items()}
        self.tables = nn.ParameterDict(tables)
        self.n_entities, self.n_relations = model.graph.n_entities, model.graph.n_relations

    def forward(self, triples: Tensor) -> Tensor:
        """The scores (n,) of triples (n, 3): head, relation, tail."""
        h, r, t = triples.unbind(-1)
        return -self.energy.of_triples(dict(self.tables), h, r, t)

    def score_tails(self, h: Tensor, r: Tensor, tails: Tensor | None = None) -> Tensor:
        """The scores (n, m) of tails for questions (h, r, ?): of all entities, or of those given.

        Args:
            h: heads, (n,).
            r: relations, (n,).
            tails: entities for all questions, (m,), or for each, (n, m).
        """
        return -self.energy.energy(dict(self.tables), h[:, None], r[:, None], self._all(tails))

    def score_heads(self, r: Tensor, t: Tensor, heads: Tensor | None = None) -> Tensor:
        """The scores (n, m) of heads for questions (?, r, t); see `score_tails`.

        Where relations have inverses, heads are asked for as the tails of those.
        """
        tables, candidates = dict(self.tables), self._all(heads)
        if self.energy.reciprocal:
            inverse = inverse_of(self.energy, tables, r)
            return -self.energy.energy(tables, t[:, None], inverse[:, None], candidates)
        return -self.energy.energy(tables, candidates, r[:, None], t[:, None])

    def _all(self, candidates: Tensor | None) -> Tensor:
        if candidates is None:
            device = next(iter(self.tables.values())).device
            candidates = torch.arange(self.n_entities, device=device)
        return candidates if candidates.ndim > 1 else candidates[None, :]
