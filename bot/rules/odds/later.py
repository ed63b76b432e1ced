"""What a plan may not need: made when it is first asked for, so that a play pays for no more than its dice ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """A value that is made at the first call, and the same at each further one."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._made: T

    def __call__(self) -> T:
        """The value."""
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made
