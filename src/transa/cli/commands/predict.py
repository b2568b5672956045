"""`transa predict`: the missing part of a triple, of one or of many."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from transa.cli import triple_files as t
from transa.cli.output import print_json, results, say
from transa.cli.parameters import Count, Folder, Json, in_panel, option
from transa.cli.progress import ranking_progress
from transa.errors import ConfigError, one_of

if TYPE_CHECKING:
    from transa.asking.bulk.tables import Bulk, Format
    from transa.asking.predictions import Predictions
    from transa.estimator import Estimator
    from transa.graph.building.known_labels import Unknown

_MANY = "Many questions"


def predict(
    folder: Folder,
    head: Annotated[str | None, option("An entity, by label or name.")] = None,
    relation: Annotated[str | None, option("A relation, by label or name.")] = None,
    tail: Annotated[str | None, option("An entity, by label or name.")] = None,
    k: Count = 10,
    known: Annotated[
        bool, option("Keep triples that the graph has already, marked.", name="--known")
    ] = False,
    file: Annotated[
        Path | None,
        in_panel(_MANY, "Triples with a gap each: an empty field, or a ?.", "QUESTIONS"),
    ] = None,
    out: Annotated[
        Path | None, in_panel(_MANY, "The file of answers; else they are printed.", "FILE")
    ] = None,
    to: Annotated[
        str | None, in_panel(_MANY, "Its format, else by its name.", "tsv|csv|parquet|jsonl|ttl|nt")
    ] = None,
    unknown: Annotated[
        str, in_panel(_MANY, "Questions with a label that the graph has not.", "error|drop")
    ] = "error",
    threads: Annotated[int, in_panel(_MANY, "0 is all cores.")] = 0,
    format: t.Format = None,  # noqa: A002 (the option is called so)
    delimiter: t.Delimiter = None,
    header: t.Header = None,
    columns: t.Columns = None,
    quote: t.Quote = None,
    json: Json = False,
) -> None:
    """Predict tails, heads or relations: give two of the three, or a file of questions.

    Triples that the graph has already are left out, and so is the entity asked about, unless the
    graph has such loops.
    """
    given = sum(part is not None for part in (head, relation, tail))
    if given != (2 if file is None else 0):
        raise ConfigError(
            f"give two of --head, --relation and --tail, not {given}, to predict the third; or "
            "none, and a --file of questions"
        )
    import transa

    if file is None:
        if out is not None or to is not None:
            raise ConfigError("--out and --to are for the answers to a --file of questions")
        _print(_ask(transa.load(folder), head, relation, tail, k, known), json)
        return
    form = _format(out, to, json)
    # Before the model, which takes longer.
    table = t.read_file(file, format, delimiter, header, columns, quote, gaps=True)
    bulk = transa.load(folder).bulk(
        table, k, known=known, unknown=cast("Unknown", unknown), threads=threads
    )
    dropped = len(table.frame) - len(bulk.questions)
    with ranking_progress(hidden=json, what="questions") as progress:
        answers = _write(bulk, out, form, progress)
    if json and out is not None:
        told = {"file": str(out), "format": form, "questions": len(bulk.questions)}
        print_json({**told, "answers": answers, "dropped": dropped})
    elif out is not None or dropped:
        left_out = f", {dropped:,} with unknown labels left out" if dropped else ""
        where = "" if out is None else f": {out}"
        say(f"{answers:,} answers to {len(bulk.questions):,} questions{left_out}{where}")


def _format(out: Path | None, to: str | None, json: bool) -> Format:
    from transa.asking.bulk.tables import FORMATS, format_of

    if to is None and out is not None:
        return format_of(out)
    to = to or ("jsonl" if json else "tsv")
    one_of("--to", to, FORMATS)
    if to == "parquet" and out is None:
        raise ConfigError("Parquet is no text to print: give the name of a file (--out)")
    return cast("Format", to)


def _write(bulk: Bulk, out: Path | None, form: Format, progress: Callable[[int, int], None]) -> int:
    from transa.asking.bulk.tables import write_answers, write_text

    if out is not None:
        return write_answers(bulk, out, form, progress)
    sys.stdout.flush()
    return write_text(bulk, sys.stdout.buffer, form, progress)


def _print(found: Predictions, json: bool) -> None:
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
