"""The commands together."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

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
    # A server has no result to print.
    assert "--json" in done.out or name == "serve"


def test_a_bare_command_is_answered_with_the_help(command):
    done = command()
    assert " train " in done.out
    assert done.err == ""


def test_version(command):
    assert command("--version").out == f"transa {transa.__version__}\n"


def test_a_shell_is_told_what_may_follow(command, monkeypatch):
    shown = command("--show-completion", "bash")
    assert shown.code == 0
    assert "_TRANSA_COMPLETE=complete_bash" in shown.out
    monkeypatch.setenv("_TRANSA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_CWORD", "2")
    monkeypatch.setenv("COMP_WORDS", "transa train --lo")
    done = command()
    assert done.code == 0
    assert {"--loss", "--local"} <= set(done.out.split())


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


@pytest.mark.parametrize("place", ["/", "a" * 5000, "a/" * 3000])
def test_a_place_that_no_model_can_have_is_one_sentence(command, triples, place):
    assert command("info", place).is_refused()
    assert command("train", triples, "--out", place, "--quiet").is_refused()


def test_a_name_that_is_no_text_is_one_sentence(command, folder, tmp_path):
    out = os.fsdecode(b"\x80")
    assert command("export", folder, "--out", tmp_path / out).is_refused("no Unicode text")


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


def transa_in_a_shell(line, **environment):
    """A line of shell in which `transa` is this Python's."""
    program = f"{shlex.quote(sys.executable)} -m transa"
    return subprocess.run(
        ["sh", "-c", line.replace("transa", program, 1)],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize(
    "line", ["datasets", "datasets --json", "models", "--help", "train --help", "--version"]
)
def test_a_reader_who_has_enough_is_no_failure(line):
    # In a subshell, so that its status comes to us, and before any of it is read.
    done = transa_in_a_shell(f"(sleep 0.1; transa {line}; echo $? >&2) | true")
    assert done.stderr.split() in ([b"0"], [b"141"])


@pytest.mark.parametrize("redirected", ["", "2>&1", "2>/dev/full"])
def test_a_run_whose_reader_has_gone_saves_its_model(triples, tmp_path, redirected):
    options = "--epochs 20 --dim 4 --threads 1"
    place, status = shlex.quote(str(tmp_path / "model")), shlex.quote(str(tmp_path / "status"))
    line = f"transa train {shlex.quote(str(triples))} {options} --out {place} {redirected}"
    done = transa_in_a_shell(f"({line}; echo $? > {status}) | true")
    assert b"Traceback" not in done.stderr
    assert b"Error" not in done.stderr
    assert len(transa.load(tmp_path / "model").history_) == 20
    assert Path(status).read_bytes() == b"141\n"
    assert not (tmp_path / "model.training").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_output_that_has_no_room_is_one_sentence():
    done = transa_in_a_shell("transa models > /dev/full")
    assert done.returncode == 2
    assert done.stderr == b"transa: the output cannot be written (No space left on device)\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_remarks_that_have_no_room_are_no_error(folder):
    done = transa_in_a_shell(f"transa similar {shlex.quote(str(folder))} France 2> /dev/full")
    assert done.returncode == 0


def test_closed_output_is_no_error():
    done = transa_in_a_shell("transa models >&-")
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_encoding_that_lacks_a_character_is_no_error(folder):
    table = transa_in_a_shell("transa models", PYTHONIOENCODING="cp1252")
    assert (table.returncode, table.stderr) == (0, b"")
    line = f"transa info {shlex.quote(str(folder))} --json"
    content = transa_in_a_shell(line, PYTHONIOENCODING="ascii")
    assert json.loads(content.stdout)["graph"]["name"] == "atlas"
