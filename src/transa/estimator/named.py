"""Estimators of one model, whose constructors name every setting; and those that folders hold."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from transa.estimator.base import Estimator
from transa.files.paths import path_of
from transa.margins import Margin
from transa.models import TransEEnergy
from transa.settings.by_size import left_to_the_graph
from transa.settings.config import Settings, make_settings
from transa.settings.recipe import Recipe
from transa.storage import folder as store

P = ParamSpec("P")


def _keywords(
    model: str, declared: Callable[P, object]
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Gives a model's constructor the keywords of a dataclass, for editors, mypy and `help`."""
    defaults = make_settings(model).by_name | dict.fromkeys(left_to_the_graph(model))
    keywords = inspect.signature(declared).parameters
    named = [each.replace(default=defaults[name]) for name, each in keywords.items()]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)

    def with_keywords(init: Callable[..., None]) -> Callable[Concatenate[Any, P], None]:
        def constructor(self: Any, /, *values: P.args, **options: P.kwargs) -> None:  # noqa: ANN401
            init(self, **dict(zip(keywords, values, strict=False)), **options)

        with_self = inspect.Signature([itself, *named])
        constructor.__signature__ = with_self  # type: ignore[attr-defined]
        return constructor

    return with_keywords


@dataclass(frozen=True)
class _Keywords(Recipe, TransEEnergy):
    """The settings of a translation side by side, and what else two of them may be given as."""

    dim: int | None = None  # type: ignore[assignment]
    margin: Margin | float | str = field(default="adaptive", kw_only=True)  # type: ignore[assignment]


class TransA(Estimator):
    """TransE's energy with margins measured from the graph and the vectors (Jia et al. 2016).

    Args:
        dim: length of the vectors; None, as for every option that is not given and that the graph
            decides on: what suits it (`transa.settings.by_size`).
        norm: of the energy: 'l1', 'l2' or 'l2sq'.
        **options: see `transa.Recipe`; `margin` is a `transa.Adaptive`.

    Example:
        >>> import transa
        >>> model = transa.TransA(dim=30, epochs=20, threads=1).fit("countries")
        >>> len(model.predict_tails("France", "borders", k=3))
        3
    """

    _is_of_one_model = True

    @_keywords("transa", _Keywords)
    def __init__(self, **options: object) -> None:
        super().__init__("transa", **options)


class TransE(Estimator):
    """A relation moves its heads to its tails, with one margin for all (Bordes et al. 2013).

    Args:
        dim: length of the vectors; None, as for every option that is not given and that the graph
            decides on: what suits it (`transa.settings.by_size`).
        norm: of the energy: 'l1', 'l2' or 'l2sq'.
        **options: see `transa.Recipe`; `margin` is a number, 0 by default, 1 with another loss than
            the listwise one.

    Example:
        >>> import transa
        >>> transa.TransE(dim=30, margin=2.0)
        TransE(dim=30, norm='l1', margin=Fixed(value=2.0))
    """

    _is_of_one_model = True

    @_keywords("transe", _Keywords)
    def __init__(self, **options: object) -> None:
        super().__init__("transe", **options)


ESTIMATORS: Mapping[str, type[TransA] | type[TransE]] = {"transa": TransA, "transe": TransE}
"""The models that have a class of their own, which names their options."""


def estimator_of(settings: Settings) -> Estimator:
    """An estimator that has not learnt yet, from its settings."""
    kind = ESTIMATORS.get(settings.model)
    if kind is None:
        return Estimator(settings.model, **settings.by_name)
    return kind(**settings.by_name)


def load(folder: str | Path, sha256: str | None = None, *, index: bool = False) -> Estimator:
    """The estimator that `save` or `transa train` put into a model folder.

    A folder from a stranger runs no code and does no more than be refused: its files are plain,
    regular and of a size that fits into memory, and agree in types, ranges and shapes. That its
    numbers are honest it cannot promise: checksums tell of damage, and whoever changes a folder can
    write them anew. `sha256` tells of that too. Of tables beyond 64 MB the bytes are read as they
    are needed and only checked where `sha256` is given, or by `transa info`.

    Args:
        folder: the model folder, or one on the Hugging Face hub: ``hf://owner/name``, and
            ``@revision`` behind it. It is kept in the user's cache.
        sha256: what `transa info` printed of the folder that is meant.
        index: also read the index of neighbours that `transa index` put there. Native code follows
            its links; they are looked through first, so that it cannot be led astray.

    Raises:
        StoreError: if it is not a model folder as it was written, or not the one meant.

    Example:
        >>> import tempfile, transa
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     transa.TransE(dim=8, epochs=1, threads=1).fit("countries").save(folder)
        ...     transa.load(folder).graph_.name
        'countries'
    """
    if isinstance(folder, str) and folder.startswith("hf://"):
        from transa.exchange import hub

        folder = hub.cached(folder)
    learnt = store.load(path_of(folder), sha256, index=index)
    estimator = estimator_of(learnt.settings)
    estimator._learnt = learnt
    return estimator
