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


class Printed(ABC):
    """What Rich can print is text elsewhere, and HTML in a notebook."""

    @abstractmethod
    def __rich__(self) -> RenderableType:
        """How Rich prints it."""

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        from transa.printing import as_html

        return as_html(self)


class Rows(Printed, Sequence[Row], ABC):
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

    def __repr__(self) -> str:
        return str(self)


def as_text(renderable: RenderableType) -> str:
    """What Rich would print, without colours, not wrapped, no blanks at line ends."""
    from rich.console import Console

    # In a notebook Rich would display what it prints, besides.
    page = io.StringIO()
    Console(file=page, width=160, color_system=None, force_jupyter=False).print(renderable)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).strip("\n")
