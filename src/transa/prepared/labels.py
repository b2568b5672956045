"""Labels numbered without holding them all: each is known by a hash of 64 bits.

A part of the source leaves its triples as hashes and its distinct labels beside theirs, sorted by
hash. Ranges of hashes are then taken together from all parts: the position of a hash among all is
the id of its label, which makes the order of ids a random one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.files.whole import whole_file

Hashes = NDArray[np.uint64]

# Ranges of hashes that are taken together: a part's labels are read by as many row groups.
RANGES = 64


class HashCollisionError(Exception):
    """Two labels have the same hash: with another seed they will not."""


def write_part(frame: pl.DataFrame, seed: int, edges: Path, labels: Path) -> list[str]:
    """Write a part's triples as hashes, and its labels; its relations, in the order of their ids.

    Relations are few, and are numbered by the part.
    """
    ends = [frame[role].cast(pl.String) for role in ("head", "tail")]
    relations = frame["relation"].cast(pl.String)
    names = relations.unique().sort()
    numbered = {
        "head": ends[0].hash(seed),
        "relation": relations.cast(pl.Enum(names)).to_physical().cast(pl.Int32),
        "tail": ends[1].hash(seed),
    }
    distinct = pl.concat([each.alias("label").unique() for each in ends]).unique().to_frame()
    distinct = distinct.with_columns(hash=pl.col("label").hash(seed)).sort("hash")
    with whole_file(labels) as part:
        distinct.write_parquet(part, row_group_size=max(1024, len(distinct) // RANGES))
    # Last, so that a part with triples is whole.
    with whole_file(edges) as part:
        pl.DataFrame(numbered).write_parquet(part, compression="lz4")
    return names.to_list()


def merge_labels(parts: list[Path], out: Path, n_ranges: int = RANGES) -> Hashes:
    """Write every label once, in the order of the hashes, which are returned.

    Raises:
        HashCollisionError: if two labels have one hash.
    """
    hashes: list[Hashes] = []
    with whole_file(out) as part:
        for n, frame in enumerate(_ranges(parts, n_ranges)):
            if frame["hash"].n_unique() != len(frame):
                raise HashCollisionError
            hashes.append(frame["hash"].to_numpy())
            frame.select("label").write_parquet(part.with_name(f"{part.name}.{n:03}"))
        pieces = sorted(part.parent.glob(f"{part.name}.*"))
        pl.scan_parquet(pieces).sink_parquet(part, row_group_size=1 << 16)
        for piece in pieces:
            piece.unlink()
    return np.concatenate(hashes)


def _ranges(parts: list[Path], n_ranges: int) -> Iterator[pl.DataFrame]:
    """The distinct labels of one range of hashes after the other, in their order."""
    scan = pl.scan_parquet(parts)
    bounds = [(1 << 64) * n // n_ranges for n in range(n_ranges + 1)]
    for first, end in pairwise(bounds):
        inside = (pl.col("hash") >= pl.lit(first, pl.UInt64)) & (
            pl.col("hash") <= pl.lit(end - 1, pl.UInt64)
        )
        yield scan.filter(inside).unique().sort("hash").collect(engine="streaming")


def ids_of(hashes: Hashes, wanted: Hashes) -> NDArray[np.int32]:
    """The positions of hashes among all."""
    return np.searchsorted(hashes, wanted).astype(np.int32)
