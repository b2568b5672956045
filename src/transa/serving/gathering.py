"""Questions that arrive together are answered together: one kernel call for all that wait.

Nothing waits for company: the first question starts a call at once, and what arrives while it runs
goes into the next. So a lone question is as quick as can be, and a crowd is as cheap.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Generic, TypeVar

from transa.serving.problems import Problem

Q = TypeVar("Q")
A = TypeVar("A")


class Gatherer(Generic[Q, A]):
    """A queue of questions in front of a function that answers many at once.

    Args:
        answer: answers in the order of the questions; called in a thread of `executor`.
        executor: with one thread, so that a call has the cores to itself.
        together: questions in one call, at most; a request is never split.
        waiting: questions in the queue, at most; more are refused.
        seen: told how many questions each call had.
    """

    def __init__(
        self,
        answer: Callable[[Sequence[Q]], Sequence[A]],
        executor: Executor,
        *,
        together: int,
        waiting: int,
        seen: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._answer, self._executor = answer, executor
        self._together, self._most_waiting, self._seen = together, waiting, seen
        self._queue: deque[tuple[Sequence[Q], asyncio.Future[Sequence[A]]]] = deque()
        self._waiting = 0
        self._running: asyncio.Task[None] | None = None

    async def ask(self, questions: Sequence[Q]) -> Sequence[A]:
        """The answers, once a call has been made for them and whoever else asks.

        Raises:
            Problem: if too many are waiting.
        """
        if not questions:
            return []
        if self._waiting + len(questions) > self._most_waiting:
            raise Problem(
                503, "too many questions are waiting; try again", headers={"Retry-After": "1"}
            )
        future: asyncio.Future[Sequence[A]] = asyncio.get_running_loop().create_future()
        self._queue.append((questions, future))
        self._waiting += len(questions)
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._queue:
            taken = self._take()
            if not taken:
                continue
            together = [question for questions, _ in taken for question in questions]
            self._seen(len(together))
            try:
                answers = await loop.run_in_executor(self._executor, self._answer, together)
            except Exception as error:
                for _, future in taken:
                    if not future.done():
                        future.set_exception(error)
                continue
            start = 0
            for questions, future in taken:
                if not future.done():  # its client may have gone
                    future.set_result(answers[start : start + len(questions)])
                start += len(questions)
        self._running = None

    def _take(self) -> list[tuple[Sequence[Q], asyncio.Future[Sequence[A]]]]:
        """The next to be answered; those whose client has gone meanwhile are left out."""
        taken: list[tuple[Sequence[Q], asyncio.Future[Sequence[A]]]] = []
        count = 0
        while self._queue and (not taken or count + len(self._queue[0][0]) <= self._together):
            questions, future = self._queue.popleft()
            self._waiting -= len(questions)
            if not future.done():
                taken.append((questions, future))
                count += len(questions)
        return taken
