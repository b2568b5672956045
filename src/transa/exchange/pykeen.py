"""PyKEEN: its triples come in, a model goes out as what its evaluator and predictors take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from transa.errors import InputError
from transa.graph import Graph
from transa.graph.building.converting import from_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray


def from_pykeen(
    training: Any,  # noqa: ANN401 (whatever has a factory's attributes)
    validation: Any = None,  # noqa: ANN401
    testing: Any = None,  # noqa: ANN401
    *,
    split: Sequence[float] | None = None,
    seed: int = 0,
    name: str = "graph",
) -> Graph:
    """A graph of PyKEEN's triples factories, or of one of its data sets; ids stay as they are.

    Nothing of PyKEEN is imported: a factory is what has ``mapped_triples`` and may have
    ``entity_to_id`` and ``relation_to_id``.

    Args:
        training: a `TriplesFactory` or `CoreTriplesFactory`, or a data set of three.
        validation: the factory of the validation triples.
        testing: the factory of the test triples.
        split: the shares of train, valid and test if `training` is to be split.
        seed: what the split is drawn with.
        name: what the graph is called.

    Raises:
        InputError: if it is none of these, or the factories number their labels differently.
    """
    if hasattr(training, "training") and hasattr(training, "testing"):
        training, validation, testing = (
            training.training,
            getattr(training, "validation", None),
            training.testing,
        )
    given = {"training": training, "validation": validation, "testing": testing}
    factories = {part: each for part, each in given.items() if each is not None}
    for part, each in factories.items():
        if not hasattr(each, "mapped_triples"):
            raise InputError(
                f"{part}: expected a triples factory of PyKEEN, found a {type(each).__name__}"
            )
        for labels in ("entity_to_id", "relation_to_id"):
            if getattr(each, labels, None) != getattr(training, labels, None):
                raise InputError(
                    f"{part}: its {labels} is not that of training; make it with the same mapping"
                )
    return from_ids(
        *(None if each is None else _ids(each) for each in given.values()),  # type: ignore[arg-type]
        n_entities=_count(training, "num_entities"),
        n_relations=_count(training, "real_num_relations", "num_relations"),
        entities=_labels(getattr(training, "entity_to_id", None)),
        relations=_labels(getattr(training, "relation_to_id", None)),
        split=split,
        seed=seed,
        name=name,
    )


def _ids(factory: Any) -> NDArray[np.int64]:  # noqa: ANN401
    return np.asarray(factory.mapped_triples)


def _count(factory: Any, *names: str) -> int | None:  # noqa: ANN401
    counts = (getattr(factory, name, None) for name in names)
    return next((int(count) for count in counts if count is not None), None)


def _labels(ids: Mapping[str, int] | None) -> list[str] | None:
    if ids is None:
        return None
    ordered = sorted(ids.items(), key=lambda item: item[1])
    if [number for _, number in ordered] != [*range(len(ordered))]:
        raise InputError("the ids of a triples factory are not 0, 1, 2, ... without gaps")
    return [str(label) for label, _ in ordered]
