"""The estimators: hyper-parameters in, `fit`, then questions by name.

In scikit-learn's manners: a constructor takes hyper-parameters and nothing else, `fit` returns the
estimator, and what was learnt has names that end in an underscore.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.asking.answers import Question, answers, similar_entities
from transa.asking.predictions import Predictions
from transa.classification.classifies import Classifies
from transa.datasets.sources import load_graph
from transa.errors import NotFittedError
from transa.graph import Graph
from transa.graph.converting import label_rows
from transa.graph.files import path_of
from transa.margins import Adaptive, Margin
from transa.margins.adaptive import adaptive_margins, translation_of
from transa.margins.spheres import DIRECTIONS, Spheres, spheres_of
from transa.models import Norm, Parameters, TransEEnergy, Translation
from transa.models.scoring import energies
from transa.ranking import LinkPrediction, Ties, evaluate
from transa.ranking.ranks import Progress
from transa.settings.config import Settings, make_settings, suited
from transa.settings.recipe import Recipe
from transa.storage import folder as store
from transa.storage.export import Format, export_vectors
from transa.training.loop import EpochReport, train

# Draws of the reading `active` for margins that are looked at, so that they say little of chance.
_DRAWN_TO_SHOW = 100


class Estimator(Classifies):
    """A model by its name. Known triples are those of any split of the graph.

    Args:
        model: one that `transa models` lists, or one of your own (see `transa.models.register`).
        **options: the model's hyper-parameters and the settings of `transa.Recipe`.

    Attributes:
        settings: the hyper-parameters, as one frozen value, as asked for.

    Example:
        >>> import transa
        >>> model = transa.Estimator("distmult", dim=8, epochs=2, threads=1).fit("countries")
        >>> len(model.predict_tails("France", "borders", k=3))
        3
    """

    def __init__(self, model: str, **options: object) -> None:
        # As they were given: what scikit-learn clones by.
        self._given = {"model": model, **options}
        asked = {n: v for n, v in options.items() if not (n == "dim" and v is None)}
        self._dim_is_given = "dim" in asked
        self.settings = make_settings(model, **asked)
        self._learnt: store.SavedModel | None = None

    def __repr__(self) -> str:
        """The call that makes an equal estimator; settings at their defaults go without saying."""
        settings = self.settings
        defaults, of_energy = make_settings(settings.model).by_name, vars(settings.energy)
        said = [
            f"{name}={value!r}"
            for name, value in settings.by_name.items()
            if (self._dim_is_given if name == "dim" else name in of_energy)
            or (name not in of_energy and value != defaults[name])
        ]
        by_name = [] if type(self) in ESTIMATORS.values() else [repr(settings.model)]
        return f"{type(self).__name__}({', '.join(by_name + said)})"

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002 (scikit-learn's)
        """What the constructor takes and has: as it was given, else the default."""
        every: dict[str, object] = {"model": self.settings.model, **self.settings.by_name}
        params = {**every, "dim": None, **self._given}
        if type(self) in ESTIMATORS.values():
            del params["model"]
        return params

    def set_params(self, **params: object) -> Self:
        """Change settings, for the next `fit`; those not named stay as they were given."""
        made = Estimator(**{**self._given, **params})  # type: ignore[arg-type]
        self._given, self._dim_is_given = made._given, made._dim_is_given
        self.settings = made.settings
        return self

    def fit(
        self,
        graph: Graph | str | Path,
        *,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        log: str | Path | None = None,
        report: Callable[[EpochReport], None] | None = None,
    ) -> Self:
        """Learn from a graph's training triples; its validation triples decide when to stop.

        Args:
            graph: a graph, the name of a data set, or a path (see `transa.load_graph`); a single
                file of triples is split by the seed of the recipe.
            checkpoint: a file to keep the state of training in.
            resume: go on from the checkpoint.
            log: a file that gets one JSON line an epoch.
            report: called once an epoch.

        Raises:
            KeyboardInterrupt: after Ctrl-C, which ends the run cleanly; what was learnt is kept.
        """
        graph = load_graph(graph, seed=self.settings.recipe.seed)
        settings = self.settings
        if not self._dim_is_given:
            settings = suited(settings, graph.n_entities, len(graph.train))
        trained = train(
            settings.energy,
            settings.recipe,
            graph,
            checkpoint=None if checkpoint is None else path_of(checkpoint),
            resume=resume,
            log=None if log is None else path_of(log),
            report=report,
        )
        self._learnt = store.SavedModel(settings, graph, trained)
        if trained.stopped == "interrupted":
            raise KeyboardInterrupt
        return self

    @property
    def learnt_(self) -> store.SavedModel:
        """Everything that was learnt, as the model folder keeps it."""
        if self._learnt is None:
            name = type(self).__name__
            raise NotFittedError(f"this {name} has not learnt yet: call fit(graph) first")
        return self._learnt

    @property
    def settings_(self) -> Settings:
        """The settings that were learnt with: `fit` chooses `dim` where it was not given."""
        return self.learnt_.settings

    @property
    def graph_(self) -> Graph:
        """The graph that was learnt from."""
        return self.learnt_.graph

    @property
    def parameters_(self) -> Parameters:
        """The tables of vectors, by name."""
        return self.learnt_.trained.parameters

    @property
    def history_(self) -> tuple[EpochReport, ...]:
        """One report an epoch."""
        return self.learnt_.trained.history

    def predict_tails(
        self, head: str, relation: str, k: int = 10, *, known: bool = False
    ) -> Predictions:
        """The k most plausible tails of (head, relation, ?), best first.

        The head itself is no answer, unless the graph has such a loop of this relation.

        Args:
            head: label or name.
            relation: label or name.
            k: how many.
            known: keep triples that the graph has, marked with their split; else they are left out.
        """
        h, r = self.graph_.entities.id(head), self.graph_.relations.id(relation)
        return self._ask((h, r, None), k, known)

    def predict_heads(
        self, relation: str, tail: str, k: int = 10, *, known: bool = False
    ) -> Predictions:
        """The k most plausible heads of (?, relation, tail), best first; see `predict_tails`."""
        r, t = self.graph_.relations.id(relation), self.graph_.entities.id(tail)
        return self._ask((None, r, t), k, known)

    def predict_relations(
        self, head: str, tail: str, k: int = 10, *, known: bool = False
    ) -> Predictions:
        """The k most plausible relations of (head, ?, tail), best first; see `predict_tails`."""
        h, t = self.graph_.entities.id(head), self.graph_.entities.id(tail)
        return self._ask((h, None, t), k, known)

    def score(self, triples: Iterable[tuple[str, str, str]]) -> NDArray[np.float32]:
        """The plausibility of triples of labels: minus the energy, so higher is more plausible."""
        rows = label_rows(triples, "triples")
        heads, relations, tails = zip(*rows, strict=True) if rows else ((), (), ())
        entities, parameters = self.graph_.entities, self.parameters_
        h, r, t = entities.ids(heads), self.graph_.relations.ids(relations), entities.ids(tails)
        return -energies(self.settings_.energy, parameters, h, r, t)

    def similar(self, entity: str, k: int = 10) -> Predictions:
        """The k entities whose vectors are nearest, in the norm of the model."""
        index = self.graph_.entities.id(entity)
        vectors = self.parameters_["entity"]
        return similar_entities(vectors, self._norm, self.graph_.entities, index, k)

    def evaluate(
        self,
        split: str = "test",
        *,
        ties: Ties = "realistic",
        threads: int = 0,
        progress: Progress | None = None,
    ) -> LinkPrediction:
        """Rank a split's triples among all entities, both sides; see `transa.evaluate`."""
        return evaluate(
            self.settings_.energy,
            self.parameters_,
            self.graph_,
            split,
            ties=ties,
            threads=threads,
            progress=progress,
        )

    def margins(self, margin: Adaptive | None = None) -> pl.DataFrame:
        """The margin of every training triple, from the vectors learnt.

        The reading `active` draws a hundred entities at least, where training draws two for every
        epoch, so that chance plays little part.

        Args:
            margin: how to read the definitions; by default as in training, or as TransA does where
                the margin was a fixed one.

        Returns:
            A frame with head, relation and tail (labels), `head_anchored` (the margin when the tail
            is corrupted) and `tail_anchored` (when the head is).
        """
        margin = margin or self.adaptive
        norm = translation_of(self.settings_.energy).norm
        graph, parameters = self.graph_, self.parameters_
        at_head, at_tail = adaptive_margins(
            graph.train,
            parameters["entity"],
            parameters["relation"],
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

    def spheres(self, entity: str) -> tuple[Spheres, Spheres]:
        """The spheres round an entity, relation by relation: as a head, and as a tail."""
        anchor = self.graph_.entities.id(entity)
        triples, vectors = self.graph_.train, self.parameters_
        norm = translation_of(self.settings_.energy).norm
        outgoing, incoming = (
            spheres_of(anchor, triples, vectors["entity"], vectors["relation"], norm, way)
            for way in DIRECTIONS
        )
        return outgoing, incoming

    def export(self, path: str | Path, to: Format = "tsv", table: str = "entity") -> None:
        """Write vectors for other programs; see `transa.storage.export.export_vectors`."""
        export_vectors(self.learnt_, path_of(path), to, table)

    def save(self, folder: str | Path) -> None:
        """Write the model folder, whole or not at all; `transa.load` reads it back."""
        store.save(path_of(folder), self.learnt_)

    @property
    def adaptive(self) -> Adaptive:
        """The adaptive margin of the recipe, or the default one where it has a fixed margin."""
        margin = self.settings.recipe.margin
        return margin if isinstance(margin, Adaptive) else Adaptive()

    @property
    def _norm(self) -> Norm:
        """The norm that distances between entities are measured in."""
        energy = self.settings_.energy
        return energy.norm if isinstance(energy, Translation) else "l2"

    def _ask(self, question: Question, k: int, known: bool) -> Predictions:
        return answers(self.settings_.energy, self.parameters_, self.graph_, question, k, known)


P = ParamSpec("P")


def _keywords(
    model: str, declared: Callable[P, object]
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Gives a model's constructor the keywords of a dataclass, for editors, mypy and `help`."""
    defaults = {**make_settings(model).by_name, "dim": None}
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
        dim: length of the vectors; None: what suits the size of the graph, 50 or 200.
        norm: of the energy: 'l1', 'l2' or 'l2sq'.
        **options: see `transa.Recipe`; `margin` is a `transa.Adaptive`.

    Example:
        >>> import transa
        >>> model = transa.TransA(dim=30, epochs=20, threads=1).fit("countries")
        >>> len(model.predict_tails("France", "borders", k=3))
        3
    """

    @_keywords("transa", _Keywords)
    def __init__(self, **options: object) -> None:
        super().__init__("transa", **options)


class TransE(Estimator):
    """A relation moves its heads to its tails, with one margin for all (Bordes et al. 2013).

    Args:
        dim: length of the vectors; None: what suits the size of the graph, 50 or 200.
        norm: of the energy: 'l1', 'l2' or 'l2sq'.
        **options: see `transa.Recipe`; `margin` is a number, 1 by default.

    Example:
        >>> import transa
        >>> transa.TransE(dim=30, margin=2.0)
        TransE(dim=30, norm='l1', margin=Fixed(value=2.0))
    """

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


def load(folder: str | Path) -> Estimator:
    """The estimator that `save` or `transa train` put into a model folder.

    Example:
        >>> import tempfile, transa
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     transa.TransE(dim=8, epochs=1, threads=1).fit("countries").save(folder)
        ...     transa.load(folder).graph_.name
        'countries'
    """
    learnt = store.load(path_of(folder))
    estimator = estimator_of(learnt.settings)
    estimator._learnt = learnt
    return estimator
