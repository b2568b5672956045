from __future__ import annotations

from pathlib import Path

import pytest

from transa import datasets
from transa.datasets.folders import folder_of, local_folder
from transa.errors import InputError, UnknownNameError
from transa.files.cache import cache_folder


def test_countries_comes_with_the_package(cache):
    assert datasets.is_local("countries")
    assert folder_of("countries").parent == Path(datasets.__file__).parent


def test_the_users_folder_comes_before_the_cache(cache, tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    (mine / "fb15k").mkdir(parents=True)
    (cache / "fb15k").mkdir(parents=True)
    (cache / "wn18").mkdir()

    assert local_folder("fb15k") == cache / "fb15k"
    monkeypatch.setenv("TRANSA_DATA", str(mine))
    assert local_folder("fb15k") == mine / "fb15k"
    assert local_folder("wn18") == cache / "wn18"
    assert local_folder("nations") is None


def test_a_data_folder_that_does_not_exist_is_an_error(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(tmp_path / "no such folder"))
    with pytest.raises(InputError, match=r"TRANSA_DATA names .* correct or unset it"):
        datasets.load("nations")
    assert len(datasets.load("countries").train)


def test_the_default_cache_is_the_users(monkeypatch):
    monkeypatch.delenv("TRANSA_CACHE", raising=False)
    assert cache_folder().is_absolute()
    assert "transa" in cache_folder().parts


def test_an_unknown_name_is_not_looked_for(cache, tmp_path, monkeypatch):
    (tmp_path / "mine" / "secret").mkdir(parents=True)
    monkeypatch.setenv("TRANSA_DATA", str(tmp_path / "mine"))
    with pytest.raises(UnknownNameError):
        local_folder("secret")
