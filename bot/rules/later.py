"""What a plan may not need: made when it is first asked for, so that a play pays for no more than its dice ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from bot.rules.ruling import Ruled, S

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


class Steps(Mapping[str, Ruled[S]]):
    """The steps of a plan, each made when it is first owed."""

    __slots__ = ("_made", "_makes")

    def __init__(self, makes: Mapping[str, Callable[[], Ruled[S]]]) -> None:
        self._makes = makes
        self._made: dict[str, Ruled[S]] = {}

    def __getitem__(self, name: str) -> Ruled[S]:
        step = self._made.get(name)
        if step is None:
            step = self._made[name] = self._makes[name]()
        return step

    def __iter__(self) -> Iterator[str]:
        return iter(self._makes)

    def __len__(self) -> int:
        return len(self._makes)
