"""`transa classify`: is this triple true?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from transa.cli import triples as t
from transa.cli.output import notes, print_json, results
from transa.cli.parameters import Folder, Json
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.estimator import Estimator


def classify(
    folder: Folder,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="Triples to judge; else those of a split.", show_default=False
        ),
    ] = None,
    split: Annotated[
        str, typer.Option(metavar="valid|test", help="Which triples, if no file is given.")
    ] = "test",
    thresholds: Annotated[
        str | None,
        typer.Option(
            metavar="relation|local|names",
            help="One a relation, or moved by a triple's entities, or by their names too.",
        ),
    ] = None,
    unseen: Annotated[
        str | None,
        typer.Option(
            metavar="none|words|facts|words+facts",
            help="Estimate the vectors of entities that training never had.",
        ),
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(metavar="platt|isotonic", help="How probabilities are fitted.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of false triples that are made, where a graph comes without.")
    ] = 0,
    figure: Annotated[
        Path | None, typer.Option(help="Draw how reliable the probabilities are: a .png file.")
    ] = None,
    save: Annotated[
        bool, typer.Option("--save", help="Keep the thresholds in the model folder.")
    ] = False,
    format: t.Format = None,  # noqa: A002 (the option is called so)
    delimiter: t.Delimiter = None,
    header: t.Header = None,
    columns: t.Columns = None,
    json: Json = False,
) -> None:
    """Tell true triples from false ones: your own, or a split's, with how often that is right.

    Thresholds are fitted on the validation split, one a relation, unless the folder has some.
    """
    if file is not None and figure is not None:
        raise ConfigError("a figure shows a split, whose labels are known: give no file with it")
    import transa

    # Before the model, which takes longer.
    rows = None if file is None else t.read_triples(file, format, delimiter, header, columns)
    model = transa.load(folder)
    _fit(model, seed, thresholds=thresholds, unseen=unseen, calibration=calibration)
    if save:
        model.save(folder)
    if rows is None:
        _test(model, split, seed, figure, json)
        return
    found = model.classify(rows)
    if json:
        print_json({"verdicts": found.to_dicts()})
    else:
        results().print(found)


def _fit(model: Estimator, seed: int, **options: str | None) -> None:
    """Fit the thresholds, unless the model has some and nothing else is asked for."""
    kept = model.learnt_.classifier
    asked: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if kept is not None and asked.items() <= kept.options.items():
        return
    model.fit_thresholds(**asked, seed=seed)


def _test(model: Estimator, split: str, seed: int, figure: Path | None, json: bool) -> None:
    found = model.evaluate_classification(split, seed=seed)
    if figure is not None:
        from transa.figures import draw_reliability

        draw_reliability(figure, found)
    if json:
        print_json(found.to_dict())
    else:
        results().print(found)
    if figure is not None:
        notes().print(f"figure: {figure}", markup=False)
