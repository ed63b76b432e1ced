"""The fire check after a natural 6 against a flammable hex."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bot.rules.dice import d6
from bot.rules.odds import group_faces
from bot.rules.sequence import Line, Outputs, Roll, Step
from bot.rules.tables.table import Tables
from bot.systems.lnlt.checks import NONE, Attack
from bot.systems.lnlt.reasons import one_of

DIE = d6("fire check")
OWES = "fire check"


def then_fire_check(state: Attack) -> Attack:
    """After everything else: the fire check if one is due, otherwise the end."""
    return Attack(OWES) if state.six else Attack(None)


def _burnt(state: Attack) -> Attack:
    """The end after a fire check: `six` says that its outcome has been told."""
    del state
    return Attack(None, six=True)


def _single(state: Attack) -> str:
    del state
    return "fire_check"


def fire_check(
    tables: Tables, *, then: Callable[[Attack], Attack] = _burnt, path: Callable[[Attack], str] = _single
) -> Step[Any]:
    """Whether the target hex burns; `then` goes on, `path` is where it is told. Source: PAC 12 (10.5.6)."""
    start = tables["fire-start"]

    def word(roll: Roll) -> str:
        return "fire" if start(roll=roll[0])["fire"] else "no-fire"

    def apply(state: Attack, roll: Roll) -> Attack:
        del roll
        return then(state)

    def outputs(before: Attack, roll: Roll, after: Attack) -> Outputs:
        del after
        return {path(before): word(roll)}

    def lines(before: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
        del before, after
        yield Line("fire check", roll, result=one_of(lambda face: word((face,)) == "fire"))

    groups = group_faces(6, lambda face: word((face,)))
    return Step((DIE,), apply, outputs, lines, groups=lambda _: groups)


def told_before(flammable: bool) -> Outputs:
    """`fire_check` where none can come."""
    return {} if flammable else {"fire_check": NONE}


def told_after(flammable: bool) -> Callable[[Attack], Outputs]:
    """`fire_check` at the end, where several dice could have called for one and none did."""
    return lambda state: {"fire_check": NONE} if flammable and not state.six else {}


def fire_started(out: Mapping[str, Any], where: str = "the target hex") -> tuple[str, ...]:
    """The reminder to place the marker."""
    return (f"A fire starts in {where}: place Fire 1.",) if out.get("fire_check") == "fire" else ()
