"""All settings there are, and the page that lists them: `python -m transa.settings.table`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from transa.declarations import Setting, declarations
from transa.margins.margin import Adaptive, Fixed
from transa.models import MODELS, TransEEnergy
from transa.settings.recipe import Recipe

_ADAPTIVE: Mapping[str, tuple[str, ...]] = {"margin": ("adaptive",)}

_HEAD = """\
# Settings

Made by `python -m transa.settings.table` of what the code declares. A setting is a keyword of
`transa.TransA`, `transa.TransE` and `transa.Estimator`, a line of a config file, and an option of
`transa train` (`validate_every` is `--validate-every`); a model's own are given as
`--set NAME=VALUE`. Those of the adaptive margin are keywords of `transa.Adaptive`, and in a file
stand inside the margin: `margin: {kind: adaptive, mu: 0.5}`.

The defaults below are the fixed ones: of every config file, and of every model but TransA and
TransE. These two have what suits the graph, unless another loss is named, or something that only
other losses have a use for; see [the method](method.md#defaults-by-size-of-graph).
"""


def common_settings() -> dict[str, Setting]:
    """The settings that have options of their own: TransA's, its margin's and the recipe's."""
    recipe = declarations(Recipe)
    of_margin = {n: replace(s, needs=_ADAPTIVE) for n, s in declarations(Adaptive).items()}
    of_model = {**declarations(TransEEnergy), "margin": recipe["margin"], **of_margin}
    return {**recipe, **{n: replace(s, panel="The model") for n, s in of_model.items()}}


def page() -> str:
    """The page, in Markdown."""
    of_recipe: dict[str, list[Setting]] = {}
    for of in declarations(Recipe).values():
        of_recipe.setdefault(of.panel, []).append(of)
    parts = [_HEAD]
    parts += [_section(panel, declared) for panel, declared in of_recipe.items()]
    parts.append(_section("An adaptive margin", declarations(Adaptive).values()))
    parts.append(_section("A fixed margin", declarations(Fixed).values()))
    parts.append(_section("The models' own", _of_models()))
    parts.append(_other_defaults())
    return "\n".join(parts)


def _of_models() -> Iterator[Setting]:
    """What the models declare: each setting once, with the default of every model that has it."""
    found: dict[str, tuple[Setting, dict[object, list[str]]]] = {}
    for model, entry in MODELS.items():
        for name, declared in declarations(entry.energy).items():
            _, defaults = found.setdefault(name, (declared, {}))
            defaults.setdefault(declared.default, []).append(model)
    for declared, defaults in found.values():
        told = "; ".join(f"{value}: {', '.join(models)}" for value, models in defaults.items())
        yield replace(declared, default=told)


def _section(title: str, settings: Iterable[Setting]) -> str:
    lines = [f"## {title}", "", "| setting | default | legal | what it is |", "|---|---|---|---|"]
    lines += [_row(declared) for declared in settings]
    return "\n".join([*lines, ""])


def _row(declared: Setting) -> str:
    default = declared.default
    default = default.kind if isinstance(default, Adaptive) else default
    what = f"{declared.line} {declared.note}".strip()
    cells = (f"`{declared.name}`", default, declared.legal + _range(declared), what)
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _range(declared: Setting) -> str:
    of = declared
    bounds = {"≥": of.least, ">": of.above, "≤": of.most, "<": of.below}
    return "".join(f", {sign} {bound:.7g}" for sign, bound in bounds.items() if bound is not None)


def _other_defaults() -> str:
    lines = ["## Where a model's defaults differ", "", "| model | defaults |", "|---|---|"]
    for model, entry in MODELS.items():
        told = ", ".join(f"`{name}` {value}" for name, value in entry.recipe.items())
        lines.append(f"| {model} | {told or '–'} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201
