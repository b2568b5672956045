"""The margins that the vectors of a fitted model come to, triple by triple."""

from __future__ import annotations

import polars as pl

from transa.errors import ConfigError
from transa.margins.adaptive import adaptive_margins
from transa.margins.margin import Adaptive
from transa.margins.spheres import translation_of
from transa.models.fitted import FittedModel

# Draws of the reading `active` for margins that are looked at, so that they say little of chance.
_DRAWN_TO_SHOW = 100


def margin_frame(model: FittedModel, margin: Adaptive) -> pl.DataFrame:
    """The margin of every training triple; see `transa.Estimator.margins`."""
    if not isinstance(margin, Adaptive):
        raise ConfigError(f"margins are computed from a transa.Adaptive, found {margin!r:.100}")
    norm = translation_of(model.energy).norm
    graph, tables = model.graph, model.tables
    at_head, at_tail = adaptive_margins(
        graph.train,
        tables["entity"],
        tables["relation"],
        mu=margin.mu,
        norm=norm,
        reading=margin.reading,
        rounds=max(margin.rounds, _DRAWN_TO_SHOW),
    )
    h, r, t = graph.train.T
    return pl.DataFrame(
        {
            "head": graph.entities.labels.gather(h),
            "relation": graph.relations.labels.gather(r),
            "tail": graph.entities.labels.gather(t),
            "head_anchored": at_head,
            "tail_anchored": at_tail,
        }
    )
