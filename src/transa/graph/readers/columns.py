"""Which three columns are head, relation and tail."""

from __future__ import annotations

from collections.abc import Sequence

from transa.errors import InputError
from transa.graph.readers.options import Columns, check_columns
from transa.graph.readers.table import ROLES

# What people call the columns, without case and without the marks that Neo4j (:START_ID) and
# SPARQL (?s) put before a name.
_USUAL_NAMES = {
    "head": {"head", "h", "subject", "subj", "s", "source", "src", "from", "start_id"},
    "relation": {"relation", "rel", "r", "predicate", "pred", "p", "property", "type"},
    "tail": {"tail", "t", "object", "obj", "o", "target", "dst", "to", "end_id"},
}

_MOST_SHOWN = 8


def find_columns(
    header: Sequence[str] | None, width: int, wanted: Columns | None, where: str
) -> tuple[int, int, int]:
    """The positions of head, relation and tail.

    Args:
        header: The names of the columns, if they have any.
        width: How many columns there are.
        wanted: The columns that hold head, relation and tail, in this order: names from the
            header, or positions from 0. The words "head", "relation" and "tail" speak for
            themselves in any order: without a header that has them they say what the columns are,
            from left to right.
        where: The beginning of an error message.
    """
    if wanted is None:
        return _usual_positions(header or []) or _first_three(header, width, where)
    check_columns(wanted)
    if set(wanted) == set(ROLES):
        by_name = header is not None and set(ROLES) <= set(header)
        return _by_name(header or [], ROLES, where) if by_name else _left_to_right(wanted)
    if isinstance(wanted[0], int):
        return _by_position([int(column) for column in wanted], width, where)
    return _by_name(header or [], [str(column) for column in wanted], where)


def is_usual_header(fields: Sequence[str]) -> bool:
    """Whether the fields of a first line name columns rather than things."""
    return _usual_positions(fields) is not None


def are_names_in_a_header(wanted: Columns | None) -> bool:
    """Whether `wanted` can only be understood with a header."""
    return (
        wanted is not None
        and all(isinstance(column, str) for column in wanted)
        and set(wanted) != set(ROLES)
    )


def _usual_positions(header: Sequence[str]) -> tuple[int, int, int] | None:
    plain = [name.strip().lstrip(":?#").casefold() for name in header]
    found = []
    for role in ROLES:
        matches = [i for i, name in enumerate(plain) if name in _USUAL_NAMES[role]]
        if len(matches) != 1:
            return None
        found.append(matches[0])
    head, relation, tail = found
    return head, relation, tail


def _first_three(header: Sequence[str] | None, width: int, where: str) -> tuple[int, int, int]:
    # Without a header the lines themselves are checked for their width, which names the bad one.
    if header is not None and width != 3:
        raise InputError(
            f"{where}: found the columns {_listed(header)}, expected head, relation and tail; "
            f"--columns (columns=...) says which they are"
        )
    return 0, 1, 2


def _left_to_right(roles: Columns) -> tuple[int, int, int]:
    order = [str(role) for role in roles]
    return order.index("head"), order.index("relation"), order.index("tail")


def _by_position(wanted: Sequence[int], width: int, where: str) -> tuple[int, int, int]:
    for position in wanted:
        if not 0 <= position < width:
            raise InputError(
                f"{where}: no column at position {position}; expected 0 to {width - 1} in "
                f"--columns (columns=...), or another --delimiter (delimiter=...)"
            )
    head, relation, tail = wanted
    return head, relation, tail


def _by_name(header: Sequence[str], wanted: Sequence[str], where: str) -> tuple[int, int, int]:
    for name in wanted:
        if list(header).count(name) != 1:
            problem = "no column" if name not in header else "several columns"
            raise InputError(f"{where}: {problem} {name!r}; there are {_listed(header)}")
    head, relation, tail = (list(header).index(name) for name in wanted)
    return head, relation, tail


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:_MOST_SHOWN])
    return f"{shown}, ..." if len(names) > _MOST_SHOWN else shown
