"""What makes the odds of damage checks fast. The rules are in checks.py; here nothing is decided.

A unit's follow-up dice (hero, crew, bail-out) are counted together with its first roll, and faces that come to the same
as one: so all units stay in step, and equal states merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from bot.rules.odds import group_faces, group_sums
from bot.rules.ruling import Weighted
from bot.rules.sequence import Roll, Ruled, Ruling
from bot.systems.lnlt.items import Readings

if TYPE_CHECKING:
    from bot.systems.lnlt.checks import Attack

WAYS = 6**3
"""A unit owes at most three dice: its check, a hero's, and that of its bail-out."""


def together(steps: Mapping[str, Ruled[Attack]], readings: Readings) -> dict[str, Ruled[Attack]]:
    """The steps of damage checks, which also take the longer rolls that they are counted by."""
    counted = _Counted(steps, readings)
    found = {name: Ruled(step.dice, partial(counted.rule, name), counted.groups) for name, step in steps.items()}
    return found | {"morale": Ruled(steps["morale"].dice, steps["morale"].rule, group_sums(2, 6))}


class _Counted:
    def __init__(self, steps: Mapping[str, Ruled[Attack]], readings: Readings) -> None:
        self._rules = {name: step.rule for name, step in steps.items()}
        classes: Mapping[str, Callable[[int], object]] = {
            "check": int,
            "hero": readings.hero,
            "crew": partial(readings.bail_out, "crew"),
            "bail": partial(readings.bail_out, "passengers"),
        }
        self._faces = {owes: cache(partial(group_faces, 6, one)) for owes, one in classes.items()}
        self._last: tuple[Attack, dict[Roll, Ruling[Attack]]] | None = None

    def rule(self, name: str, now: Attack, roll: Roll) -> Ruling[Attack]:
        """A unit's first die, and in the odds all that follow from it."""
        if self._last is not None and self._last[0] is now and roll in self._last[1]:
            return self._last[1][roll]  # it was worked out for the groups
        return self._rules[name](now, roll) if len(roll) == 1 else self._whole(now)[roll][1]

    def groups(self, now: Attack) -> Weighted:
        """The rolls of one unit that differ, each with all the dice that follow."""
        whole = self._whole(now)
        self._last = now, {roll: ruling for roll, (_, ruling) in whole.items()}
        return tuple((ways, roll) for roll, (ways, _) in whole.items())

    def _whole(self, now: Attack) -> dict[Roll, tuple[int, Ruling[Attack]]]:
        """The rolls of one unit that differ: how many equally likely ones each stands for, and what it comes to."""
        return dict(self._follow(Ruling(now), now.at, (), WAYS))

    def _follow(
        self, so_far: Ruling[Attack], at: int, roll: Roll, ways: int
    ) -> Iterator[tuple[Roll, tuple[int, Ruling[Attack]]]]:
        now, owes = so_far.after, so_far.after.owes
        if now.at != at or owes not in self._faces:
            yield roll, (ways, so_far)
            return
        for count, (face,) in self._faces[owes]():
            ruling = self._rules[owes](now, (face,))
            if roll:
                ruling = Ruling(ruling.after, {**so_far.told, **ruling.told})
            yield from self._follow(ruling, at, (*roll, face), ways // 6 * count)
