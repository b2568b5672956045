"""Settings as plain data."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from transa import Adaptive, Fixed
from transa.errors import ConfigError
from transa.margins import READINGS
from transa.margins.margin import make_margin
from transa.models import MODELS
from transa.settings.config import (
    make_settings,
    read_options,
    to_plain,
    to_yaml,
)

positive = st.floats(1e-6, 1e6)
margins = st.one_of(
    st.builds(
        Adaptive, mu=st.floats(0, 1), reading=st.sampled_from(READINGS), rounds=st.integers(1, 99)
    ),
    st.builds(Fixed, value=positive),
)
options = st.fixed_dictionaries(
    {},
    optional={
        "dim": st.integers(1, 500),
        "norm": st.sampled_from(["l1", "l2", "l2sq"]),
        "margin": margins,
        "lr": positive,
        "epochs": st.integers(1, 10**6),
        "seed": st.integers(0, 2**63),
        "loss": st.sampled_from(["hinge", "softplus", "logistic"]),
        "stop_on": st.sampled_from(["mr", "mrr"]),
    },
)


@given(options)
def test_settings_survive_json_and_yaml(given_options):
    settings = make_settings("transe", **given_options)
    plain = to_plain(settings)
    assert make_settings(**json.loads(json.dumps(plain))) == settings
    assert make_settings(**yaml.safe_load(to_yaml(settings))) == settings


@pytest.mark.parametrize("model", MODELS)
def test_every_option_has_a_plain_form(model):
    settings = make_settings(model)
    options = [*fields(settings.energy), *fields(settings.recipe)]
    assert set(to_plain(settings)) == {"model", *(field.name for field in options)}
    assert make_settings(**json.loads(json.dumps(to_plain(settings)))) == settings


def test_what_is_not_given_keeps_its_default():
    assert make_settings("transa", dim=7).recipe == make_settings("transa").recipe
    assert make_settings("transe").recipe.margin == Fixed(1.0)
    assert isinstance(make_settings("transa").recipe.margin, Adaptive)


@pytest.mark.parametrize(
    ("plain", "margin"),
    [
        (2, Fixed(2.0)),
        ("2.5", Fixed(2.5)),
        ("fixed", Fixed()),
        ("adaptive", Adaptive()),
        ({"kind": "adaptive", "mu": "0.5"}, Adaptive(mu=0.5)),
        ({"kind": "fixed", "value": 3}, Fixed(3.0)),
        (Adaptive(mu=0.1), Adaptive(mu=0.1)),
    ],
)
def test_plain_forms_of_a_margin(plain, margin):
    assert make_margin(plain) == margin


def test_a_number_as_yaml_reads_it():
    # PyYAML takes 1e-3 for a word.
    assert make_settings(**yaml.safe_load("lr: 1e-3\nepochs: 20")).recipe.lr == 1e-3


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"epoch": 3}, "no option 'epoch' for transa; did you mean 'epochs'?"),
        ({"xyzzy": 3}, "no option 'xyzzy' for transa; there are adversarial, average, batch"),
        ({"model": "tranza"}, "no model 'tranza'; did you mean 'transa'?"),
        ({"epochs": "ten"}, "epochs is a whole number, found 'ten'"),
        ({"epochs": 1.5}, "epochs is a whole number, found 1.5"),
        ({"epochs": True}, "epochs is a whole number, found True"),
        ({"average": 1}, "average is true or false, found 1"),
        ({"lr": None}, "lr is a number, found None"),
        ({"lr": float("nan")}, "lr is a number, found nan"),
        ({"loss": 3}, "loss is one of hinge, softplus, logistic, listwise, softmax; found 3"),
        (
            {"loss": "hing"},
            "loss is one of hinge, softplus, logistic, listwise, softmax; found 'hing'",
        ),
        ({"margin": "adaptiv"}, "a margin is adaptive, fixed or a number; found 'adaptiv'"),
        ({"margin": {"mu": 1}}, "a margin is adaptive, fixed or a number; found {'mu': 1}"),
        ({"margin": {"kind": "adaptive", "nu": 1}}, "no option 'nu' for the adaptive margin"),
        ({"margin": {"kind": "fixed", "local": 1}}, "no option 'local' for the fixed margin"),
        ({"margin": {"kind": "adaptive", "local": 2}}, "local is at most 1, found 2"),
        ({"margin": {"kind": "adaptive", "halved_at": -1}}, "halved_at is at least 0, found -1"),
        (
            {"mu": 0.3},
            "mu is of the margin: margin=transa.Adaptive(mu=...)",
        ),
        ({"margin": 2.0}, "a fixed margin of 2 makes it TransE"),
    ],
)
def test_wrong_options_are_told_in_a_sentence(wrong, sentence):
    with pytest.raises(ConfigError) as error:
        make_settings(**wrong)
    assert sentence in str(error.value)


def test_reading_a_config_file(tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_text(to_yaml(make_settings("transe", margin=4)))
    assert make_settings(**read_options(file)) == make_settings("transe", margin=4)


def test_the_config_of_a_model_folder_is_a_config_file(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    options = read_options(tmp_path / "model" / "config.json")
    assert make_settings(**options) == fitted.settings


@pytest.mark.parametrize("content", ["- a\n- b\n", "just words", "{", "1: 2", "", b"\xff\xfe\x00"])
def test_a_file_that_holds_no_options_is_refused(content, tmp_path):
    file = tmp_path / "recipe.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError, match=r"recipe\.yaml: (neither YAML|expected options)"):
        read_options(file)


def test_a_config_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_options(tmp_path / "none.yaml")
