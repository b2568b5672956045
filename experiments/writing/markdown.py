"""Tables and figures in words, for Markdown."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Iterable, Sequence


def wrapped(text: str) -> str:
    """The same text with its paragraphs in lines of a readable length; tables stay as they are."""

    def of_block(block: str) -> str:
        if block.startswith(("|", "!", "#", " ")):
            return block
        return textwrap.fill(block, 100, break_long_words=False, break_on_hyphens=False)

    return "\n\n".join(of_block(block) for block in text.split("\n\n"))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first column is of words, the others of numbers."""
    rules = ["---", *["---:"] * (len(header) - 1)]
    lines = [header, rules, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float | None, digits: int = 0) -> str:
    """A figure with so many decimals; a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The mean, and over several seeds their standard deviation."""
    if not values:
        return "–"
    mean = number(statistics.fmean(values), digits)
    return mean if len(values) == 1 else f"{mean} ± {number(statistics.stdev(values), digits)}"


def share(values: Sequence[float], digits: int = 3) -> str:
    """Shares such as MRR, without their leading zero."""
    return spread(values, digits).replace("0.", ".")
