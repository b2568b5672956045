"""How tables are printed: in a terminal of any width, and as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import chain
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.padding import Padding
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text

# What a column of words can be folded to, and what is left free beside every column.
_WORDS, _GAP = 12, 2
_HTML_STYLES = (("bold", "strong"), ("dim", "small"))


class Table(RichTable):
    """A table in the house style, whose numbers are never cut or broken.

    Where its columns do not fit side by side, every row is a few lines: its name, and below it each
    column's heading with the value.
    """

    def __init__(self, *columns: str, **options: Any) -> None:  # noqa: ANN401 (as Rich's)
        """A table; the first of the columns named has words, the others have numbers."""
        super().__init__(**{"box": box.SIMPLE_HEAD, **options})
        for position, column in enumerate(columns):
            self.words(column) if position == 0 else self.numbers(column)

    def words(self, header: str = "", style: str | None = None) -> None:
        """Add a column of words, which may be folded."""
        self.add_column(header, style=style, overflow="fold")

    def numbers(self, *headers: str, style: str | None = None) -> None:
        """Add columns of numbers, which may not."""
        for header in headers:
            self.add_column(header, style=style, justify="right", no_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = (self._least(console, column) + _GAP for column in self.columns)
        if sum(widths) <= options.max_width:
            yield from super().__rich_console__(console, options)
        else:
            yield from self._row_by_row()

    def _least(self, console: Console, column: Column) -> int:
        """The width that a column needs."""
        cells = (column.header, *column.cells)
        widest = max(console.measure(cell).maximum for cell in cells)
        return widest if column.no_wrap else min(widest, _WORDS)

    def _row_by_row(self) -> Iterator[RichTable | Text | str | Any]:
        yield from (Text("\n" + _plain(part), "bold") for part in (self.title,) if part)
        first = 1 if self.columns[0].justify == "left" else 2
        headings = self.headings()
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            names = " ".join(filter(None, map(_plain, cells[:first])))
            yield Text("\n " + names.strip(), "bold")
            lines = RichTable.grid(padding=(0, 2, 0, 0))
            lines.add_column(style="dim", overflow="fold")
            lines.add_column(overflow="fold")
            for heading, cell in zip(headings[first:], cells[first:], strict=True):
                if _plain(cell):
                    lines.add_row(heading, cell)
            yield Padding(lines, (0, 0, 0, 2))
        yield from (Text("\n" + _plain(part), "dim") for part in (self.caption,) if part)

    def headings(self) -> list[str]:
        """The headers, each in one line; one that begins below another has its first line too."""
        found, above = [], ""
        for header in (_plain(column.header) for column in self.columns):
            top, broken, below = header.partition("\n")
            above = top or above
            found.append(f"{above} {below}" if broken else header)
        return found


def as_html(renderable: object) -> str:
    """What `__rich__` gives, as HTML: tables as tables, and the rest as paragraphs."""
    if hasattr(renderable, "__rich__"):
        return as_html(renderable.__rich__())
    if isinstance(renderable, Group):
        return "".join(map(as_html, renderable.renderables))
    if isinstance(renderable, Padding):
        return as_html(renderable.renderable)
    if isinstance(renderable, RichTable):
        return _html_table(renderable)
    return f'<p style="white-space: pre-line">{_html(renderable)}</p>'


def _html_table(table: RichTable) -> str:
    columns = table.columns
    sides = ["left" if column.justify == "left" else "right" for column in columns]

    def row(tag: str, cells: list[str]) -> str:
        told = (
            f'<{tag} style="text-align: {side}">{cell}</{tag}>'
            for side, cell in zip(sides, cells, strict=True)
        )
        return f"<tr>{''.join(told)}</tr>"

    headings = table.headings() if isinstance(table, Table) else [_plain(c.header) for c in columns]
    rows = zip(*(column.cells for column in columns), strict=True)
    body = "".join(row("td", [_html(cell) for cell in cells]) for cells in rows)
    title = f"<caption>{_html(table.title)}</caption>" if table.title else ""
    caption = f"<p><small>{_html(table.caption)}</small></p>" if table.caption else ""
    head = f"<thead>{row('th', [escape(heading) for heading in headings])}</thead>"
    head = head if table.show_header else ""
    return f"<table>{title}{head}<tbody>{body}</tbody></table>{caption}"


def _html(renderable: object) -> str:
    text = renderable if isinstance(renderable, Text) else Text.from_markup(str(renderable))
    told = escape(text.plain)
    styles = " ".join(str(style) for style in chain([text.style], (s.style for s in text.spans)))
    for word, tag in _HTML_STYLES:
        if word in styles.split():
            told = f"<{tag}>{told}</{tag}>"
    return told


def _plain(renderable: object) -> str:
    """The words of a cell, without markup."""
    text = renderable if isinstance(renderable, Text) else Text.from_markup(str(renderable))
    return text.plain
