"""Fixed and adaptive margins: section 4 of the paper."""

from transa.margins.adaptive import adaptive_margins
from transa.margins.margin import READINGS, Adaptive, Fixed, Margin, Reading

__all__ = ["READINGS", "Adaptive", "Fixed", "Margin", "Reading", "adaptive_margins"]
