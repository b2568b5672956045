"""A look at a graph before training: what it is made of, and what would flatter a model of it."""

from transa.inspection.inspection import Inspection, inspect

__all__ = ["Inspection", "inspect"]
