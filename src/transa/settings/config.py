"""Settings as plain data: what a config file, a model folder and a constructor have in common.

A setting is named once, flat: the model, its energy's hyper-parameters and its recipe's fields
stand side by side (``model: transa``, ``dim: 100``, ``epochs: 50``). Only the margin has an inside,
told by its kind: ``margin: {kind: adaptive, mu: 0.5}``; a bare number is a fixed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from transa.declarations import declarations, refuse_unknown, suggestion
from transa.errors import ConfigError
from transa.margins.margin import Adaptive, Fixed
from transa.models import MODELS, Energy
from transa.settings.recipe import Recipe

Plain: TypeAlias = dict[str, Any]
"""What JSON and YAML can hold."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides a model but the graph.

    Example:
        >>> settings = make_settings("transa", dim=50, margin={"kind": "adaptive", "mu": 0.5})
        >>> settings.energy.dim, settings.recipe.margin.mu
        (50, 0.5)
        >>> make_settings(**to_plain(settings)) == settings
        True
    """

    model: str
    energy: Energy
    recipe: Recipe

    @property
    def by_name(self) -> Plain:
        """All but the model, side by side."""
        return {**vars(self.energy), **vars(self.recipe)}


def make_settings(model: str = "transa", **options: object) -> Settings:
    """Settings from the options given, typed or plain; the others keep their fixed defaults.

    Raises:
        ConfigError: for a model, option or value that does not exist; says what does.
    """
    return with_defaults(model, {}, options)


def with_defaults(
    model: str, defaults: Mapping[str, object], options: Mapping[str, object]
) -> Settings:
    """The same with other defaults than the model's own; those of no use beside it are left out."""
    if not isinstance(model, str):
        raise ConfigError(f"model is a word, found {model!r}")
    # As papers write it.
    model = model if model in MODELS else model.lower()
    if model not in MODELS:
        raise ConfigError(f"no model {model!r}; {suggestion(model, MODELS)}")
    kind = MODELS[model]
    of_energy, of_recipe = declarations(kind.energy), declarations(Recipe)
    for name in sorted(declarations(Adaptive).keys() & options):
        raise ConfigError(
            f"{name} is of the margin: margin=transa.Adaptive({name}=...), in a file "
            f"margin: {{kind: adaptive, {name}: ...}}"
        )
    refuse_unknown([*kind.recipe, *options], {**of_energy, **of_recipe}, model)
    own = {**kind.recipe, **defaults}
    options = {"margin": Fixed(), **_of_use(own, options), **options}
    recipe = Recipe(**_named(of_recipe, options))
    if model == "transa" and not isinstance(recipe.margin, Adaptive):
        raise ConfigError(
            f"TransA's margin is adaptive; a fixed margin of {recipe.margin.value:g} makes it "
            "TransE: choose the model transe"
        )
    return Settings(model, kind.energy(**_named(of_energy, options)), recipe)


def _of_use(defaults: Mapping[str, object], given: Mapping[str, object]) -> Plain:
    """A model's own defaults, but those that count for nothing beside what is given."""
    together = {**defaults, **given}
    needs = {name: declared.needs for name, declared in declarations(Recipe).items()}
    return {
        name: value
        for name, value in defaults.items()
        if all(together.get(n, words[0]) in words for n, words in needs.get(name, {}).items())
    }


def _named(names: Iterable[str], options: Mapping[str, object]) -> Plain:
    return {name: options[name] for name in names if name in options}


def suited(settings: Settings, n_entities: int, n_triples: int) -> Settings:
    """The same with the dimensions that suit a graph of so many entities and training triples."""
    energy = settings.energy
    return replace(settings, energy=replace(energy, dim=energy.dim_for(n_entities, n_triples)))


def to_plain(settings: Settings) -> Plain:
    """The flat form, every setting written out; `make_settings` is its inverse."""
    margin = settings.recipe.margin
    plain_margin = {"kind": margin.kind, **asdict(margin)}
    return {"model": settings.model, **settings.by_name, "margin": plain_margin}


def read_options(path: Path) -> Plain:
    """The options of a YAML or JSON file; a model folder's ``config.json`` does as well.

    Raises:
        ConfigError: for a file that is missing or is not a mapping of options.
    """
    import yaml

    try:
        # JSON is YAML, so one parser reads both.
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise ConfigError(f"{path}: neither YAML nor JSON") from None
    if isinstance(content, dict) and isinstance(content.get("settings"), dict):
        content = content["settings"]
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ConfigError(f"{path}: expected options, one 'name: value' a line")
    return content


def to_yaml(settings: Settings) -> str:
    """A config file that `read_options` reads again."""
    import yaml

    text: str = yaml.safe_dump(to_plain(settings), sort_keys=False)
    return text
