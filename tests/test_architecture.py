"""The house rules that a machine can hold: where imports point, how large rooms and files are."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import transa
from transa.models import MODELS

SOURCE = Path(transa.__file__).parent
REPOSITORY = Path(__file__).parents[1]
FILES = sorted(SOURCE.rglob("*.py"))
MOST_LINES = 400
MOST_MODULES = 14
MOST_AT_THE_TOP = 6
HEAVY = ["numpy", "numba", "torch", "polars", "matplotlib", "safetensors"]


def python(code: str) -> subprocess.CompletedProcess[str]:
    """A program that finds this very source, whatever else is installed."""
    found = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n{code}"
    command = [sys.executable, "-c", found]
    return subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False)


def test_imports_point_down():
    """The contracts are in pyproject.toml; `lint-imports` tells of them on the command line."""
    done = python(
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_is_too_long_to_read():
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {str(file): n for file, n in lines.items() if n > MOST_LINES} == {}


def test_no_room_holds_too_much():
    """Not counting __init__.py, nor the one file a model that is the rule of `models`."""
    one_a_model = {entry.energy.__module__ for entry in MODELS.values()}
    rooms = Counter(
        file.parent.relative_to(SOURCE).as_posix()
        for file in FILES
        if file.name != "__init__.py" and module_of(file) not in one_a_model
    )
    too_many = {room: n for room, n in rooms.items() if n > MOST_MODULES}
    assert too_many == {}


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)


def test_the_top_is_a_short_list():
    assert len(list(SOURCE.glob("*.py"))) <= MOST_AT_THE_TOP


@pytest.mark.parametrize(
    "code",
    [
        "import transa",
        "sys.argv = ['transa', '--help']\n"
        "import transa.cli\n"
        "try: transa.cli.main()\n"
        "except SystemExit as ended: assert not ended.code",
    ],
    ids=["import transa", "transa --help"],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    done = python(f"{code}\nprint(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)")
    assert done.stderr == "[]\n"
    assert done.returncode == 0
