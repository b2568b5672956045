"""What an estimator learnt, handed on to other libraries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from transa.errors import optional
from transa.models import FittedModel

if TYPE_CHECKING:
    from transa.exchange.torch_module import ScoringModule
    from transa.exchange.vectors import Library


class Sharing(ABC):
    """The part of an estimator that other libraries ask."""

    @property
    @abstractmethod
    def model_(self) -> FittedModel:
        """The energy, its tables and the graph."""

    def vectors(self, table: str = "entity", to: Library = "polars") -> Any:  # noqa: ANN401
        """The vectors learnt, a row for each label.

        Args:
            table: which: 'entity', 'relation' or another of the model's; a matrix is one long row.
            to: 'polars' and 'arrow' have the label, the name where there is one, and the vector as
                one column; 'pandas' has the labels as index and a column a dimension; 'numpy' is
                the array, whose rows are the ids.
        """
        from transa.exchange.vectors import vectors_of

        return vectors_of(self.model_, table, to)

    def to_torch(self) -> ScoringModule:
        """A PyTorch module that scores triples of ids; its parameters are copies of the tables."""
        from transa.exchange.torch_module import ScoringModule

        return ScoringModule(self.model_)

    @abstractmethod
    def save(self, folder: str | Path, *, overwrite: bool = True) -> None:
        """Write the model folder."""

    def push(self, repo: str, *, private: bool = False) -> str:
        """Put the model on the Hugging Face hub, with a card; `transa.load("hf://owner/name")`.

        Args:
            repo: as the hub calls it, 'owner/name'; made if there is none.
            private: whether a repository that is made is to be seen by its owner alone.

        Returns:
            The address of what was put there.
        """
        from transa.exchange import hub

        with TemporaryDirectory() as place:
            folder = Path(place) / repo.rpartition("/")[2]
            self.save(folder)
            return hub.push(folder, repo, private=private)

    def to_pykeen(self) -> Any:  # noqa: ANN401 (PyKEEN has no types)
        """A `pykeen.models.Model` for PyKEEN's evaluators and predictors: it gives the same ranks.

        It can't be trained on. `transa.exchange.pykeen_model.triples_factory` makes the factories
        that go with it.
        """
        optional("pykeen", "pykeen", "to_pykeen()")
        from transa.exchange.pykeen_model import pykeen_model

        return pykeen_model(self.model_)
