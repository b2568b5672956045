"""Triples of valid and test with an entity or a relation that train does not have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.errors import InputError
from transa.graph.building.numbering import Encoded
from transa.graph.graph import Triples
from transa.graph.readers.table import Table

Mask = NDArray[np.bool_]


def unseen_triples(encoded: Encoded) -> dict[str, Mask]:
    """For each split, which of its triples have a label that train does not have."""
    entities, relations = _in_train(encoded)
    return {
        split: ~(entities[ids[:, 0]] & relations[ids[:, 1]] & entities[ids[:, 2]])
        for split, ids in encoded.triples.items()
    }


def refuse_unseen(
    tables: Mapping[str, Table], encoded: Encoded, unseen: Mapping[str, Mask]
) -> None:
    """Raise for the first triple that has an unseen label."""
    for split, mask in unseen.items():
        if not mask.any():
            continue
        row = int(mask.argmax())
        table = tables[split]
        raise InputError(
            f"{table.source}, {table.place(row)}: {_unseen_label(encoded, split, row)} does not "
            f"occur in train ({mask.sum():,} of {len(mask):,} triples have such a label); "
            f"--unseen drop (unseen='drop') leaves them out, keep keeps them, with vectors that no "
            f"triple has trained"
        )


def drop_unseen(encoded: Encoded, unseen: Mapping[str, Mask]) -> Encoded:
    """Without those triples, and without the labels that only they have."""
    entities, relations = _in_train(encoded)
    new_entity, new_relation = np.cumsum(entities) - 1, np.cumsum(relations) - 1

    def renumbered(ids: Triples) -> Triples:
        columns = (new_entity[ids[:, 0]], new_relation[ids[:, 1]], new_entity[ids[:, 2]])
        return np.stack(columns, axis=1).astype(np.int32)

    return Encoded(
        {split: renumbered(ids[~unseen[split]]) for split, ids in encoded.triples.items()},
        encoded.entities.filter(pl.Series(entities)),
        encoded.relations.filter(pl.Series(relations)),
    )


def _in_train(encoded: Encoded) -> tuple[Mask, Mask]:
    train = encoded.triples["train"]
    entities = np.zeros(len(encoded.entities), dtype=np.bool_)
    relations = np.zeros(len(encoded.relations), dtype=np.bool_)
    entities[train[:, 0]] = entities[train[:, 2]] = True
    relations[train[:, 1]] = True
    return entities, relations


def _unseen_label(encoded: Encoded, split: str, row: int) -> str:
    entities, relations = _in_train(encoded)
    head, relation, tail = encoded.triples[split][row]
    if not relations[relation]:
        return f"the relation {encoded.relations[int(relation)]!r}"
    return f"the entity {encoded.entities[int(tail if entities[head] else head)]!r}"
