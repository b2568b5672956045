"""Figures 1 and 2 of the paper, and the reliability diagram."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

import transa
from transa import Vocabulary
from transa.errors import ConfigError, InputError
from transa.figures import spheres as spheres_module
from transa.figures.labels import label_points
from transa.figures.spheres import draw_margins, draw_reliability
from transa.margins import READINGS, Adaptive

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


def test_names_do_not_cover_each_other_round_a_hub(fitted, monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(
        spheres_module,
        "label_points",
        lambda labels: drawn.append(label_points(labels)) or drawn[-1],
    )
    n = 90
    triples = [(f"an entity of number {i}", "is of", "the hub") for i in range(n)]
    model = transa.TransE(dim=4, epochs=1, threads=1).fit(transa.from_labels(triples, split=None))
    draw(model, tmp_path / "hub.png", "the hub", which=1)
    names, lengths = drawn
    boxes = [label.get_window_extent() for label in names]
    assert 5 < len(boxes) < n, "some have room, and not all"
    for box in boxes:
        assert box.count_overlaps(boxes) == 1, "itself alone"
    assert [label.get_text() for label in lengths] == ["is of"]


@pytest.mark.parametrize("reading", READINGS)
def test_the_figure_shows_the_margin_of_its_title(fitted, monkeypatch, tmp_path, reading):
    widths, titles = [], []
    annulus, set_title = spheres_module._annulus, spheres_module.set_title
    monkeypatch.setattr(
        spheres_module,
        "_annulus",
        lambda axes, inner, width: (widths.append(width), annulus(axes, inner, width)),
    )
    monkeypatch.setattr(
        spheres_module,
        "set_title",
        lambda figure, title: (titles.append(title), set_title(figure, title)),
    )
    spheres = fitted.spheres("France")[0]
    sphere = spheres.relations[0]
    margin = Adaptive(mu=0.25, reading=reading)
    draw_margins(tmp_path / "f.png", fitted.model_, spheres, sphere, margin)
    assert widths == [spheres.m_ent(reading), sphere.m_rel]
    told = f"0.25 × {widths[0]:.2f} (entity, reading “{reading}”) + 0.75 × {widths[1]:.2f}"
    assert told in titles[0]


def test_spheres_that_overlap_are_explained(fitted):
    sphere = fitted.spheres("France")[0].relations[0]
    far = replace(sphere, negative_distances=sphere.positive_distances[-1:] + 1)
    near = replace(sphere, negative_distances=sphere.positive_distances[-1:] - 0.01)
    said = ["\n".join(spheres_module._remarks(each, Adaptive(local=1.0))) for each in (far, near)]
    assert "overlap" not in said[0]
    assert "the spheres of the paper overlap" in said[1]
    assert "mean of all" in "\n".join(spheres_module._remarks(far, Adaptive()))
