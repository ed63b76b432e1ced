"""Rallying the shaken units of a hex, leaders first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die, dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_sums
from bot.rules.sequence import Change, Line, Plan, Roll, Settlement, Step, Told, parts_of, row_of
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks import NONE


@dataclass(frozen=True, slots=True)
class Rally:
    """Which unit tries next; whether a leader has rallied, and the best LM of those who have."""

    owes: str | None
    at: int = 0
    led: bool = False
    lm: int = 0


def plan(tables: Tables, given: Given) -> Plan[Rally]:
    """Rally attempts of `units` in their order. Source: PAC 11 (3.0). Raises UserError for units not shaken."""
    units, present = given.units("units"), given.word("rallier") != "none"
    cover, lm = given.flag("cover"), given.int("lm")
    kinds.refuse_unfit(units)
    alone = [_rallies_itself(tables, unit) for unit in units]
    for at, unit in enumerate(units):
        _check(unit, tries=present or alone[at] or any(other.type == "leader" for other in units[:at]))
    modifiers = {
        (leader, helped): tables["rally-mods"](cover=cover, lm=helped, is_leader=leader)
        for leader in (False, True)
        for helped in range(lm, 4)
    }

    def modified(state: Rally) -> Any:
        return modifiers[units[state.at].type == "leader", max(lm, state.lm)]

    def rallies(state: Rally, roll: Roll) -> bool:
        return bool(sum(roll) + modified(state)["roll_mod"] <= units[state.at].number("morale"))

    def enter(state: Rally, told: dict[str, Any]) -> Rally:
        at = state.at
        while at < len(units):
            if present or alone[at] or state.led:
                return Rally("rally", at, state.led, state.lm)
            told.update(_told(at, units[at], NONE, NONE, "not-allowed"))
            at += 1
        return Rally(None)

    def tried(state: Rally, roll: Roll) -> Rally:
        unit = units[state.at]
        if unit.type == "leader" and rallies(state, roll):
            return Rally(None, state.at + 1, True, max(state.lm, int(unit.get("lm") or 0)))
        return Rally(None, state.at + 1, state.led, state.lm)

    def apply(state: Rally, roll: Roll) -> Rally:
        return enter(tried(state, roll), {})

    def tells(before: Rally, roll: Roll, _after: Rally) -> Told:
        result = "rallied" if rallies(before, roll) else "fails"
        total = sum(roll) + int(modified(before)["roll_mod"])
        told = _told(before.at, units[before.at], sum(roll), total, result)
        enter(tried(before, roll), told)
        return told

    def story(before: Rally, roll: Roll, _after: Rally) -> Iterable[Line]:
        unit = units[before.at]
        total = sum(roll) + int(modified(before)["roll_mod"])
        verdict = f"against morale {unit.number('morale')}: {'rallied' if rallies(before, roll) else 'fails'}"
        yield Line(f"{unit.word} rally", roll, parts_of(modified(before).parts), total, verdict)

    def ask(state: Rally) -> tuple[Die, ...]:
        return labels[state.at]

    labels = [dice(2, 6, f"rally {unit.word}") for unit in units]
    opening: dict[str, Any] = {"units": []}
    start = enter(Rally(None), opening)
    rows = tuple(row_of(f"units[{at}].result", unit.word) for at, unit in enumerate(units))
    groups = group_sums(2, 6)
    steps: dict[str, Step[Rally]] = {"rally": Step(ask, apply, tells, story, groups=lambda _: groups)}
    return Plan(start, steps, lambda out: _settle(units, out), opening, rows=rows)


def _check(unit: Unit, *, tries: bool) -> None:
    if unit.name and not kinds.is_shaken(unit):
        raise UserError(f"{unit.word} is not shaken.", hint="List only shaken units.")
    if tries:
        unit.number("morale")


def _rallies_itself(tables: Tables, unit: Unit) -> bool:
    if unit.has("sr"):
        return True
    case = unit.type if unit.type in kinds.MMC else "smc" if unit.type in kinds.SMC else "vehicle"
    return bool(tables["self-rally"](case=case)["self_rally"] == "yes")


def _told(at: int, unit: Unit, roll: Any, total: Any, result: str) -> dict[str, Any]:
    told = {
        f"units[{at}].unit": unit.word,
        f"units[{at}].roll": roll,
        f"units[{at}].total": total,
        f"units[{at}].result": result,
    }
    return told | {"outcome": result} if at == 0 else told


def _settle(units: tuple[Unit, ...], out: Mapping[str, Any]) -> Settlement:
    words = tuple((answer["unit"], answer["result"].replace("-", " ")) for answer in out["units"])
    rallied = [unit for unit, answer in zip(units, out["units"], strict=True) if answer["result"] == "rallied"]
    changes = tuple(
        Change(unit.name, set={"state": "wounded" if unit.has("wounded") else "good-order"})
        for unit in rallied
        if unit.name
    )
    headline = words[0][1] if len(words) == 1 else f"{len(rallied)} of {len(words)} rally"
    return Settlement(headline, words, (), changes)
