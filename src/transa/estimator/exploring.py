"""What an estimator says beyond answers: why, and what else may be true."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transa.asking.reasons.table import Reasons
    from transa.storage.folder import SavedModel


class Explorer:
    """The part of an estimator that explains answers and looks for facts by itself."""

    @property
    def learnt_(self) -> SavedModel:
        """Everything that was learnt, as the model folder keeps it."""
        raise NotImplementedError

    def reasons(self, head: str, relation: str, tail: str, k: int = 5) -> Reasons:
        """What the graph knows that speaks for a triple, and what speaks against it.

        That the graph may have the triple itself counts for nothing.

        Args:
            head: label or name.
            relation: label or name.
            tail: label or name.
            k: at most so many reasons on either side.
        """
        from transa.asking.reasons.explaining import reasons_of

        model = self.learnt_.model
        entities, relations = model.graph.entities, model.graph.relations
        ids = entities.id(head), relations.id(relation), entities.id(tail)
        return reasons_of(model, *ids, k)
