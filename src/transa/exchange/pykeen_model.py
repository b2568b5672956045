"""A model as one of PyKEEN's, for its evaluators and predictors; the ranks are the same."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from transa.exchange.torch_module import ScoringModule
from transa.graph import Graph
from transa.models.fitted import FittedModel


def triples_factory(graph: Graph, split: str = "train") -> Any:  # noqa: ANN401 (PyKEEN has no types)
    """A split of a graph as a `TriplesFactory`, numbered as the graph is."""
    from pykeen.triples import TriplesFactory

    return TriplesFactory(
        mapped_triples=torch.tensor(graph.split(split), dtype=torch.long),
        entity_to_id={label: i for i, label in enumerate(graph.entities.labels)},
        relation_to_id={label: i for i, label in enumerate(graph.relations.labels)},
    )


def pykeen_model(model: FittedModel) -> Any:  # noqa: ANN401
    """A `pykeen.models.Model` that scores as the model does."""
    from pykeen.models import Model

    class Transa(Model):  # type: ignore[no-untyped-call]
        """Scores triples of ids by a model of transa."""

        # PyKEEN would otherwise ask for tails in slices that its own models take.
        can_slice_h = can_slice_r = can_slice_t = False

        def __init__(self) -> None:
            super().__init__(triples_factory=triples_factory(model.graph), random_seed=0)
            self.scorer = ScoringModule(model)

        def _get_entity_len(self, **_: object) -> int:
            return model.graph.n_entities

        def _reset_parameters_(self) -> None:
            """What was learnt elsewhere is not drawn anew."""

        def collect_regularization_term(self) -> Tensor:
            return torch.zeros(())

        def score_hrt(self, hrt_batch: Tensor, **_: object) -> Tensor:
            scores: Tensor = self.scorer(hrt_batch)
            return scores[:, None]

        def score_t(self, hr_batch: Tensor, *, tails: Tensor | None = None, **_: object) -> Tensor:
            return self.scorer.score_tails(hr_batch[:, 0], hr_batch[:, 1], tails)

        def score_h(self, rt_batch: Tensor, *, heads: Tensor | None = None, **_: object) -> Tensor:
            return self.scorer.score_heads(rt_batch[:, 0], rt_batch[:, 1], heads)

        def score_r(
            self, ht_batch: Tensor, *, relations: Tensor | None = None, **_: object
        ) -> Tensor:
            every = torch.arange(model.graph.n_relations) if relations is None else relations
            every = every.to(ht_batch.device).expand(len(ht_batch), every.shape[-1])
            h, t = (ids[:, None].expand(every.shape) for ids in ht_batch.unbind(-1))
            scores: Tensor = self.scorer(torch.stack([h, every, t], dim=-1))
            return scores

    return Transa()
