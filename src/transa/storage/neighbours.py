"""``neighbours.safetensors``: the links of an index, and what they must be."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from transa.asking.neighbours.index import Metric, NeighbourIndex, restore_index
from transa.asking.neighbours.links import Links
from transa.errors import StoreError
from transa.files.whole import save_tensors
from transa.models.fitted import FittedModel

_METRICS: tuple[Metric, ...] = ("l1", "l2", "product")


def write_index(path: Path, index: NeighbourIndex) -> None:
    """Write the links; the vectors are in their own file already."""
    links = index.links
    about = np.array([links.width, links.entry, _METRICS.index(index.metric)], dtype=np.int64)
    save_tensors({"about": about, "floors": links.floors, "others": links.others}, path)


def read_index(path: Path, model: FittedModel) -> NeighbourIndex:
    """The index that these links make of a model's vectors, once they are found to be sound.

    Raises:
        StoreError: if they are not.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise StoreError(f"{path.name}: not the links of an index ({error})") from None
    try:
        about, floors, others = (arrays.get(name) for name in ("about", "floors", "others"))
        if floors is None or others is None or about is None:
            raise StoreError("some of its arrays are missing")
        if about.shape != (3,) or about.dtype != np.int64 or not 0 <= about[2] < len(_METRICS):
            raise StoreError("what it is of is not told")
        links = Links(int(about[0]), int(about[1]), floors, others)
        return restore_index(model.tables["entity"], _METRICS[int(about[2])], links)
    except StoreError as error:
        raise StoreError(f"{path.name}: not the links of an index ({error})") from None
