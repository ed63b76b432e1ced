"""Parts of a sequence that know nothing of each other once a state is known: each is counted once, and multiplied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from bot.rules.ruling import S

if TYPE_CHECKING:
    from bot.rules.sequence import Plan

Asked = tuple[tuple[str, str], ...]
"""Outputs of a part: the name of the prefix that each begins with, and the rest of it."""


@dataclass(frozen=True, slots=True)
class Part(Generic[S]):
    """A part of a sequence: a plan that goes on from the state, and the outputs that only it tells.

    `paths` are the beginnings of these, each under a name: {"": "targets[2]"}. Parts of one `key` are alike but for the
    beginnings, and for the outputs that end in a word of `unlike`.
    """

    plan: Callable[[], Plan[S]]
    paths: Mapping[str, str]
    key: Hashable = None
    unlike: frozenset[str] = frozenset()

    def known_by(self, asked: Asked) -> Hashable:
        """What this part and those alike have in common when so much of them is asked; None for nothing."""
        if self.key is None or any(rest.rpartition(".")[2] in self.unlike for _, rest in asked):
            return None
        return self.key, asked


@dataclass(frozen=True, slots=True)
class Parts(Generic[S]):
    """What falls apart. When all are at their ends, `then` gives the state in which the sequence goes on, by the bits
    that `sign` reads from each end; without it that is all."""

    each: tuple[Part[S], ...]
    then: Callable[[int], S] | None = None
    sign: Callable[[S], int] | None = None


class Owners:
    """Which part tells an output."""

    def __init__(self, parts: Iterable[Part[Any]]) -> None:
        self._owners = {path: (at, name) for at, part in enumerate(parts) for name, path in part.paths.items()}

    def owner(self, path: str) -> tuple[int, str, str] | None:
        """The place of the part that tells `path`, the name of its beginning, and the rest."""
        end = len(path)
        while end > 0:
            found = self._owners.get(path[:end])
            if found is not None:
                return (*found, path[end:])
            end = max(path.rfind(".", 0, end), path.rfind("[", 0, end))
        return None

    def split(self, wanted: Iterable[str | None]) -> tuple[dict[int, list[tuple[int, str, str]]], bool]:
        """The places of `wanted` by the part that tells them, with name and rest, and whether these are all.

        None is wanted by nobody.
        """
        split: dict[int, list[tuple[int, str, str]]] = {}
        whole = True
        for place, path in enumerate(wanted):
            if path is None:
                continue
            found = self.owner(path)
            if found is None:
                whole = False
            else:
                split.setdefault(found[0], []).append((place, *found[1:]))
        return split, whole
