"""Ammunition: 1d6 for each soldier who fired, when a 1 came up on the Combat Resolution Table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change, Line, Roll, Ruled, Ruling, Settlement, ruled
from bot.rules.tables.table import Tables
from bot.rules.text.names import joined
from bot.rules.text.phrase import phrase
from bot.systems.baps.volley import Volley

JAMMED = "out-or-jammed"


class Checker(NamedTuple):
    """A soldier whose weapon is checked: names for outputs and dice, the weapon's kind, the name on the roster."""

    unit: str
    name: str
    kind: str
    rostered: str = ""


def kind_of(tables: Tables, weapon: str) -> str:
    """The kind of a weapon for table ammo-check: automatic or other."""
    return "automatic" if weapon in tables["ammo-check"].constants["automatic"] else "other"


def ammo_step(tables: Tables, checkers: Callable[[], Sequence[Checker]]) -> Ruled[Volley]:
    """The step `ammo`, one soldier after the other. Source: Infantry Charts, Normal Fires, ammunition."""

    def check(now: Volley, roll: Roll) -> Ruling[Volley]:
        everybody, here = checkers(), f"ammo[{now.at}]"
        checker = everybody[now.at]
        result = tables["ammo-check"](kind=checker.kind, roll=roll[0])["result"]
        fails = "fails on 1 or 2" if checker.kind == "automatic" else "fails on 1"
        return Ruling(
            Volley("ammo" if now.at + 1 < len(everybody) else None, now.at + 1),
            {f"{here}.unit": checker.unit, f"{here}.roll": roll[0], f"{here}.result": result},
            lambda: (Line(f"ammunition of {checker.name}", roll, result=fails, unit=checker.name),),
        )

    return ruled(lambda now: (d6(f"ammunition {checkers()[now.at].name}"),), check)


def with_checks(settled: Settlement, checkers: Sequence[Checker], checks: Sequence[Mapping[str, Any]]) -> Settlement:
    """The settlement with the weapons that were checked: who cannot fire on is said, and marked on the roster.

    The charts name reloading and unjamming as orders, without a roll.
    """
    count = f"{len(checks)} {'check' if len(checks) == 1 else 'checks'} after a 1"
    settled = replace(settled, sums=(Line("ammunition", result=count),))
    bad = [checker for checker, check in zip(checkers, checks, strict=False) if check["result"] != "ok"]
    if not bad:
        return settled
    marked = [checker.rostered for checker in bad if checker.rostered]
    order = phrase(
        "An order to reload or unjam puts it right: `/unit edit {names} -{mark}`.", names=_typed(marked), mark=JAMMED
    )
    return replace(
        settled,
        units=(*settled.units, *((checker.unit, "out of ammunition or jammed") for checker in bad)),
        then=(*settled.then, *([order] if marked else ())),
        changes=(*settled.changes, *(Change(name, mark=frozenset({JAMMED})) for name in marked)),
        out=tuple(checker.name for checker in bad),
    )


def refuse_jammed(soldiers: Sequence[Unit]) -> None:
    """Raises UserError that names the roster soldiers whose weapons are out of ammunition or jammed, if any."""
    bad = [soldier.word for soldier in soldiers if JAMMED in soldier.marks]
    if not bad:
        return
    hint = phrase("After an order to reload or unjam: `/unit edit {name} -{mark}`.", name=_typed(bad), mark=JAMMED)
    raise UserError(
        f"{joined(bad)} cannot fire: out of ammunition or jammed.", hint=hint, option="attackers", code="unit-unfit"
    )


def _typed(names: Sequence[str]) -> str:
    """Units as they are typed behind a command."""
    text = "; ".join(names)
    return f'"{text}"' if " " in text else text
