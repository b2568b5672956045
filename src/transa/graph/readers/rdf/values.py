"""Literals that can be put in an order: numbers and dates."""

from __future__ import annotations

import math
import re

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBERS = frozenset(
    _XSD + name
    for name in (
        *("integer", "decimal", "double", "float", "long", "int", "short", "byte"),
        *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
        *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    )
)
_DATES = frozenset(
    _XSD + name for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")
)
_DATE = re.compile(
    r"(?P<year>-?\d{4,9})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:T(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d(?:\.\d+)?))?)?)?(?:Z|[+-]\d\d:\d\d)?"
)


def value_of(text: str, datatype: str) -> float | None:
    """A number that orders the literal among its like; None if it is of another kind."""
    if datatype in _NUMBERS:
        try:
            value = float(text)
        except ValueError:
            return None
        return value if math.isfinite(value) else None
    found = _DATE.fullmatch(text) if datatype in _DATES else None
    return None if found is None else _days(found)


def _days(date: re.Match[str]) -> float:
    """Days, in months of 31: an order, not a distance."""
    part = {name: float(digits or 0) for name, digits in date.groupdict().items()}
    months = 12 * part["year"] + max(part["month"], 1) - 1
    hours = part["hour"] + part["minute"] / 60 + part["second"] / 3600
    return 31 * months + max(part["day"], 1) - 1 + hours / 24
