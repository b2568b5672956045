"""A file of labelled triples of any size, whose entities occur by a power law."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

# How often an entity occurs falls with its number to this power.
EXPONENT = 0.5
RELATIONS = 100
_PART = 1_000_000


def write_power_law(path: Path, triples: int, entities: int) -> None:
    """Write triples as tab-separated labels, part by part; every entity has a label of its own."""
    with path.open("wb") as file:
        for part, first in enumerate(range(0, triples, _PART)):
            rng = np.random.default_rng((entities, part))
            n = min(_PART, triples - first)
            # By inversion: the share of the first i entities is about (i / n) ** (1 − EXPONENT).
            drawn = rng.random((n, 2)) ** (1 / (1 - EXPONENT))
            heads, tails = (drawn * entities).astype(np.int64).T
            frame = pl.DataFrame({"h": heads, "r": rng.integers(RELATIONS, size=n), "t": tails})
            labels = (
                pl.format("http://example.org/entity/{}", "h").alias("h"),
                pl.format("relation/{}", "r").alias("r"),
                pl.format("http://example.org/entity/{}", "t").alias("t"),
            )
            frame.select(labels).write_csv(file, separator="\t", include_header=False)
