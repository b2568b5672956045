"""Vectors in memory, as the libraries that people work with have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from transa.errors import one_of, optional
from transa.files.forks import before_polars
from transa.models.fitted import FittedModel
from transa.storage.export import labelled_vectors, vector_frame

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

Library: TypeAlias = Literal["polars", "pandas", "numpy", "arrow"]


def vectors_of(
    model: FittedModel, table: str = "entity", to: Library = "polars"
) -> pl.DataFrame | pd.DataFrame | pa.Table | NDArray[np.float32]:
    """One table of a model, a row a label; see `Estimator.vectors`."""
    one_of("the library of vectors", to, get_args(Library))
    vocabulary, rows = labelled_vectors(model, table)
    if to == "numpy":
        return rows
    if to == "pandas":
        pandas = optional("pandas", "pandas", "vectors as a pandas frame")
        index = pandas.Index(vocabulary.labels.to_list(), name="label")
        made: pd.DataFrame = pandas.DataFrame(rows, index=index)
        return made
    before_polars()
    frame = vector_frame(vocabulary, rows)
    if to == "polars":
        return frame
    optional("pyarrow", "pandas", "vectors as an Arrow table")
    return frame.to_arrow()
