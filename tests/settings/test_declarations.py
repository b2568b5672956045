"""Settings declared at their fields: what is legal, and how the rest is told."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import transa
from transa.declarations import Declared, declarations, setting
from transa.errors import ConfigError
from transa.models import MODELS
from transa.settings.config import make_settings
from transa.settings.recipe import Recipe
from transa.settings.table import common_settings, page

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Oven(Declared):
    """Bakes."""

    heat: float = setting(180.0, "How hot.", above=20, below=300)
    fan: bool = setting(False, "Whether air is moved.")
    shelf: int | None = setting(None, "Which one; all unless given.", least=1, most=4)
    mode: Literal["bake", "grill"] = setting("bake", "What it does.")
    crust: float = setting(0.5, "How brown.", least=0, needs={"mode": ("grill",)})


@dataclass(frozen=True)
class HotOven(Oven):
    """Bakes sooner."""

    heat: float = 250.0


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"heat": 200}, 200.0),
        ({"heat": "2e2"}, 200.0),
        ({"heat": np.float32(200)}, 200.0),
        ({"shelf": np.int64(2)}, 2),
        ({"shelf": "2"}, 2),
        ({"shelf": 2.0}, 2),
        ({"shelf": None}, None),
        ({"fan": np.bool_(True)}, True),
        ({"mode": "grill"}, "grill"),
    ],
)
def test_values_become_what_the_field_says(given, value):
    (name,) = given
    found = getattr(Oven(**given), name)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"heat": 20}, "heat is above 20, found 20.0"),
        ({"heat": 300}, "heat is below 300, found 300.0"),
        ({"heat": float("inf")}, "heat is a number, found inf"),
        ({"heat": np.nan}, "heat is a number, found nan"),
        ({"heat": 10**400}, "heat is a number, found 1000000"),
        ({"heat": -(10**5000)}, "heat is a number, found a number of thousands of digits"),
        ({"heat": True}, "heat is a number, found True"),
        ({"heat": None}, "heat is a number, found None"),
        ({"heat": [200]}, "heat is a number, found [200]"),
        ({"shelf": 0}, "shelf is at least 1, found 0"),
        ({"shelf": 5}, "shelf is at most 4, found 5"),
        ({"shelf": 1.5}, "shelf is a whole number, found 1.5"),
        ({"shelf": False}, "shelf is a whole number, found False"),
        ({"fan": 1}, "fan is true or false, found 1"),
        ({"mode": "boil"}, "mode is one of bake, grill; found 'boil'"),
        ({"mode": ["bake"]}, "mode is one of bake, grill; found ['bake']"),
        ({"crust": 0.7}, "crust is of the grill mode; bake has no use for it"),
    ],
)
def test_what_is_not_legal_is_told_in_a_sentence(given, sentence):
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        Oven(**given)


def test_a_subclass_changes_a_default_and_nothing_else():
    declared = declarations(HotOven)["heat"]
    assert (declared.default, declared.help, declared.below) == (250.0, "How hot.", 300)
    with pytest.raises(ConfigError, match="heat is below 300"):
        HotOven(heat=400)


def test_the_docstring_tells_of_the_settings():
    assert "crust: How brown." in str(Oven.__doc__)
    assert "softplus` is its smooth form" in str(transa.Recipe.__doc__)


def everything():
    yield from declarations(Recipe).values()
    yield from declarations(transa.Adaptive).values()
    yield from declarations(transa.Fixed).values()
    for model in MODELS.values():
        yield from declarations(model.energy).values()


@pytest.mark.parametrize("declared", list(everything()), ids=lambda declared: declared.name)
def test_every_setting_says_what_it_is_and_has_a_range(declared):
    assert declared.help.endswith(".")
    if {int, float} & {*declared.types}:
        assert declared.least is not None or declared.above is not None
        with pytest.raises(ConfigError, match=rf"{declared.called or declared.name} is "):
            declared.checked(-1)


@pytest.mark.parametrize("name", ["dim", "epochs", "batch", "negatives", "threads", "seed"])
def test_absurd_sizes_are_refused(name):
    with pytest.raises(ConfigError, match=f"{name} is at most"):
        make_settings(**{name: 10**40})


def test_a_models_own_default_gives_way_to_what_is_given():
    assert make_settings("distmult").recipe.batch == 256
    assert make_settings("distmult", engine="fused").recipe.batch == Recipe().batch
    with pytest.raises(ConfigError, match="batch is of the auto or autograd engine"):
        make_settings("distmult", engine="fused", batch=9)


def test_the_page_of_settings_is_up_to_date():
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page()
    for name in common_settings():
        assert f"\n| `{name}` |" in page()


ADDED = """
import yaml, transa
from transa.settings.config import make_settings, to_yaml
from transa.settings.table import page

model = transa.TransA(warm_up=3, optimiser="sgd")
assert model.settings.recipe.warm_up == model.get_params()["warm_up"] == 3
assert make_settings(**yaml.safe_load(to_yaml(model.settings))) == model.settings
assert "| `warm_up` | 0 | INTEGER, ≥ 0 |" in page()
try:
    transa.TransA(warm_up=3)
except transa.TransaError as error:
    print(error)
"""


def test_the_setting_that_contributing_adds_is_everywhere(tmp_path):
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (field,) = re.findall(r"```python\n(    warm_up.*?)```", told, re.DOTALL)
    package = tmp_path / "transa"
    shutil.copytree(ROOT / "src" / "transa", package, ignore=shutil.ignore_patterns("__pycache__"))
    recipe = package / "settings" / "recipe.py"
    recipe.write_text(recipe.read_text(encoding="utf-8") + field, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"}

    def run(*arguments):
        line = [sys.executable, *arguments]
        return subprocess.check_output(line, env=environment, cwd=tmp_path, text=True)

    sentence = "warm_up is of the sgd optimiser; adagrad has no use for it\n"
    assert run("-c", ADDED) == sentence
    options = run("-m", "transa", "train", "--help")
    assert re.search(r"--warm-up +INTEGER +Sgd: epochs in which the rate rises", options)
