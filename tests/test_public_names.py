"""What `import transa` offers: names, types, examples."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import transa
from transa import TransA
from transa.settings.config import make_settings


def test_keywords_are_known_before_it_runs(tmp_path):
    known = inspect.signature(TransA).parameters
    assert set(known) == set(make_settings("transa").by_name)
    assert (known["lr"].default, known["dim"].default) == (None, None)
    assert known["validate_every"].default == 10
    snippet = tmp_path / "snippet.py"
    snippet.write_text(
        "import transa\n"
        "transa.TransA(50, 'l2', lr=1, margin=transa.Adaptive(mu=0.3))\n"
        "transa.TransE(dim=None, margin=2.0, loss='hinge').fit('countries')\n"
        "transa.TransA(learning_rate=1)\n"
        "transa.TransE(epochs='three')\n"
        "transa.TransE(loss='hing')\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", str(snippet)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    wrong = re.findall(r"snippet\.py:(\d+): error: .*\[(.*)\]", found)
    assert wrong == [("4", "call-arg"), ("5", "arg-type"), ("6", "arg-type")], found


def test_rooms_and_names_of_before_are_found():
    code = (
        "import warnings, transa\n"
        "assert transa.models.MODELS and transa.ranking.evaluate and transa.storage\n"
        "warnings.simplefilter('error')\n"
        "try: transa.config\n"
        "except DeprecationWarning as said: print(said)\n"
        "warnings.simplefilter('ignore')\n"
        "assert all(getattr(transa, name) for name in transa._MOVED)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "transa.config is transa.settings.config now\n"


def modules_with_examples():
    package = Path(transa.__file__).parent
    for file in sorted(package.rglob("*.py")):
        if ">>> " in file.read_text(encoding="utf-8"):
            parts = file.relative_to(package.parent).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("module", list(modules_with_examples()))
def test_examples_in_docstrings(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def test_every_public_name_is_there():
    for name in transa.__all__:
        assert getattr(transa, name) is not None
    assert set(dir(transa)) == set(transa.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        transa.nosuch  # noqa: B018


def test_importing_transa_imports_nothing_heavy():
    code = "import sys, transa; print(sorted({'numpy', 'polars', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
