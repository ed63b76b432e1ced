"""What makes the odds of damage checks fast. The rules are in checks.py; here nothing is decided.

A unit's follow-up dice (hero, crew, bail-out) are counted together with its first roll, and faces that come to the same
as one: so all units stay in step, and equal states merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

from bot.rules.odds.odds import group_faces, group_sums
from bot.rules.sequence.ruling import Ruled, Ruling
from bot.systems.lnlt.items import Attack
from bot.systems.lnlt.readings import Readings

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
