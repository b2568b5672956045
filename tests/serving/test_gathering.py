"""Questions that arrive together share a call."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from transa.serving.gathering import Gatherer
from transa.serving.problems import Problem


class Kernel:
    """Doubles numbers; waits for leave, and remembers its calls."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.leave = threading.Event()

    def __call__(self, asked):
        self.calls.append(list(asked))
        self.leave.wait(30)
        if 13 in asked:
            raise ValueError("thirteen")
        return [2 * each for each in asked]


def run(scenario, **options):
    kernel = Kernel()
    with ThreadPoolExecutor(1) as executor:
        settings = {"together": 4, "waiting": 10, **options}

        async def scene():
            return await scenario(Gatherer(kernel, executor, **settings), kernel)

        return kernel, asyncio.run(scene())


async def begun(kernel, calls=1):
    while len(kernel.calls) < calls:
        await asyncio.sleep(0.001)


def test_what_arrives_during_a_call_goes_into_the_next():
    async def scenario(gatherer, kernel):
        first = asyncio.create_task(gatherer.ask([1]))
        await begun(kernel)
        others = [asyncio.create_task(gatherer.ask([n])) for n in (2, 3, 4)]
        await asyncio.sleep(0)
        kernel.leave.set()
        return await asyncio.gather(first, *others)

    kernel, answers = run(scenario)
    assert kernel.calls == [[1], [2, 3, 4]]
    assert answers == [[2], [4], [6], [8]]


def test_a_call_has_a_bound_and_no_request_is_split():
    async def scenario(gatherer, kernel):
        first = asyncio.create_task(gatherer.ask([0]))
        await begun(kernel)
        others = [asyncio.create_task(gatherer.ask([n] * 3)) for n in (1, 2)]
        await asyncio.sleep(0)
        kernel.leave.set()
        return await asyncio.gather(first, *others)

    kernel, _ = run(scenario)
    assert kernel.calls == [[0], [1, 1, 1], [2, 2, 2]]


def test_too_many_are_refused_and_the_others_answered():
    async def scenario(gatherer, kernel):
        first = asyncio.create_task(gatherer.ask([1]))
        await begun(kernel)
        waiting = asyncio.create_task(gatherer.ask([2] * 9))
        await asyncio.sleep(0)
        with pytest.raises(Problem, match="too many"):
            await gatherer.ask([3, 4])
        kernel.leave.set()
        return await asyncio.gather(first, waiting)

    _, answers = run(scenario)
    assert answers == [[2], [4] * 9]


def test_what_fails_is_told_to_all_who_shared_the_call():
    async def scenario(gatherer, kernel):
        kernel.leave.set()
        failed = await asyncio.gather(gatherer.ask([13]), gatherer.ask([1]), return_exceptions=True)
        return failed, await gatherer.ask([2])

    _, (failed, after) = run(scenario)
    assert [str(each) for each in failed] == ["thirteen", "thirteen"]
    assert after == [4]


def test_who_has_gone_is_not_answered():
    async def scenario(gatherer, kernel):
        first = asyncio.create_task(gatherer.ask([1]))
        await begun(kernel)
        gone = asyncio.create_task(gatherer.ask([2]))
        await asyncio.sleep(0)
        gone.cancel()
        first.cancel()
        await asyncio.sleep(0)
        kernel.leave.set()
        return await gatherer.ask([3])

    kernel, answers = run(scenario)
    assert answers == [6]
    assert [2] not in kernel.calls


def test_nothing_asked_is_nothing_done():
    kernel, answers = run(lambda gatherer, _: gatherer.ask([]))
    assert (kernel.calls, answers) == ([], [])
