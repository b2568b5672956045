"""From the files as their homes publish them to one layout: pure functions on text.

They accept any bytes: whether the outcome is right is for its checksum to say.
"""

from __future__ import annotations

import json


def lines(text: bytes) -> bytes:
    """The same lines, each ended by a line feed."""
    return _joined(text.splitlines())


def positives(labelled: bytes) -> bytes:
    """The true triples of a file whose fourth column is 1 or -1."""
    return _joined([row[:-2] for row in labelled.splitlines() if row.endswith(b"\t1")])


def labelled(true: bytes, false: bytes) -> bytes:
    """True triples, then false ones, with that fourth column."""
    return _joined(
        [
            *(row + b"\t1" for row in true.splitlines()),
            *(row + b"\t-1" for row in false.splitlines()),
        ]
    )


def names(table: bytes) -> bytes:
    """The first two columns, label and name, in the order of the labels."""
    return _joined(sorted(b"\t".join(row.split(b"\t")[:2]) for row in table.splitlines()))


def names_of_present(table: bytes, *splits: bytes) -> bytes:
    """Those names whose entity occurs in one of the splits."""
    triples = [row.split(b"\t") for split in splits for row in split.splitlines()]
    present = {row[column] for row in triples if len(row) == 3 for column in (0, 2)}
    named = names(table).splitlines()
    return _joined([row for row in named if row.split(b"\t")[0] in present])


def relation_labels(table: bytes, triples: bytes) -> bytes:
    """Names of the relations that occur, from CoDEx's JSON of all relations."""
    try:
        described = json.loads(table)
        named = {label: text["label"] for label, text in described.items()}
    except (ValueError, AttributeError, TypeError, KeyError):
        named = {}
    rows = [row.split(b"\t") for row in triples.splitlines()]
    present = {row[1].decode(errors="replace") for row in rows if len(row) == 3}
    return _joined(sorted(f"{r}\t{named[r]}".encode() for r in present & named.keys()))


def _joined(rows: list[bytes]) -> bytes:
    return b"".join(row + b"\n" for row in rows)
