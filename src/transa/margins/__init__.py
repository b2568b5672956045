"""Fixed and adaptive margins: section 4 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transa.margins.margin import READINGS, Adaptive, Fixed, Margin, Reading

if TYPE_CHECKING:
    from transa.margins.adaptive import adaptive_margins

__all__ = ["READINGS", "Adaptive", "Fixed", "Margin", "Reading", "adaptive_margins"]


def __getattr__(name: str) -> object:
    # Kernels are for those who compute margins, not for those who name one.
    if name == "adaptive_margins":
        from transa.margins.adaptive import adaptive_margins

        return adaptive_margins
    raise AttributeError(f"module 'transa.margins' has no attribute {name!r}")
