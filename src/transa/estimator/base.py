"""The estimators: hyper-parameters in, `fit`, then questions by name.

In scikit-learn's manners: a constructor takes hyper-parameters and nothing else, `fit` returns the
estimator, and what was learnt has names that end in an underscore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from transa.errors import NotFittedError, checked_seed
from transa.estimator.answering import rows_of
from transa.estimator.exploring import Explorer
from transa.estimator.scikit import Rows, refuse_truth
from transa.estimator.sharing import Sharing
from transa.estimator.updating import Updating
from transa.files.paths import path_of
from transa.graph import Graph
from transa.margins import READINGS, Adaptive
from transa.models import FittedModel, Tables
from transa.prepared.graph import PreparedGraph
from transa.settings.by_size import left_to_the_graph, settings_for
from transa.settings.config import Settings
from transa.storage import folder as store
from transa.storage.record import EpochReport

if TYPE_CHECKING:
    # To ask a model takes neither kernels nor training.
    import polars as pl

    from transa.classification.classifier import Classifier, ThresholdKind, UnseenEntities
    from transa.classification.judge import Judge
    from transa.classification.result import TripleClassification
    from transa.classification.thresholds.calibration import Method
    from transa.classification.verdicts import Verdicts
    from transa.graph.candidates import Protocol
    from transa.graph.readers.table import Table
    from transa.margins.spheres import Spheres
    from transa.ranking import LinkPrediction, Ties
    from transa.ranking.ranks import Progress
    from transa.storage.export import Format
    from transa.training.callbacks import Callback, EachEpoch


class Estimator(Explorer, Sharing, Updating):
    """A model by its name. Known triples are those of any split of the graph.

    Args:
        model: one that `transa models` lists, or one of your own (see `transa.models.register`).
        **options: the model's hyper-parameters and the settings of `transa.Recipe`.

    Attributes:
        settings: the hyper-parameters, as one frozen value, as asked for; what is left to the graph
            is shown as for a typical one.

    Example:
        >>> import transa
        >>> model = transa.Estimator("distmult", dim=8, epochs=2, threads=1).fit("countries")
        >>> len(model.predict_tails("France", "borders", k=3))
        3
    """

    # Whether the class itself tells the model.
    _is_of_one_model: ClassVar[bool] = False

    def __init__(self, model: str, **options: object) -> None:
        # As they were given: what scikit-learn clones by.
        self._given = {"model": model, **options}
        left = left_to_the_graph(model)
        self._asked = {n: v for n, v in options.items() if not (n in left and v is None)}
        self.settings = settings_for(model, self._asked).settings
        self._learnt: store.SavedModel | None = None

    def __repr__(self) -> str:
        """The call that makes an equal estimator; settings at their defaults go without saying."""
        settings, asked = self.settings, self._asked
        changed = self._changed()
        always = {field.name: not field.kw_only for field in fields(settings.energy)}
        left = left_to_the_graph(settings.model)
        always |= {name: name in asked for name in always if name in left}
        said = [
            f"{name}={value!r}"
            for name, value in settings.by_name.items()
            if always.get(name, name in changed)
        ]
        by_name = [] if self._is_of_one_model else [repr(settings.model)]
        return f"{type(self).__name__}({', '.join(by_name + said)})"

    def _changed(self) -> frozenset[str]:
        """The settings that were asked for and are not the defaults."""
        settings = self.settings
        defaults = settings_for(settings.model, {"loss": settings.recipe.loss}).settings.by_name
        defaults |= {"loss": settings_for(settings.model, {}).settings.recipe.loss}
        values = settings.by_name
        return frozenset(name for name in self._asked if values[name] != defaults[name])

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002 (scikit-learn's)
        """What the constructor takes and has: as it was given, else the default.

        None where the graph decides.
        """
        every: dict[str, object] = {"model": self.settings.model, **self.settings.by_name}
        left = dict.fromkeys(left_to_the_graph(self.settings.model))
        params = {**every, **left, **self._given}
        if self._is_of_one_model:
            del params["model"]
        return params

    def set_params(self, **params: object) -> Self:
        """Change settings, for the next `fit`; those not named stay as they were given."""
        made = Estimator(**{**self._given, **params})  # type: ignore[arg-type]
        self._given, self._asked, self.settings = made._given, made._asked, made.settings
        return self

    def fit(
        self,
        graph: Graph | str | Path | Rows,
        y: object = None,
        *,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        log: str | Path | None = None,
        report: Callable[[EpochReport], None] | None = None,
        callbacks: Sequence[Callback | EachEpoch] = (),
        progress: bool | None = None,
        memory: int | None = None,
        at_hand: int | None = None,
    ) -> Self:
        """Learn from a graph's training triples; its validation triples decide when to stop.

        Args:
            graph: a graph, the name of a data set, or a path (see `transa.load_graph`); a single
                file of triples is split by the seed of the recipe. Triples of labels, in a list,
                an array or a frame, are all learnt from, as scikit-learn hands them on. The folder
                of a prepared graph is trained in partitions, which stay on disk where they do not
                fit into memory.
            y: none: all triples are true.
            checkpoint: a file to keep the state of training in; of a prepared graph, a folder.
            resume: go on from the checkpoint.
            log: a file that gets one JSON line an epoch.
            report: called once an epoch.
            callbacks: functions of the run and an epoch's report, or each a `transa.Callback`, such
                as the trackers of `transa.tracking`. They may stop the run, change its rate, write
                a checkpoint; one that fails is left out, with a warning.
            progress: show how far the run is: a bar in a notebook, else lines on stderr. Unless
                said, it is shown in notebooks alone.
            memory: bytes that training in partitions may take; what is free, unless given.
            at_hand: partitions in memory at a time; as many as fit, unless given.

        Raises:
            KeyboardInterrupt: after Ctrl-C, which ends the run cleanly; what was learnt is kept.
        """
        from transa.estimator.beforehand import refuse_in_advance, warn_of_unused
        from transa.estimator.fitting import chosen_for, opened, trained_on
        from transa.tracking.progress import progress_for, watched

        refuse_in_advance(self.settings)
        refuse_truth(y)
        graph = opened(graph, self.settings.recipe.seed)
        settings = chosen_for(graph, self.settings.model, self._asked).settings
        warn_of_unused(settings, self._changed(), graph)
        with watched(progress_for(settings.recipe, progress)) as shown:
            trained = trained_on(
                settings,
                graph,
                None if checkpoint is None else path_of(checkpoint),
                (memory, at_hand),
                resume=resume,
                log=None if log is None else path_of(log),
                reports=[each for each in (report, shown) if each is not None],
                callbacks=callbacks,
            )
        model = FittedModel(settings.energy, trained.parameters, graph)
        self._learnt = store.SavedModel(settings, model, trained.record)
        if trained.stopped == "interrupted":
            raise KeyboardInterrupt
        # Of a graph on disk they would ask for all its triples at once.
        return self if isinstance(graph, PreparedGraph) else self.fit_probabilities()

    @property
    def learnt_(self) -> store.SavedModel:
        """Everything that was learnt, as the model folder keeps it."""
        if self._learnt is None:
            name = type(self).__name__
            raise NotFittedError(f"this {name} has not learnt yet: call fit(graph) first")
        return self._learnt

    @property
    def settings_(self) -> Settings:
        """The settings that were learnt with: `fit` chooses by the graph what was not given."""
        return self.learnt_.settings

    @property
    def parameters_(self) -> Tables:
        """The tables of vectors, by name; read-only."""
        return self.model_.tables

    @property
    def history_(self) -> tuple[EpochReport, ...]:
        """One report an epoch."""
        return self.learnt_.training.history

    @property
    def classifier_(self) -> Classifier:
        """The thresholds and probabilities that were fitted."""
        if self.learnt_.classifier is None:
            raise NotFittedError("this model has no thresholds yet: call fit_thresholds() first")
        return self.learnt_.classifier

    def evaluate(
        self,
        split: str = "test",
        *,
        triples: Table | Iterable[tuple[str, str, str]] | None = None,
        protocol: Protocol = "published",
        ties: Ties = "realistic",
        threads: int = 0,
        progress: Progress | None = None,
    ) -> LinkPrediction:
        """Rank a split's triples among all entities, both sides; see `transa.evaluate`.

        Args:
            split: 'train', 'valid' or 'test'.
            triples: rank these instead, of labels that the graph has; they count as known, too.
            protocol: 'published' or 'offered'; see `transa.graph.candidates`.
            ties: where a true entity stands among those of the same energy.
            threads: 0 means all cores.
            progress: told how far the ranking is.
        """
        from transa.graph.building.converting import label_table
        from transa.graph.building.known_labels import numbered
        from transa.graph.readers.table import Table
        from transa.ranking import evaluate

        own = None
        if triples is not None:
            table = triples if isinstance(triples, Table) else label_table(triples, "triples")
            own, split = numbered(table, self.graph_).ids.astype(np.int32), table.source
        return evaluate(
            self.model_,
            split,
            triples=own,
            protocol=protocol,
            ties=ties,
            threads=threads,
            progress=progress,
        )

    def fit_thresholds(
        self,
        valid: Iterable[tuple[str, str, str, bool]] | None = None,
        *,
        thresholds: ThresholdKind = "relation",
        unseen: UnseenEntities = "none",
        calibration: Method = "platt",
        seed: int = 0,
    ) -> Self:
        """Fit what `classify` needs: a threshold on the energy for each relation.

        Args:
            valid: labelled triples, (head, relation, tail, is it true); by default those of the
                graph's validation split, as published or with false ones made (`make_negatives`).
            thresholds: 'relation', one for each (Socher et al. 2013); 'local', which move with what
                training has of a triple's entities (`transa.classification.thresholds.local`); or
                'names', which also heed like names (`transa.classification.unseen.namesakes`).
            unseen: how entities without training triples are treated: 'none', 'words', 'facts' or
                'words+facts'; see `transa.classification.unseen.newcomers`.
            calibration: how probabilities are fitted: 'platt' or 'isotonic'.
            seed: of the false triples that are made.
        """
        from transa.classification import LabelledTriples, labelled_split

        if valid is None:
            labelled = labelled_split(self.graph_, "valid", seed)
        else:
            labelled = LabelledTriples.of(self.graph_, valid)
        classifier = self._judge.fit(
            labelled, thresholds=thresholds, unseen=unseen, calibration=calibration
        )
        self._learnt = replace(self.learnt_, classifier=classifier)
        return self

    def classify(self, triples: Iterable[tuple[str, str, str]]) -> Verdicts:
        """Whether triples of labels are true, with probability and reason; unknown labels too."""
        return self._judge.verdicts(self.classifier_, rows_of(triples))

    def evaluate_classification(
        self, split: str = "test", *, seed: int = 0
    ) -> TripleClassification:
        """Judge a split's true and false triples; the latter as published, or made with `seed`."""
        from transa.classification import labelled_split

        labelled = labelled_split(self.graph_, split, seed)
        return self._judge.test(self.classifier_, split, labelled, seed)

    def fold_in(self, triples: Iterable[tuple[str, str, str]], *, seed: int = 0) -> Self:
        """A model that also knows the new entities of true triples; this one stays as it is.

        Only the vectors of new entities are fitted, all else is shared, which takes seconds. The
        triples become training triples; those without a new entity are left out.
        """
        from transa.classification.unseen.adding import add_entities
        from transa.classification.unseen.fold_in import FoldIn

        how = FoldIn(constraint=self.settings_.recipe.constraint, seed=checked_seed(seed))
        grown = add_entities(self.model_, rows_of(triples), how)
        larger = copy(self)
        larger._learnt = replace(self.learnt_, model=grown, neighbours=None)
        return larger

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
        from transa.margins.fitted import margin_frame

        return margin_frame(self.model_, self.adaptive if margin is None else margin)

    def spheres(self, entity: str) -> tuple[Spheres, Spheres]:
        """The spheres round an entity, relation by relation: as a head, and as a tail."""
        from transa.margins.spheres import spheres_of

        anchor = self.graph_.entities.id(entity)
        return (
            spheres_of(self.model_, anchor, "outgoing"),
            spheres_of(self.model_, anchor, "incoming"),
        )

    def export(self, path: str | Path, to: Format = "tsv", table: str = "entity") -> None:
        """Write vectors for other programs; see `transa.storage.export.export_vectors`."""
        from transa.storage.export import export_vectors

        export_vectors(self.model_, path_of(path), to, table)

    def save(self, folder: str | Path, *, overwrite: bool = True) -> None:
        """Write the model folder, whole or not at all; `transa.load` reads it back.

        Args:
            folder: where to write it.
            overwrite: whether a finished model that is there is replaced or is an error.
        """
        store.save(path_of(folder), self.learnt_, overwrite=overwrite)

    @property
    def adaptive(self) -> Adaptive:
        """The adaptive margin of the recipe, or the default one where it has a fixed margin.

        To look at: in distances, whichever it was trained with.
        """
        margin = self.settings.recipe.margin
        if not isinstance(margin, Adaptive):
            return Adaptive()
        return margin if margin.reading in READINGS else replace(margin, reading="active")

    @property
    def _judge(self) -> Judge:
        from transa.classification.judge import Judge

        return Judge(self.model_, self.settings_.recipe.constraint)
