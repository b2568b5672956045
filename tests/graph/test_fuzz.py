"""A slice of `torture.readers`, the same in every run: no file crashes or hangs a reader."""

from __future__ import annotations

import math

from torture.children import run_cases
from torture.outcomes import Ending


def test_any_file_is_a_graph_or_a_sentence():
    outcomes = run_cases("torture.readers", seed=16, deadline=math.inf, most=250)
    assert outcomes.found == []
    # Both ends are reached often, or the slice would show little.
    assert outcomes.counts[Ending.SURVIVED] > 25
    assert outcomes.counts[Ending.REFUSED] > 100
    assert outcomes.counts.total() == 250
