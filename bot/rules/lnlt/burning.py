"""The fire check after a natural 6 against a flammable hex."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bot.rules.chart import Charts
from bot.rules.dice import d6
from bot.rules.lnlt.checks import NONE, Attack
from bot.rules.odds import group_faces
from bot.rules.sequence import Line, Roll, Step, Told

DIE = d6("fire check")
OWES = "fire check"


def then_fire_check(state: Attack) -> Attack:
    """After everything else: the fire check if one is due, otherwise the end."""
    return Attack(OWES) if state.six else Attack(None)


def fire_check(charts: Charts) -> Step[Any]:
    """Whether the target hex burns. Source: PAC 12 (10.5.6)."""
    start = charts["fire-start"]

    def word(roll: Roll) -> str:
        return "fire" if start(roll=roll[0])["fire"] else "no-fire"

    def apply(state: Attack, roll: Roll) -> Attack:
        del roll
        return replace(state, owes=None, six=False)

    def tells(before: Attack, roll: Roll, after: Attack) -> Told:
        del before, after
        return {"fire_check": word(roll)}

    def story(before: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
        del before, after
        yield Line("fire check", roll, result="a fire starts" if word(roll) == "fire" else "no fire")

    groups = group_faces(6, lambda face: word((face,)))
    return Step((DIE,), apply, tells, story, groups=lambda _: groups)


def told_before(flammable: bool) -> Told:
    """`fire_check` where none can come."""
    return {} if flammable else {"fire_check": NONE}
