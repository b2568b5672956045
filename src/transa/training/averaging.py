"""The running mean of the vectors, which is what is validated and kept.

A step moves a vector for one triple, so that at any moment the vectors are a noisy copy of what the
whole graph asks for. Their mean over the last epochs is less noisy, and costs one more table.
"""

from __future__ import annotations

from transa.models.energy import ROWS_AT_A_TIME, Parameters

# Of polynomial-decay averaging (Shamir & Zhang 2013): the mean looks back on about a ninth of the
# epochs so far, so that it forgets how training began, however long it goes on.
ETA = 8


def blend(mean: Parameters, tables: Parameters, epoch: int) -> None:
    """Let the tables as they are after this epoch (counted from 1) enter their mean, in place."""
    weight = (ETA + 1) / (epoch + ETA)
    for name, table in tables.items():
        for first in range(0, len(table), ROWS_AT_A_TIME):
            rows = slice(first, first + ROWS_AT_A_TIME)
            mean[name][rows] *= 1 - weight
            mean[name][rows] += weight * table[rows]
