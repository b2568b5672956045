"""The examples of CONTRIBUTING.md run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def example(title: str) -> str:
    """The code under a heading."""
    section = TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return code


@pytest.mark.parametrize(
    ("title", "then"),
    [
        (
            "Adding a loss",
            "from transa.errors import ConfigError\n"
            "assert model.settings_.recipe.loss == 'squared-hinge'\n"
            "assert model.history_[-1].loss < model.history_[0].loss\n"
            "try:\n"
            "    transa.TransE(dim=8, loss='squared-hinge', engine='fused').fit('countries')\n"
            "except ConfigError as error:\n"
            "    assert 'the fused engine trains only' in str(error)\n"
            "else:\n"
            "    raise AssertionError\n",
        ),
        (
            "Adding a model",
            "assert len(model.predict_tails('France', 'borders', k=3)) == 3\n"
            "assert model.evaluate().filtered.count > 0\n"
            "from transa.models import MODELS\n"
            "assert 'halved' in MODELS\n",
        ),
    ],
)
def test_an_addition_is_as_short_as_it_is_said_to_be(title, then, tmp_path):
    code = example(title) + then
    # A process of its own: what is registered stays registered.
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
