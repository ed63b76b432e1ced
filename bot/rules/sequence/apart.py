"""Parts of a sequence that know nothing of each other once a state is known: each is counted once, and multiplied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from bot.rules.sequence.ruling import S

if TYPE_CHECKING:
    from bot.rules.sequence.sequence import Plan

Paths = tuple[tuple[str, str], ...]
"""Beginnings of outputs, each under a name: (("", "targets[2]"),)."""
End = tuple[int, Mapping[str, Any], Any]
"""Something that may come of a part: in how many ways, what it tells, and the state at its end, where that is read."""


class Asked(NamedTuple):
    """What is asked of a part: the places of the outputs among all, their paths, and the same without the beginnings.

    `words` are the last words of the paths.
    """

    places: tuple[int, ...]
    paths: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    words: frozenset[str]


class Part(NamedTuple, Generic[S]):
    """A part of a sequence, and the outputs that only it tells: those that begin as `paths` say, none like another.

    `comes` gives all that may come of it at once, or else `plan` goes on from the state. With both, `plan` is for
    outputs that end in a word of `exact_only`. Parts of one `key` are alike but for the beginnings, and for the
    outputs that end in a word of `unlike`.
    """

    paths: Paths
    comes: Callable[[], Sequence[End]] | None = None
    plan: Callable[[], Plan[S]] | None = None
    key: Hashable = None
    unlike: frozenset[str] = frozenset()
    exact_only: frozenset[str] = frozenset()

    def known_by(self, asked: Asked, sign: Callable[[S], int] | None) -> Hashable:
        """What this part and those alike have in common when so much of them is asked; None for nothing."""
        if self.key is None or not asked.words.isdisjoint(self.unlike):
            return None
        return self.key, asked.names, sign is None

    def go_on(self) -> Plan[S]:
        """The plan of a part that needs one."""
        assert self.plan is not None
        return self.plan()


class Parts(NamedTuple, Generic[S]):
    """What falls apart. When all are at their ends, `then` gives the state in which the sequence goes on, by the bits
    that `sign` reads from each end; without it that is all."""

    each: Sequence[Part[S]]
    then: Callable[[int], S] | None = None
    sign: Callable[[S], int] | None = None


def heads(path: str) -> list[str]:
    """All that a path begins with, up to itself: `a`, `a[1]`, `a[1].b`."""
    return [*(path[:end] for end, sign in enumerate(path) if sign in ".["), path]


def last_word(path: str) -> str:
    """The word that a path ends in: `rolls` for `targets[0].rolls[1]`."""
    return path.rpartition(".")[2].partition("[")[0]


class Wanted:
    """Outputs that are asked for, found by the part that tells them; a path that is None is known already."""

    def __init__(self, paths: Sequence[str | None]) -> None:
        self._by_head: dict[str, list[tuple[int, str]]] = {}
        self._asked: dict[Paths, Asked] = {}
        self.count = 0
        for place, path in enumerate(paths):
            if path is not None:
                self.count += 1
                for head in heads(path):
                    self._by_head.setdefault(head, []).append((place, path))

    def of(self, part: Part[Any]) -> Asked:
        """Those that the part tells."""
        asked = self._asked.get(part.paths)
        if asked is None:
            asked = self._asked[part.paths] = self._find(part.paths)
        return asked

    def _find(self, paths: Paths) -> Asked:
        found = sorted(
            (place, path, (name, path[len(head) :]))
            for name, head in paths
            for place, path in self._by_head.get(head, ())
        )
        places, whole, names = zip(*found, strict=True) if found else ((), (), ())
        return Asked(places, whole, names, frozenset(map(last_word, whole)))
