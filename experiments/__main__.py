"""The paper's experiments, from data to table.

python -m experiments table3
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from transa.cli.app import run
from transa.cli.output import notes, print_json, results, say
from transa.cli.parameters import Json

if TYPE_CHECKING:
    from experiments.running.scale import Scale
    from transa.storage.record import EpochReport

_HERE = Path(__file__).parent
_RECORDS, _QUICK_RECORDS = _HERE / "records", _HERE / "quick"
_NAMES = (
    "by-size|yardsticks|table1|table3|table4|theorem1|figure1|figure2|margins|margin-free|"
    "margin-listwise|margin-energies|ablations|report"
)


def reproduce(
    experiment: Annotated[
        str, typer.Argument(metavar=_NAMES, help="Which experiment; or the report on all.")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Rough figures in minutes, kept apart.")
    ] = False,
    seeds: Annotated[int, typer.Option(help="How many, for headline rows.")] = 3,
    graph: Annotated[
        list[str] | None, typer.Option(help="Run on this graph instead; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the records, else experiments/records; experiments/quick if quick."
        ),
    ] = None,
    docs: Annotated[Path, typer.Option(help="Folder that the report is written to.")] = (
        _HERE.parent / "docs"
    ),
    threads: Annotated[int, typer.Option(help="0 is all cores; 1 repeats to the bit.")] = 0,
    json: Json = False,
) -> None:
    """Run an experiment of the paper and show its table; what has a record is not run again.

    Ctrl-C stops it; the same command goes on.
    """
    from experiments.catalogue import experiment_named
    from experiments.running.scale import Scale

    folder = out or (_QUICK_RECORDS if quick else _RECORDS)
    if experiment == "report":
        _report(folder, docs, json)
        return
    experiment_named(experiment)
    scale = Scale(quick=quick, seeds=seeds, graphs=tuple(graph or ()))
    _run(experiment, scale, folder, threads)
    _show(experiment, scale, folder, json)


def _run(experiment: str, scale: Scale, folder: Path, threads: int) -> None:
    from experiments.catalogue import experiment_named
    from experiments.running.runner import Runner

    with notes().status("") as status:

        def watch(epoch: EpochReport) -> None:
            best = "" if epoch.best is None else f", best so far {epoch.best:.4g}"
            status.update(f"epoch {epoch.epoch} of {epoch.epochs}, loss {epoch.loss:.3f}{best}")

        try:
            experiment_named(experiment).run(Runner(folder, threads, say, watch), scale)
        except KeyboardInterrupt:
            say("stopped; the same command goes on")
            raise


def _show(experiment: str, scale: Scale, folder: Path, json: bool) -> None:
    from experiments.catalogue import experiment_named
    from experiments.running.records import read_all
    from experiments.writing.report import experiment_section

    found = read_all(folder, experiment)
    if json:
        print_json({"experiment": experiment, "records": [asdict(record) for record in found]})
        return
    from rich.markdown import Markdown

    pictures = folder / ".pictures"
    text = experiment_section(experiment_named(experiment), found, pictures, scale)
    results().print(Markdown(text))
    if scale.quick:
        results().print("Rough: few epochs, short vectors, one seed.")
    if pictures.is_dir():
        # They are drawn anew from the records, so git need not keep them.
        (pictures / ".gitignore").write_text("*\n", encoding="utf-8")
        say(f"pictures: {pictures}")


def _report(folder: Path, docs: Path, json: bool) -> None:
    from experiments.writing.report import write_report

    path = write_report(folder, docs)
    if json:
        print_json({"report": str(path)})
    else:
        say(f"report: {path}")


commands = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
commands.command()(reproduce)


if __name__ == "__main__":
    run(commands, "python -m experiments")
