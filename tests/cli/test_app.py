"""The commands together."""

from __future__ import annotations

import subprocess
import sys

import pytest

import transa
from transa.cli.app import app

COMMANDS = [str(registered.name) for registered in app.registered_commands]


def test_help_names_every_command(command):
    done = command("--help")
    assert done.code == 0
    for name in COMMANDS:
        assert f" {name} " in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json(command, name):
    done = command(name, "--help")
    assert done.code == 0
    assert "--json" in done.out


def test_version(command):
    assert command("--version").out == f"transa {transa.__version__}\n"


def test_the_package_runs_as_the_command():
    line = [sys.executable, "-m", "transa", "--version"]
    assert subprocess.check_output(line, text=True) == f"transa {transa.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("trian",), ("trian", "train")),
        (("train",), ("GRAPH", "see 'transa train --help'")),
        (("predict",), ("DIR",)),
        (("predict", "x", "--haed", "y"), ("--haed",)),
        (("predict", "x", "-k", "many"), ("'-k'", "integer")),
    ],
)
def test_wrong_use_is_one_sentence(command, arguments, words):
    assert command(*arguments).is_refused(*words)


@pytest.mark.parametrize("name", ["evaluate", "info", "margins"])
def test_a_folder_that_is_no_model_is_one_sentence(command, name, tmp_path):
    assert command(name, tmp_path / "nowhere").is_refused("nowhere: no such folder")
    assert command(name, tmp_path).is_refused("not a model folder")


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "sys.argv = ['transa', '--help']\n"
        "import transa.cli\n"
        "try: transa.cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'polars', 'numba', 'torch', 'matplotlib', 'safetensors'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage" in done.stdout
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_pipe_is_quiet(folder, options):
    program = "from transa.cli import main; main()"
    command = [sys.executable, "-c", program, "predict", str(folder), "--head", "France"]
    process = subprocess.Popen(
        [*command, "--relation", "borders", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()  # before anything can have been written
    assert process.stderr.read() == b""
    assert process.wait() not in (0, 2)
