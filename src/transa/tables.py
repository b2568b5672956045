"""Rows as a table: to print, to loop over, to hand on as a frame."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from transa.errors import optional

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from _typeshed import DataclassInstance
    from rich.console import RenderableType

Row = TypeVar("Row", bound="DataclassInstance")


class Rows(Sequence[Row], ABC):
    """A sequence of dataclasses that prints as a table: the base of dataclasses that hold `rows`.

    Attributes:
        rows: what it holds.
        schema: the Polars type of each column.
    """

    schema: ClassVar[Mapping[str, Any]]
    rows: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dictionary a row."""
        return [asdict(row) for row in self.rows]

    def to_polars(self) -> pl.DataFrame:
        """A Polars frame."""
        import polars as pl

        return pl.DataFrame(self.to_dicts(), schema=dict(self.schema))

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame; needs the extra `pandas`."""
        for module in ("pandas", "pyarrow"):
            optional(module, "pandas", "to_pandas()")
        return self.to_polars().to_pandas()

    @abstractmethod
    def __rich__(self) -> RenderableType:
        """How Rich prints it."""

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


def as_text(renderable: RenderableType) -> str:
    """What Rich would print, without colours, not wrapped, no blanks at line ends."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=160, color_system=None)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()).strip("\n")
