"""Which three columns are head, relation and tail."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transa.errors import InputError
from transa.graph.readers.options import Columns, check_columns
from transa.graph.readers.table import ROLES

# What people call the columns together; the first that are all there are meant.
_FAMILIES = (
    ("head", "relation", "tail"),
    ("h", "r", "t"),
    ("subject", "predicate", "object"),
    ("s", "p", "o"),
    ("source", "type", "target"),
    ("from", "type", "to"),
    ("start_id", "type", "end_id"),
    ("node1", "label", "node2"),
)
# What they may be called each, without case and without the marks that Neo4j (:START_ID, _start)
# and SPARQL (?s) put before a name.
_USUAL_NAMES = {
    "head": (
        *("head", "h", "subject", "subj", "s", "source", "src", "from", "start_id", "start"),
        *("node1", "head_id", "subject_id", "source_id"),
    ),
    "relation": (
        *("relation", "rel", "r", "predicate", "pred", "p", "property", "type"),
        *("relationship", "relation_type", "edge_type", "relation_id", "predicate_id"),
    ),
    "tail": (
        *("tail", "t", "object", "obj", "o", "target", "dst", "to", "end_id", "end"),
        *("node2", "tail_id", "object_id", "target_id"),
    ),
}
_NEO4J = re.compile(
    r"[^:]*:(?P<what>START_ID|END_ID|TYPE|ID)(?:\((?P<space>[^)]*)\))?\s*(?:\{.*\})?\s*",
    re.IGNORECASE,
)

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


def neo4j_columns(header: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Of Neo4j's START_ID, END_ID, TYPE and ID those there are: where, and of which id space.

    Ids of two spaces (``:START_ID(Person)``) may be the same, and be of two things.
    """
    found = ((i, _NEO4J.fullmatch(name.strip())) for i, name in enumerate(header))
    return {m["what"].upper(): (i, m["space"] or "") for i, m in found if m is not None}


def chosen_columns(
    header: Sequence[str],
    head: str | int | None,
    relation: str | int | None,
    tail: str | int | None,
    where: str,
) -> tuple[int, int, int]:
    """The positions of columns that are told one by one; those that are not are found by name.

    Args:
        header: The names of the columns.
        head: A name or a position from 0.
        relation: The same.
        tail: The same.
        where: The beginning of an error message.
    """
    plain = _plain(header)
    places = []
    for role, wanted in zip(ROLES, (head, relation, tail), strict=True):
        if type(wanted) is int:
            if not 0 <= wanted < len(header):
                raise InputError(
                    f"{where}: no column at position {wanted}; expected 0 to {len(header) - 1} as "
                    f"{role}"
                )
            places.append(wanted)
        elif wanted is not None:
            if list(header).count(str(wanted)) != 1:
                raise InputError(_no_column(header, str(wanted), where))
            places.append(list(header).index(str(wanted)))
        else:
            usual = [i for i, name in enumerate(plain) if name in _USUAL_NAMES[role]]
            if len(usual) != 1:
                raise InputError(
                    f"{where}: found the columns {_listed(header)}; {role}=... says which is the "
                    f"{role}"
                )
            places.append(usual[0])
    if len(set(places)) != len(ROLES):
        raise InputError(
            f"{where}: head, relation and tail are three columns, found {places} of "
            f"{_listed(header)}; say head=, relation= and tail="
        )
    first, second, third = places
    return first, second, third


def _plain(header: Sequence[str]) -> list[str]:
    bare = (re.sub(r"\(.*\)\s*$", "", name.strip()) for name in header)
    return [name.lstrip(":?#_").casefold() for name in bare]


def _usual_positions(header: Sequence[str]) -> tuple[int, int, int] | None:
    plain = _plain(header)
    for family in _FAMILIES:
        if all(plain.count(name) == 1 for name in family):
            first, second, third = map(plain.index, family)
            return first, second, third
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
            raise InputError(_no_column(header, name, where))
    head, relation, tail = (list(header).index(name) for name in wanted)
    return head, relation, tail


def _no_column(header: Sequence[str], name: str, where: str) -> str:
    problem = "no column" if name not in header else "several columns"
    return (
        f"{where}: {problem} {name!r}; there are {_listed(header)} (--columns or columns=... also "
        f"takes positions from 0, --delimiter or delimiter=... says what separates columns)"
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:_MOST_SHOWN])
    return f"{shown}, ..." if len(names) > _MOST_SHOWN else shown
