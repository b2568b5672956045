"""`transa predict`: the missing part of a triple."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from transa.cli.output import print_json, results, say
from transa.cli.parameters import Count, Folder, Json, option
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.asking.predictions import Predictions
    from transa.estimator import Estimator


def predict(
    folder: Folder,
    head: Annotated[str | None, option("An entity, by label or name.")] = None,
    relation: Annotated[str | None, option("A relation, by label or name.")] = None,
    tail: Annotated[str | None, option("An entity, by label or name.")] = None,
    k: Count = 10,
    known: Annotated[
        bool, option("Keep triples that the graph has already, marked.", name="--known")
    ] = False,
    json: Json = False,
) -> None:
    """Predict tails, heads or relations: give two of the three.

    Triples that the graph has already are left out, and so is the entity asked about, unless the
    graph has such loops.
    """
    given = sum(part is not None for part in (head, relation, tail))
    if given != 2:
        raise ConfigError(
            f"give two of --head, --relation and --tail, not {given}, to predict the third"
        )
    import transa

    found = _ask(transa.load(folder), head, relation, tail, k, known)
    if json:
        print_json({"question": found.question, "predictions": found.to_dicts()})
    elif len(found) == 0:
        say("the graph has every answer there is already; --known shows them")
    else:
        results().print(found)


def _ask(
    model: Estimator, head: str | None, relation: str | None, tail: str | None, k: int, known: bool
) -> Predictions:
    if head is not None and relation is not None:
        return model.predict_tails(head, relation, k, known=known)
    if relation is not None and tail is not None:
        return model.predict_heads(relation, tail, k, known=known)
    assert head is not None and tail is not None  # noqa: S101, PT018 - two were given
    return model.predict_relations(head, tail, k, known=known)
