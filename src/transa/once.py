"""Values that are computed once, however many threads ask for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar, overload

T = TypeVar("T")


class once(cached_property[T]):  # noqa: N801 (a decorator, as `cached_property` is)
    """A cached property that two threads do not compute at the same time."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        super().__init__(compute)
        self._lock = RLock()

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> once[T]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> once[T] | T:
        if instance is None:
            return self
        # Once computed, the value is found before this is.
        with self._lock:
            return super().__get__(instance, owner)
