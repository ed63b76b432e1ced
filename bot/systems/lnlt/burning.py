"""The fire check after a natural 6 against a flammable hex."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.rules.dice import d6
from bot.rules.odds.rolls import group_faces
from bot.rules.sequence.sequence import Line, Outputs, Roll, Ruled, Ruling, ruled
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.items import Attack
from bot.systems.lnlt.readings import Readings
from bot.systems.lnlt.reasons import one_of

DIE = d6("fire check")
OWES = "fire check"


def then_fire_check(now: Attack) -> Attack:
    """After everything else: the fire check if one is due, otherwise the end."""
    return Attack(OWES) if now.six else Attack(None)


def _burnt(_: Attack) -> Attack:
    """The end after a fire check: `six` says that its outcome has been told."""
    return Attack(None, six=True)


def fire_check(
    readings: Readings,
    *,
    then: Callable[[Attack], Attack] = _burnt,
    path: Callable[[Attack], str] = lambda _: "fire_check",
) -> Ruled[Attack]:
    """Whether the target hex burns; `then` goes on, `path` is where it is told. Source: PAC 12 (10.5.6)."""
    burns = readings.burns

    def rule(now: Attack, roll: Roll) -> Ruling[Attack]:
        told = {path(now): "fire" if burns(roll[0]) else "no-fire"}
        return Ruling(then(now), told, lambda: [Line("fire check", roll, result=one_of(burns))])

    return ruled((DIE,), rule, groups=lambda _: group_faces(6, burns))


def told_before(flammable: bool) -> Outputs:
    """`fire_check` where none can come."""
    return {} if flammable else {"fire_check": NONE}


def told_after(flammable: bool) -> Callable[[Attack], Outputs]:
    """`fire_check` at the end, where several dice could have called for one and none did."""
    return lambda now: {"fire_check": NONE} if flammable and not now.six else {}


def fire_started(out: Mapping[str, Any], where: str = "the target hex") -> tuple[str, ...]:
    """The reminder to place the marker."""
    return (f"A fire starts in {where}: place Fire 1.",) if out.get("fire_check") == "fire" else ()
