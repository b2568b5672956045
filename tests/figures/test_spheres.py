"""Figures 1 and 2 of the paper, and the reliability diagram."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from transa import Vocabulary
from transa.errors import ConfigError, InputError
from transa.figures.spheres import draw_margins, draw_reliability
from transa.margins import Adaptive

image = pytest.importorskip("matplotlib.image", reason="the extra 'figures' is not installed")


def draw(model, path, name="France", which=0, relation=0):
    spheres = model.spheres(name)[which]
    sphere = spheres.relations[relation]
    draw_margins(path, model.model_, spheres, sphere, Adaptive(mu=0.5, reading="spheres"))


# Spheres with a gap; as a tail; one neighbour and no negative; the longest relation.
@pytest.mark.parametrize(
    ("name", "which", "relation"),
    [("France", 0, 0), ("France", 1, 0), ("q", 1, 0), ("Spain", 0, 1), ("[Atlantis]", 0, 0)],
)
def test_a_figure_shows_something_on_both_sides(fitted, tmp_path, name, which, relation):
    draw(fitted, tmp_path / "f.png", name, which, relation)
    pixels = image.imread(tmp_path / "f.png")[..., :3]
    height, width, _ = pixels.shape
    body = pixels[height // 4 : -height // 8]
    for half in (body[:, : width // 2], body[:, width // 2 :]):
        assert (half < 0.95).any(axis=-1).mean() > 0.002


@pytest.mark.parametrize(("suffix", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_other_formats(fitted, tmp_path, suffix, begins):
    draw(fitted, tmp_path / f"f.{suffix}")
    assert (tmp_path / f"f.{suffix}").read_bytes().startswith(begins)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_name_with_dollars_is_not_taken_for_a_formula(fitted, tmp_path):
    names = [r"$\frac{$" for _ in range(12)]
    graph = replace(
        fitted.graph_, entities=Vocabulary("entity", fitted.graph_.entities.labels, names)
    )
    spheres, _ = fitted.spheres("France")
    model = replace(fitted.model_, graph=graph)
    path = tmp_path / "f.png"
    draw_margins(path, model, spheres, spheres.relations[0], Adaptive())
    assert path.exists()


def test_an_unknown_format_is_refused(fitted, tmp_path):
    with pytest.raises(ConfigError, match=r"f\.bmp: a figure is one of \.png, \.svg, \.pdf"):
        draw(fitted, tmp_path / "f.bmp")


def test_without_matplotlib_the_extra_is_named(fitted, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigError, match=r"pip install 'transa\[figures\]'"):
        draw(fitted, tmp_path / "f.png")


def test_a_reliability_diagram(fitted, tmp_path):
    model = fitted.fold_in([("Monaco", "borders", "France")]).fit_thresholds()
    result = model.evaluate_classification("valid")
    draw_reliability(tmp_path / "r.png", result)
    assert (image.imread(tmp_path / "r.png")[..., :3] < 0.95).any(axis=-1).mean() > 0.01
    with pytest.raises(ConfigError, match="a figure is one of"):
        draw_reliability(tmp_path / "r.bmp", result)
    with pytest.raises(InputError, match="nothing to draw"):
        draw_reliability(tmp_path / "r.png", replace(result, reliability=None))
