from __future__ import annotations

import multiprocessing
import os

import pytest

from transa.errors import ConfigError
from transa.kernels.threads import available_threads, over_spans, thread_count


def bounds(span, start, stop):
    return span, start, stop


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_spans_cover_all_in_order(threads):
    spans = over_spans(bounds, 10, threads, spans_each=2)
    assert [span for span, _, _ in spans] == list(range(len(spans)))
    covered = [i for _, start, stop in spans for i in range(start, stop)]
    assert covered == list(range(10))


def test_an_error_in_a_span_reaches_the_caller():
    def work(span, start, stop):
        if stop == 10:
            raise ValueError("the last")

    with pytest.raises(ValueError, match="the last"):
        over_spans(work, 10, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    over_spans(bounds, 10, 2)
    child = multiprocessing.get_context("fork").Process(target=over_spans, args=(bounds, 10, 2))
    child.start()
    child.join(30)
    hangs = child.is_alive()
    child.kill()
    assert not hangs
    assert child.exitcode == 0


def test_no_threads_are_all_cores_and_fewer_are_refused():
    assert thread_count(0) == available_threads() >= 1
    assert thread_count(3) == 3
    with pytest.raises(ConfigError, match="threads is not negative"):
        thread_count(-1)
