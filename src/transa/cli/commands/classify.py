"""`transa classify`: is this triple true?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from transa.cli import triple_files as t
from transa.cli.output import print_json, results, say
from transa.cli.parameters import Folder, Json, argument, option
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.estimator import Estimator


def classify(
    folder: Folder,
    file: Annotated[
        Path | None, argument("Triples to judge; else those of a split.", "[FILE]")
    ] = None,
    split: Annotated[
        str | None, option("Which triples, if no file is given; else test.", "valid|test")
    ] = None,
    thresholds: Annotated[
        str | None,
        option(
            "One a relation, or moved by a triple's entities, or by their names too.",
            "relation|local|names",
        ),
    ] = None,
    unseen: Annotated[
        str | None,
        option(
            "Estimate the vectors of entities that training never had.",
            "none|words|facts|words+facts",
        ),
    ] = None,
    calibration: Annotated[
        str | None, option("How probabilities are fitted.", "platt|isotonic")
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "Of false triples that are made, where a graph has none; saved thresholds are "
            "fitted anew only with --save."
        ),
    ] = None,
    figure: Annotated[
        Path | None, option("Draw how reliable the probabilities are: a .png file.")
    ] = None,
    save: Annotated[
        bool, option("Keep the thresholds in the model folder.", name="--save")
    ] = False,
    format: t.Format = None,  # noqa: A002 (the option is called so)
    delimiter: t.Delimiter = None,
    header: t.Header = None,
    columns: t.Columns = None,
    quote: t.Quote = None,
    json: Json = False,
) -> None:
    """Tell true triples from false ones: your own, or a split's, with how often that is right.

    Thresholds are fitted on the validation split, one a relation, unless the folder has some.
    """
    if file is not None and figure is not None:
        raise ConfigError("a figure shows a split, whose labels are known: give no file with it")
    if file is not None and split is not None:
        raise ConfigError("either a file is judged or a split: give one of them")
    import transa

    # Before the model, which takes longer.
    rows = None if file is None else t.read_triples(file, format, delimiter, header, columns, quote)
    model = transa.load(folder)
    options = {"thresholds": thresholds, "unseen": unseen, "calibration": calibration}
    _fit(model, seed or 0, options, anew=save and seed is not None)
    if save:
        model.save(folder)
        say(f"thresholds: kept in {folder}")
    if rows is None:
        _test(model, split or "test", seed or 0, figure, json)
        return
    found = model.classify(rows)
    if json:
        print_json({"verdicts": found.to_dicts()})
    else:
        results().print(found)


def _fit(model: Estimator, seed: int, options: dict[str, str | None], *, anew: bool) -> None:
    """Fit the thresholds, unless the model has some and nothing else is asked for."""
    kept = model.learnt_.classifier
    asked: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if kept is not None and not anew and asked.items() <= kept.options.items():
        return
    model.fit_thresholds(**asked, seed=seed)


def _test(model: Estimator, split: str, seed: int, figure: Path | None, json: bool) -> None:
    found = model.evaluate_classification(split, seed=seed)
    if figure is not None:
        from transa.figures.spheres import draw_reliability

        draw_reliability(figure, found)
    if json:
        print_json(found.to_dict())
    else:
        results().print(found)
    if figure is not None:
        say(f"figure: {figure}")
