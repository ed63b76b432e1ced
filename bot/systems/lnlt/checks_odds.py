"""What makes the odds of damage checks fast. The rules are in checks.py; here nothing is decided.

A unit's follow-up dice (hero, crew, bail-out) are counted together with its first roll, and faces that come to the same
as one: so all units stay in step, and equal states merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from bot.rules.apart import Part, Parts
from bot.rules.odds import group_faces, group_sums
from bot.rules.ruling import Weighted
from bot.rules.sequence import Plan, Roll, Ruled, Ruling, Settlement
from bot.systems.lnlt.items import Item, Readings

if TYPE_CHECKING:
    from bot.systems.lnlt.checks import Attack, DamageChecks


class Apart:
    """The units of a list that know nothing of each other once the attack is rolled, each a part of its own.

    Not so passengers and their vehicle, and all who come after a leader who may help them.
    """

    def __init__(self, checks: DamageChecks, base: int = 0, kept: dict[tuple[int, int], DamageChecks] | None = None):
        """`base` is where the units of these checks begin in the whole list; `kept` are the checks of its parts."""
        self._checks, self._base = checks, base
        self._kept = {} if kept is None else kept
        self._looks = [_looks(item) for item in checks.items] if checks.also is None else []

    def __call__(self, now: Attack) -> Parts[Attack] | None:
        """The parts where the first die of a unit is owed, and others come after it."""
        if now.owes != "check" or now.keep or now.row:
            return None
        found = [*self._spans(now.at)]
        if len(found) < 2:
            return None
        over = self._checks.finish(now._replace(owes=None, at=self._checks.items[now.at].stop, lm=0))
        parts = tuple(self._part(now, start, stop) for start, stop in found)
        return Parts(parts, None if over.owes is None else lambda _: over)

    def _spans(self, at: int) -> Iterator[tuple[int, int]]:
        """Where each part begins and ends, from a unit on."""
        items = self._checks.items
        stop = items[at].stop
        while at < stop:
            item, end = items[at], at + 1
            if item.kind == "leg" and item.helps and item.later:
                end = stop
            while end < stop and items[end].kind == "passenger":
                end += 1
            yield at, end
            at = end

    def _part(self, now: Attack, start: int, stop: int) -> Part[Attack]:
        item = self._checks.items[start]
        paths = {f"unit {at}": one.path for at, one in enumerate(self._checks.items[start:stop])}
        if item.first and self._checks.outcome:
            paths["outcome"] = "outcome"
        what: object = (self._base + start, self._base + stop)
        if stop == start + 1 and self._looks:
            what = self._looks[start]
        return Part(partial(self._plan, now, start, stop), paths, (what, now.margin, now.lm), _UNLIKE)

    def _plan(self, now: Attack, start: int, stop: int) -> Plan[Attack]:
        base = self._base + start
        checks = self._kept.get((base, self._base + stop))
        if checks is None:
            checks = self._kept[base, self._base + stop] = self._checks.only(start, stop)
        begun, told = checks.begin(type(now)(None, now.margin, lm=now.lm))
        apart = Apart(checks, base, self._kept) if stop > start + 1 else None
        return Plan(begun, checks.counted, _never, told, apart=apart)


_UNLIKE = frozenset({"unit"})


def _looks(item: Item) -> tuple[object, ...]:
    """All of a unit that its check looks at."""
    return item.kind, item.column, item.row, item.state, item.morale, item.hero, item.immune, item.offset, item.flies


def _never(_out: object) -> Settlement:
    raise AssertionError("a part is counted, not played")


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
