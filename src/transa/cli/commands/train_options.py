"""The options of `transa train`: those of the run are here, all others are declared elsewhere.

A setting's option is made of its declaration. What was not given is None, and leaves the default
where it lives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from inspect import Parameter, Signature, unwrap
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from transa.cli.parameters import Json, argument, in_panel
from transa.cli.triple_files import OF_A_GRAPH

_model, _run = partial(in_panel, "The model"), partial(in_panel, "The run")

_FIRST: Mapping[str, Any] = {
    **OF_A_GRAPH,
    "model": Annotated[str | None, _model("TransE, or another of `transa models`.", "NAME")],
    "own": Annotated[
        list[str] | None,
        _model(
            "A setting of the model's own, as `transa models` lists them; can be repeated.",
            "NAME=VALUE",
            "--set",
        ),
    ],
}
_LAST: Mapping[str, Any] = {
    "memory": Annotated[
        str | None, _run("Train in partitions that leave it at so much memory.", "4GB")
    ],
    "partitions": Annotated[
        int | None, _run("Train in so many partitions, half of them in memory.", "INTEGER")
    ],
    "out": Annotated[Path | None, _run("Folder, made anew; else runs/GRAPH-MODEL.", "DIR")],
    "config": Annotated[
        Path | None, _run("Settings in YAML or JSON; options given here win over it.", "FILE")
    ],
    "track": Annotated[
        list[str] | None,
        _run(
            "Also record the run elsewhere; can be repeated.",
            "tensorboard[=DIR]|mlflow[=URI]|wandb[=PROJECT]",
        ),
    ],
    "resume": Annotated[bool | None, _run("Go on with a stopped run.", name="--resume")],
    "overwrite": Annotated[
        bool | None, _run("Replace a finished model that is in the folder.", name="--overwrite")
    ],
    "quiet": Annotated[bool | None, _run("Say nothing but errors.", name="--quiet")],
    "json": Json,
}
_SOURCE = Annotated[
    str,
    argument(
        "A data set by name, a file of triples or a data base, a folder of train, valid and test "
        "or of Neo4j's export, sparql+https://... (see docs/sources.md), or a folder that `transa "
        "prepare` wrote.",
        "GRAPH",
    ),
]


class WithSettings(TyperCommand):
    """Learns of its options when it is used: what declares them is heavy to import."""

    # Any, since the classes live elsewhere from one version of Typer to the next.
    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401
        """The options, with the defaults of TransE."""
        if not self.params:
            self._complete()
        return super().get_params(ctx)

    def _complete(self) -> None:
        function: Any = unwrap(self.callback)  # type: ignore[arg-type]

        def complete(**given: object) -> None:
            function(given=given)

        options = {**_FIRST, **dict(_of_settings()), **_LAST}
        named = Parameter.KEYWORD_ONLY
        complete.__signature__ = Signature(  # type: ignore[attr-defined]
            [Parameter("source", named, annotation=_SOURCE)]
            + [Parameter(name, named, annotation=o, default=None) for name, o in options.items()]
        )
        app = typer.Typer(add_completion=False)
        app.command()(complete)
        made = typer.main.get_command(app)
        self.params, self.callback = made.params, made.callback


def _of_settings() -> Iterator[tuple[str, Any]]:
    from transa.margins import Adaptive
    from transa.settings.by_size import defaults_shown
    from transa.settings.table import common_settings

    defaults = {**vars(Adaptive()), **defaults_shown()}
    for name, declared in common_settings().items():
        dashed = name.replace("_", "-")
        flag = bool in declared.types
        shown = defaults[name] is not None
        legal = None if flag else declared.legal
        names = f"--{dashed}/--no-{dashed}" if flag else f"--{dashed}"
        option = in_panel(declared.panel, declared.line, legal, names)
        option.show_default = str(defaults[name]) if shown else False
        yield name, Annotated[(bool if flag else str) | None, option]
