"""`transa margins`: the margins that the vectors give, and the spheres round an entity."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from transa.cli.output import plain_table, print_json, print_title, results, say
from transa.cli.parameters import Folder, Json, option
from transa.errors import ConfigError, InputError

if TYPE_CHECKING:
    import polars as pl

    from transa.estimator import Estimator
    from transa.margins import Adaptive
    from transa.margins.spheres import Sphere, Spheres

_MOST_ROWS = 20


def margins(
    folder: Folder,
    entity: Annotated[str | None, option("Show the spheres round this entity.")] = None,
    figure: Annotated[Path | None, option("Draw them: a .png, .svg or .pdf file.")] = None,
    relation: Annotated[
        str | None, option("The relation to draw; else the one with most neighbours.")
    ] = None,
    mu: Annotated[float | None, option("Weight of M_ent; else the model's own.")] = None,
    reading: Annotated[str | None, option("Else as trained.", "pairs|spheres|active")] = None,
    json: Json = False,
) -> None:
    """Show the margins of a trained model: by relation, or round one entity."""
    if entity is None and figure:
        raise ConfigError("a figure is drawn round an entity: give --entity too")
    if relation and not figure:
        raise ConfigError("--relation says what to draw: give --entity and --figure too")
    import transa
    from transa.margins.spheres import in_distances

    model = transa.load(folder)
    given: dict[str, Any] = {"mu": mu, "reading": reading}
    margin = in_distances(
        replace(model.adaptive, **{n: v for n, v in given.items() if v is not None})
    )
    if entity is None:
        _show_relations(model, margin, json)
        return
    both = model.spheres(entity)
    if figure:
        draw_entity(model, entity, figure, relation, margin)
    if json:
        print_json({"entity": entity, **{s.direction: _plain(model, s, margin) for s in both}})
    else:
        for spheres in both:
            _show_spheres(model, spheres, margin)
    if figure:
        say(f"figure: {figure}")


def _show_relations(model: Estimator, margin: Adaptive, json: bool) -> None:
    rows = _by_relation(model.margins(margin)).to_dicts()
    if json:
        print_json({"reading": margin.reading, "mu": margin.mu, "relations": rows})
        return
    from rich.markup import escape

    table = plain_table(
        "relation", "triples", "tail corrupted\nmedian", "\nmean", "\nmax",
        "head corrupted\nmedian", "\nmean", "\nmax",
    )  # fmt: skip
    names = model.graph_.relations
    for row in rows[:_MOST_ROWS]:
        label, triples, *numbers = row.values()
        shown = names.display(names.id(label))
        table.add_row(escape(shown), f"{triples:,}", *(f"{number:.2f}" for number in numbers))
    print_title(f"Margins by relation (reading {margin.reading}, μ {margin.mu:g})")
    results().print(table)
    if len(rows) > _MOST_ROWS:
        results().print(
            f"[dim]and {len(rows) - _MOST_ROWS:,} more relations; --json has them all[/]"
        )


def _by_relation(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    columns = [
        getattr(pl.col(side), of)().alias(f"{side}_{of}")
        for side in ("head_anchored", "tail_anchored")
        for of in ("median", "mean", "max")
    ]
    return (
        frame.group_by("relation", maintain_order=True)
        .agg(pl.len().alias("triples"), *columns)
        .sort("triples", descending=True, maintain_order=True)
    )


def _show_spheres(model: Estimator, spheres: Spheres, margin: Adaptive) -> None:
    from rich.markup import escape

    from transa.margins import READINGS

    name = model.graph_.entities.display(spheres.anchor)
    asked = f"{name} · r · ?" if spheres.direction == "outgoing" else f"? · r · {name}"
    m_ent = ", ".join(f"{reading} {spheres.m_ent(reading):.2f}" for reading in READINGS)
    table = plain_table(
        "r", "positives", "negatives", "farthest +", "nearest −", *READINGS, "M_rel", "M_opt"
    )
    for sphere in spheres.relations:
        nearest = sphere.nearest_negative
        table.add_row(
            escape(model.graph_.relations.display(sphere.relation)),
            f"{len(sphere.positives):,}",
            f"{len(sphere.negatives):,}",
            f"{sphere.farthest_positive:.2f}",
            "–" if nearest is None else f"{nearest:.2f}",
            *(f"{sphere.margins[reading]:.2f}" for reading in READINGS),
            f"{sphere.m_rel:.2f}",
            f"{spheres.m_opt(sphere, margin.mu, margin.reading):.2f}",
        )
    print_title(f"{asked}   M_ent: {m_ent}")
    results().print(table)


def _plain(model: Estimator, spheres: Spheres, margin: Adaptive) -> dict[str, Any]:
    from transa.margins import READINGS

    return {
        "m_ent": {reading: spheres.m_ent(reading) for reading in READINGS},
        "relations": [
            {
                "relation": model.graph_.relations.label(sphere.relation),
                "positives": len(sphere.positives),
                "negatives": len(sphere.negatives),
                "farthest_positive": sphere.farthest_positive,
                "nearest_negative": sphere.nearest_negative,
                "margin": sphere.margins,
                "m_rel": sphere.m_rel,
                "m_opt": spheres.m_opt(sphere, margin.mu, margin.reading),
            }
            for sphere in spheres.relations
        ],
    }


def draw_entity(
    model: Estimator,
    entity: str,
    path: Path,
    relation: str | None = None,
    margin: Adaptive | None = None,
) -> None:
    """Draw the spheres round an entity for one of its relations."""
    from transa.figures.spheres import draw_margins

    spheres, sphere = _chosen(model, model.spheres(entity), relation)
    draw_margins(path, model.model_, spheres, sphere, margin or model.adaptive)


def _chosen(
    model: Estimator, both: tuple[Spheres, Spheres], relation: str | None
) -> tuple[Spheres, Sphere]:
    """The relation asked for, outgoing if it can be; else the one with most neighbours."""
    wanted = None if relation is None else model.graph_.relations.id(relation)
    found = [(s, r) for s in both for r in s.relations if wanted in (None, r.relation)]
    if not found:
        name = model.graph_.entities.display(both[0].anchor)
        of = f"by {relation!r} " if relation else ""
        raise InputError(f"{name!r} has no training triples {of}to draw")
    if wanted is not None:
        return found[0]
    return max(found, key=lambda pair: len(pair[1].positives))
