"""What makes the odds of damage checks fast. The rules are in checks.py; here nothing is decided.

A unit's follow-up dice (hero, crew, bail-out) are counted together with its first roll, and faces that come to the same
as one: so all units stay in step, and equal states merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from bot.rules.odds.odds import group_faces, group_sums
from bot.rules.sequence.ruling import Ruled, Ruling
from bot.rules.sequence.sequence import End, Part, Parts
from bot.systems.lnlt.items import Item
from bot.systems.lnlt.readings import Readings

if TYPE_CHECKING:
    from bot.systems.lnlt.checks import Attack, DamageChecks


class Apart:
    """The units of a list that know nothing of each other once the attack is rolled, each a part of its own.

    They go as far as to a leader, who may help those after them. Passengers and their vehicle are not told apart.
    """

    def __init__(self, checks: DamageChecks) -> None:
        self._checks = checks
        self._paths = [_paths(item, outcome=checks.outcome) for item in checks.items]
        self._looks: list[object] = [at if checks.also else _looks(item) for at, item in enumerate(checks.items)]

    def __call__(self, now: Attack) -> Parts[Attack] | None:
        """The parts where the first die of a unit is owed, and the list holds others."""
        items, end = self._checks.items, now.at
        if now.owes != "check" or len(items) == 1:
            return None
        stop = items[end].stop
        while end < stop and not (end > now.at and items[end - 1].helps):
            if items[end].kind != "leg":
                return None
            end += 1
        parts = [self._part(now, at) for at in range(now.at, end)]
        if end == stop:
            over = self._checks.finish(now._replace(owes=None, at=stop, lm=0))
            return Parts(parts, None if over.owes is None else lambda _: over)
        helped = max(now.lm, items[end - 1].helps)
        rest = [self._checks.begin(now._replace(owes=None, at=end, lm=lm))[0] for lm in (now.lm, helped)]
        return Parts(parts, lambda bits: rest[bits], lambda end: end.lm > now.lm)

    def _part(self, now: Attack, at: int) -> Part[Attack]:
        item, checks = self._checks.items[at], self._checks

        def comes() -> list[End]:
            begun, told = checks.begin(now._replace(owes=None, at=at))
            if begun.at != at or begun.owes is None:
                return [(1, told, begun)]
            whole = checks.counted[begun.owes].comes
            assert whole is not None
            return [(ways, ruling.told, ruling.after) for ways, ruling in whole(begun)]

        shift = now.margin + item.offset
        key = self._looks[at], shift - now.lm, checks.only_hit and shift <= 0, item.helps > now.lm
        return Part(self._paths[at], comes, None, key, _UNLIKE)


_UNLIKE = frozenset({"unit"})


def _paths(item: Item, *, outcome: bool) -> tuple[tuple[str, str], ...]:
    """Where the outputs of a unit are."""
    return (("", item.path), ("outcome", "outcome")) if item.first and outcome else (("", item.path),)


def _looks(item: Item) -> tuple[object, ...]:
    """All of a unit that its check looks at."""
    return item.kind, item.column, item.row, item.state, item.morale, item.hero, item.immune, item.flies


WAYS = 6**3
"""A unit owes at most three dice: its check, a hero's, and that of its bail-out."""


def together(steps: Mapping[str, Ruled[Attack]], readings: Readings) -> dict[str, Ruled[Attack]]:
    """The steps of damage checks, for odds with all dice of a unit that follow its first."""
    counted = Whole(steps, readings)
    found = {name: replace(step, comes=counted.comes) for name, step in steps.items()}
    return found | {"morale": replace(steps["morale"], groups=group_sums(2, 6))}


class Whole:
    """All that may come of one unit: its first die and those that follow, faces that come to the same as one."""

    def __init__(self, steps: Mapping[str, Ruled[Attack]], readings: Readings) -> None:
        self._rules = {name: step.rule for name, step in steps.items()}
        classes: Mapping[str, Callable[[int], object]] = {
            "check": int,
            "hero": readings.hero,
            "crew": partial(readings.bail_out, "crew"),
            "bail": partial(readings.bail_out, "passengers"),
        }
        self._faces = {owes: cache(partial(group_faces, 6, one)) for owes, one in classes.items()}

    def comes(self, now: Attack) -> list[tuple[int, Ruling[Attack]]]:
        """What a unit comes to from its first die on, each in how many of the equally likely ways."""
        return list(self._follow(Ruling(now), now.at, WAYS))

    def _follow(self, so_far: Ruling[Attack], at: int, ways: int) -> Iterator[tuple[int, Ruling[Attack]]]:
        now, owes = so_far.after, so_far.after.owes
        if now.at != at or owes not in self._faces:
            yield ways, so_far
            return
        for count, face in self._faces[owes]():
            ruling = self._rules[owes](now, face)
            if so_far.told:
                ruling = Ruling(ruling.after, {**so_far.told, **ruling.told})
            yield from self._follow(ruling, at, ways // 6 * count)
