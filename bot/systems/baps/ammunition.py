"""Ammunition: 1d6 for each soldier who fired, when a 1 came up on the Combat Resolution Table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.names import joined
from bot.rules.phrase import phrase
from bot.rules.sequence import Change, Line, Outputs, Roll, Step
from bot.rules.tables.table import Tables
from bot.systems.baps.volley import Volley

JAMMED = "out-or-jammed"


@dataclass(frozen=True, slots=True)
class Checker:
    """A soldier whose weapon is checked: the names for outputs and dice, and the weapon's kind."""

    unit: str
    name: str
    kind: str


def kind_of(tables: Tables, weapon: str) -> str:
    """The kind of a weapon for table ammo-check: automatic or other."""
    return "automatic" if weapon in tables["ammo-check"].constants["automatic"] else "other"


def ammo_step(tables: Tables, checkers: Sequence[Checker], path: str) -> Step[Volley]:
    """The step `ammo`, one soldier after the other. Source: Infantry Charts, Normal Fires, ammunition."""
    results = {
        kind: tuple(str(tables["ammo-check"](kind=kind, roll=roll)["result"]) for roll in range(1, 7))
        for kind in {checker.kind for checker in checkers}
    }

    def read(at: int, roll: Roll) -> str:
        return results[checkers[at].kind][roll[0] - 1]

    def apply(state: Volley, _roll: Roll) -> Volley:
        return Volley("ammo" if state.at + 1 < len(checkers) else None, state.at + 1)

    def outputs(before: Volley, roll: Roll, _after: Volley) -> Outputs:
        here = f"{path}[{before.at}]"
        unit, result = checkers[before.at].unit, read(before.at, roll)
        return {f"{here}.unit": unit, f"{here}.roll": roll[0], f"{here}.result": result}

    def lines(before: Volley, roll: Roll, _after: Volley) -> Iterable[Line]:
        checker = checkers[before.at]
        fails = "fails on 1 or 2" if checker.kind == "automatic" else "fails on 1"
        yield Line(f"ammunition of {checker.name}", roll, result=fails, unit=checker.name)

    return Step(lambda state: (d6(f"ammunition {checkers[state.at].name}"),), apply, outputs, lines)


def noted(soldiers: Sequence[Unit], checks: Sequence[Mapping[str, Any]]) -> tuple[Change, ...]:
    """Marks on the roster soldiers whose weapons are out of ammunition or jammed."""
    return tuple(
        Change(soldier.name, mark=frozenset({JAMMED}))
        for soldier, check in zip(soldiers, checks, strict=False)
        if soldier.name and check["result"] != "ok"
    )


def failed(checks: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """The soldiers who cannot fire on, for the public answer."""
    return tuple((check["unit"], "out of ammunition or jammed") for check in checks if check["result"] != "ok")


def jammed(checkers: Sequence[Checker], checks: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The same in one sentence, by the names that the dice have for them."""
    bad = [checker.name for checker, check in zip(checkers, checks, strict=False) if check["result"] != "ok"]
    return (f"{joined(bad)} jammed or out of ammunition",) if bad else ()


def checks_said(checks: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """What the checks come to where nobody's own is shown."""
    return (
        (Line("ammunition", result=f"{len(checks)} {'check' if len(checks) == 1 else 'checks'} after a 1"),)
        if checks
        else ()
    )


def reload_said(soldiers: Sequence[Unit], checks: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """How a roster soldier's weapon comes back: the charts name reloading and unjamming as orders, without a roll."""
    bad = [change.unit for change in noted(soldiers, checks)]
    return (
        (
            phrase(
                "An order to reload or unjam puts it right: `/unit edit {names} -{mark}`.",
                names=_typed(bad),
                mark=JAMMED,
            ),
        )
        if bad
        else ()
    )


def _typed(names: Sequence[str]) -> str:
    """Units as they are typed behind a command."""
    text = "; ".join(names)
    return f'"{text}"' if " " in text else text


def refuse_jammed(soldiers: Sequence[Unit]) -> None:
    """Raises UserError for a roster soldier whose weapon is out of ammunition or jammed."""
    for soldier in soldiers:
        if JAMMED in soldier.marks:
            raise UserError(
                f"{soldier.word}'s weapon is out of ammunition or jammed.",
                hint=phrase(
                    "After an order to reload or unjam: `/unit edit {name} -{mark}`.",
                    name=_typed([soldier.name]),
                    mark=JAMMED,
                ),
                option="attackers",
                code="unit-unfit",
            )
