"""A row of a table that is another model's than TransA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from experiments.running.scale import Scale
from transa.settings.config import Settings, make_settings

Options = Mapping[str, object]

# Of a graph that the paper does not have.
_EPOCHS_ELSEWHERE = 50


@dataclass(frozen=True)
class Baseline:
    """How a model is trained for its row; chosen on validation triples: experiments/log.md.

    Attributes:
        model: whose row it is.
        epochs: at most, of all graphs or of each.
        options: in which it differs from this library's defaults at d 50.
        by_graph: options of one graph alone.
    """

    model: str
    epochs: int | Mapping[str, int]
    options: Options = field(default_factory=dict)
    by_graph: Mapping[str, Options] = field(default_factory=dict)

    def settings(self, graph: str, scale: Scale, looks: int, of_table: Options) -> Settings:
        """The settings of a run.

        Args:
            graph: which is trained on.
            scale: how much of the work is done.
            looks: at the validation split, in a run of full length.
            of_table: options that a table has for all rows, where these do not say otherwise.
        """
        most = self.epochs
        if not isinstance(most, int):
            most = most.get(graph, _EPOCHS_ELSEWHERE)
        epochs = scale.epochs(most)
        options = {
            "dim": 20 if scale.quick else 50,
            "epochs": epochs,
            "validate_every": max(1, epochs // looks),
            "patience": 2,
            **of_table,
            **self.options,
            **self.by_graph.get(graph, {}),
        }
        return make_settings(self.model, **options)
