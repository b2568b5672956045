"""The pinned packages: all of them are, and what is said of looking them up is true."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PIN = re.compile(r"([A-Za-z0-9._-]+)==[^\s=<>~!;]+")
_FOUND = importlib.util.spec_from_file_location("audit", REPOSITORY / "scripts" / "audit.py")
audit = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(audit)


def pinned():
    lines = (REPOSITORY / "constraints.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_line_pins_one_version():
    assert [line for line in pinned() if not PIN.fullmatch(line)] == []
    names = [normal(line.partition("==")[0]) for line in pinned()]
    assert len(set(names)) == len(names)


def test_everything_that_is_asked_for_is_pinned():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {normal(re.match(r"[A-Za-z0-9._-]+", one)[0]) for one in asked} - {"transa"}
    assert names - {normal(line.partition("==")[0]) for line in pinned()} == set()


def report(*packages):
    return json.dumps({"dependencies": packages, "fixes": []})


FINE = {"name": "a", "version": "1", "vulns": []}
FLAWED = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
PASSED_OVER = {"name": "c", "skip_reason": "Dependency not found on PyPI"}


@pytest.mark.parametrize(
    ("told", "complaints", "sentence", "code"),
    [
        ("", "x\nno such host", "not audited: pip-audit cannot be run here (no such host)", 0),
        (
            report(PASSED_OVER, PASSED_OVER),
            "",
            "not audited: the service of known vulnerabilities cannot be reached from here",
            0,
        ),
        (report(FINE, PASSED_OVER), "", "1 of 2 packages audited, no vulnerability known", 0),
        (
            report(FINE, FLAWED),
            "",
            "2 of 2 packages audited, 1 vulnerabilities known:\nb 2: PYSEC-1",
            1,
        ),
    ],
)
def test_what_was_not_looked_up_is_not_called_safe(told, complaints, sentence, code):
    assert audit.verdict(told, complaints) == (sentence, code)
