"""The commands together, and how their errors are told."""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from transa.cli.commands import (
    classify,
    datasets,
    demo,
    evaluate,
    fold_in,
    info,
    inspect,
    margins,
    models,
    predict,
    prepare,
    serve,
    train,
    train_options,
)
from transa.cli.commands.asking import calibrate, discover, index, similar, why
from transa.cli.commands.learning import search, update
from transa.cli.commands.sharing import card, export, hub
from transa.cli.output import drop, print_json, say
from transa.errors import TransaError

app = typer.Typer(
    help="Knowledge-graph embedding without a margin to tune: TransA and its kin.",
    epilog="Begin with: transa demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("inspect")(inspect.inspect)
app.command("train", cls=train_options.WithSettings)(train.train)
app.command("prepare")(prepare.prepare)
app.command("search")(search.search)
app.command("evaluate")(evaluate.evaluate)
app.command("classify")(classify.classify)
app.command("predict")(predict.predict)
app.command("calibrate")(calibrate.calibrate)
app.command("similar")(similar.similar)
app.command("discover")(discover.discover)
app.command("why")(why.why)
app.command("index")(index.index)
app.command("serve")(serve.serve)
app.command("margins")(margins.margins)
app.command("update")(update.update)
app.command("fold-in")(fold_in.fold_in)
app.command("export")(export.export)
app.command("card")(card.card)
app.command("push")(hub.push)
app.command("pull")(hub.pull)
app.command("info")(info.info)
app.command("datasets")(datasets.datasets)
app.command("models")(models.models)
app.command("demo")(demo.demo)

# The class of all wrong uses (unknown option, missing argument ...), whichever click Typer carries.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

_WRONG, _INTERRUPTED, _CLOSED_PIPE = 2, 130, 141


def _show_version(wanted: bool) -> None:
    if wanted:
        from transa import __version__  # reads what is installed: not for every command

        typer.echo(f"transa {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def run(commands: typer.Typer = app, name: str = "transa") -> NoReturn:
    """Run the command; what the user can act on is one sentence, never a traceback."""
    _mend_streams()
    warnings.showwarning = _warn  # type: ignore[assignment]
    if f"_{name.upper()}_COMPLETE" in os.environ:  # the shell asks what may follow
        typer.main.get_command(commands)(prog_name=name)
    try:
        # Not by its `main`, which makes a failure of a closed pipe.
        command = typer.main.get_command(commands)
        with command.make_context(name, sys.argv[1:]) as context:
            code = command.invoke(context) or 0
        sys.stdout.flush()
    except typer.Exit as ended:
        code = ended.exit_code
    except TransaError as error:
        code = _tell(str(error), type(error).__name__)
    except _UsageError as error:
        # A bare `transa` has been answered with the help.
        code = _tell(_usage_sentence(error), "UsageError") if str(error) else _WRONG
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    except (BrokenPipeError, SystemExit) as ended:
        # Whoever read us (`| head`) has enough; Rich makes an exit of it. The interpreter would
        # flush once more and complain. Typer ends so too, with 0, once it has shown completion.
        code = 0 if getattr(ended, "code", 1) == 0 else _CLOSED_PIPE
        if code:
            drop(sys.stdout)
    except OSError as error:
        # Files are dealt with where they are opened, so this is the output.
        if error.errno not in (errno.ENOSPC, errno.EIO):
            raise
        drop(sys.stdout)
        code = _tell(f"the output cannot be written ({error.strerror})")
    except MemoryError:
        code = _tell("there is not enough memory for this; fewer dimensions (--dim) take less")
    sys.exit(code)


def _mend_streams() -> None:
    """Output that is closed goes nowhere; what an encoding lacks is shown as a question mark."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _tell(sentence: str, kind: str = "TransaError") -> int:
    """Say what is wrong: on stderr, and as JSON on stdout where JSON was asked for."""
    as_json = "--json" in sys.argv[1:]
    try:
        if as_json:
            print_json({"error": sentence, "kind": kind})
            sys.stdout.flush()
    except OSError:
        drop(sys.stdout)
    try:
        if not (as_json and sys.stdout.isatty()):
            typer.echo(f"transa: {sentence}", err=True)
    except OSError:
        drop(sys.stderr)
    return _WRONG


def _warn(message: Warning | str, *_: object) -> None:
    """A warning as a remark, without the line of the code that it comes from."""
    say(f"warning: {message}")


def _usage_sentence(error: Exception) -> str:
    message: str = error.format_message().rstrip(".")  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "transa"
    return f"{message[:1].lower()}{message[1:]} (see '{command} --help')"
