"""The options of `transa train`. None means: as the recipe or the reader has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo


class WithDefaults(TyperCommand):
    """Shows in --help the defaults that live in the recipe, which is heavy to import."""

    # Any, since the two classes live elsewhere from one version of Typer to the next.
    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Fill the defaults in, then as always."""
        from transa.settings.config import make_settings, to_plain

        defaults = to_plain(make_settings())
        defaults |= {**defaults.pop("margin"), "dim": "50 or 200"}
        for parameter in self.params:
            default = defaults.get(str(parameter.name))
            if default is not None:
                parameter.show_default = str(default)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


def _in(panel: str) -> Callable[..., OptionInfo]:
    def option(help_: str, metavar: str | None = None) -> OptionInfo:
        made: OptionInfo = typer.Option(help=help_, metavar=metavar, rich_help_panel=panel)
        return made

    return option


_graph, _model, _learning = _in("The graph"), _in("The model"), _in("Learning")
_run = _in("The run")

Source = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A data set by name, a file of triples, or a folder of train, valid and test.",
        show_default=False,
    ),
]
Valid = Annotated[Path | None, _graph("Validation triples, if in a file of their own.", "FILE")]
Test = Annotated[Path | None, _graph("Test triples, if in a file of their own.", "FILE")]
Format = Annotated[str | None, _graph("What the files are.", "delimited|parquet|ntriples|turtle")]
Delimiter = Annotated[str | None, _graph("Between columns.", "tab|comma|space|CHARACTER")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns.",
        rich_help_panel="The graph",
    ),
]
Quote = Annotated[
    bool | None,
    typer.Option(
        "--quote/--no-quote",
        help="Whether labels may be in double quotes; with tabs they may not unless said.",
        rich_help_panel="The graph",
    ),
]
Literals = Annotated[str | None, _graph("RDF triples that end in a literal.", "keep|drop")]
Columns = Annotated[
    str | None, _graph("Where head, relation and tail are, by name or from 0.", "H,R,T")
]
Split = Annotated[
    str | None, _graph("Shares of train, valid and test, for a single file.", "0.8,0.1,0.1")
]
Duplicates = Annotated[str | None, _graph("Copies of a triple.", "keep|drop")]
Unseen = Annotated[
    str | None, _graph("Labels of valid and test that train has not.", "error|drop|keep")
]

Model = Annotated[str | None, _model("TransA, or another that `transa models` lists.", "NAME")]
Dim = Annotated[int | None, _model("Length of the vectors; TransA's suits the graph's size.")]
Norm = Annotated[str | None, _model("Norm of a translation's energy.", "l1|l2|l2sq")]
Own = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="An option of the model's own, as `transa models` lists them; can be repeated.",
        metavar="NAME=VALUE",
        rich_help_panel="The model",
    ),
]
Margin = Annotated[
    str | None, _model("Of other models: 1, or 0 for those by similarity.", "adaptive|NUMBER")
]
Mu = Annotated[float | None, _model("Adaptive: weight of the entity's margin, 0 to 1.")]
MuHalvedAfter = Annotated[
    float | None, _model("Adaptive: epochs after which mu has fallen to a half; 0: it stays.")
]
Reading = Annotated[
    str | None, _model("Adaptive: how its definition is read.", "pairs|spheres|active")
]
Local = Annotated[float | None, _model("Adaptive: 1 keeps each margin, 0 takes the mean of all.")]
HalvedAt = Annotated[
    float | None, _model("Adaptive: other answers that halve a triple's margin; 0: never.")
]

Epochs = Annotated[int | None, _learning("Passes over the training triples, at most.")]
Loss = Annotated[str | None, _learning("What is made small.", "hinge|softplus|logistic|softmax")]
Gamma = Annotated[
    float | None, _learning("Logistic: radius of the outer sphere; measured unless given.")
]
Optimiser = Annotated[str | None, _learning("How it is made small.", "sgd|adagrad|adam|als")]
Lr = Annotated[float | None, _learning("Learning rate.")]
Negatives = Annotated[int | None, _learning("Corruptions drawn for each triple.")]
Adversarial = Annotated[float | None, _learning("Temperature of their weights; 0 is all alike.")]
Sampling = Annotated[str | None, _learning("Which side is corrupted.", "uniform|bernoulli")]
TailShare = Annotated[float | None, _learning("Uniform: how often it is the tail.")]
SamePosition = Annotated[
    float | None, _learning("Share drawn from entities seen in that place of the relation.")
]
Constraint = Annotated[str | None, _learning("Where entities are kept.", "sphere|ball|none")]
Dropout = Annotated[float | None, _learning("Share of an anchor's numbers a step does without.")]
Average = Annotated[
    bool | None,
    typer.Option(
        "--average/--no-average",
        help="Keep the running mean of the vectors.",
        rich_help_panel="Learning",
    ),
]
ValidateEvery = Annotated[int | None, _learning("Epochs between validations; 0 is never.")]
Patience = Annotated[int | None, _learning("Validations without gain before it stops; 0 is never.")]
StopOn = Annotated[str | None, _learning("The metric that decides.", "mrr|mr|accuracy")]

Out = Annotated[Path | None, _run("The model folder, made anew; else runs/GRAPH-MODEL.", "DIR")]
Config = Annotated[
    Path | None, _run("Settings in YAML or JSON; options given here win over it.", "FILE")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with a stopped run.", rich_help_panel="The run")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", help="Say nothing but errors.", rich_help_panel="The run")
]
Seed = Annotated[int | None, _run("Of everything random.")]
Threads = Annotated[int | None, _run("0 is all cores; 1 gives the same bits every time.")]
Engine = Annotated[str | None, _run("How steps are executed.", "auto|fused|autograd")]
Batch = Annotated[int | None, _run("Triples a step of the autograd engine.")]
Device = Annotated[str | None, _run("Where the autograd engine runs.", "cpu|cuda|...")]
