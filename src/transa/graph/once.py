"""Values that are computed once, however many threads ask for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")


def once(compute: Callable[[Any], T]) -> cached_property[T]:
    """A cached property that two threads do not compute at the same time; a decorator."""
    lock, name = RLock(), compute.__name__

    def computed(instance: object) -> T:
        with lock:
            if name not in vars(instance):
                vars(instance)[name] = compute(instance)
            found: T = vars(instance)[name]
        return found

    computed.__doc__ = compute.__doc__
    return cached_property(computed)
