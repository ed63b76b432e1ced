"""Rallying the shaken units of a hex, leaders first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_sums
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, Step, parts_of, row_of
from bot.rules.tables.table import Answer, Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.reasons import beside_morale


@dataclass(frozen=True, slots=True)
class Rally:
    """Which unit tries next; whether a leader has rallied, and the best LM of those who have."""

    owes: str | None
    at: int = 0
    led: bool = False
    lm: int = 0


@dataclass(frozen=True, slots=True)
class Attempts:
    """Who may try, and with which modifiers: by whether it is a leader, and by the LM that helps."""

    units: tuple[Unit, ...]
    may_try: tuple[bool, ...]
    lm: int
    modifiers: Mapping[tuple[bool, int], Answer]

    def modified(self, state: Rally) -> Answer:
        """The modifiers of the unit in hand."""
        return self.modifiers[self.units[state.at].type == "leader", max(self.lm, state.lm)]

    def total(self, state: Rally, roll: Roll) -> int:
        """The 2d6 with all modifiers."""
        return sum(roll) + int(self.modified(state)["roll_mod"])

    def rallies(self, state: Rally, roll: Roll) -> bool:
        """Whether the unit in hand rallies: at its morale or under it."""
        return self.total(state, roll) <= self.units[state.at].number("morale")

    def enter(self, state: Rally, told: dict[str, Any]) -> Rally:
        """The next unit that may try; those before it come out as not allowed."""
        for at in range(state.at, len(self.units)):
            if self.may_try[at] or state.led:
                return Rally("rally", at, state.led, state.lm)
            told.update(_told(at, self.units[at], NONE, NONE, "not-allowed"))
        return Rally(None)

    def tried(self, state: Rally, roll: Roll) -> Rally:
        """After the attempt: a leader who rallies helps all who follow."""
        unit = self.units[state.at]
        if unit.type == "leader" and self.rallies(state, roll):
            return Rally(None, state.at + 1, True, max(state.lm, int(unit.get("lm") or 0)))
        return Rally(None, state.at + 1, state.led, state.lm)

    def apply(self, state: Rally, roll: Roll) -> Rally:
        """The attempt of one unit, and who is next."""
        return self.enter(self.tried(state, roll), {})

    def outputs(self, before: Rally, roll: Roll, _after: Rally) -> Outputs:
        """Its result, and who behind it may not try."""
        result = "rallied" if self.rallies(before, roll) else "fails"
        told = _told(before.at, self.units[before.at], sum(roll), self.total(before, roll), result)
        self.enter(self.tried(before, roll), told)
        return told

    def lines(self, before: Rally, roll: Roll, _after: Rally) -> Iterable[Line]:
        """A line per attempt."""
        unit, total = self.units[before.at], self.total(before, roll)
        why = beside_morale(total, unit.number("morale"))
        yield Line(unit.word, roll, parts_of(self.modified(before).parts), total, why)


def plan(tables: Tables, given: Given) -> Plan[Rally]:
    """Rally attempts of `units` in their order. Source: PAC 11 (3.0). Raises UserError for units not shaken."""
    units, present = given.units("units"), given.word("rallier") != "none"
    cover, lm = given.flag("cover"), given.int("lm")
    kinds.refuse_unfit(units)
    may_try = tuple([present or _rallies_itself(tables, unit) for unit in units])
    for at, unit in enumerate(units):
        _check(unit, tries=may_try[at] or any(other.type == "leader" for other in units[:at]))
    modifiers = {
        (leader, helped): tables["rally-mods"](cover=cover, lm=helped, is_leader=leader)
        for leader in (False, True)
        for helped in range(lm, 4)
    }
    attempts = Attempts(units, may_try, lm, modifiers)
    labels = [dice(2, 6, f"rally {unit.word}") for unit in units]
    groups = group_sums(2, 6)
    rally: Step[Rally] = Step(
        lambda state: labels[state.at], attempts.apply, attempts.outputs, attempts.lines, groups=lambda _: groups
    )
    opening: dict[str, Any] = {"units": []}
    start = attempts.enter(Rally(None), opening)
    rows = tuple(row_of(f"units[{at}].result", unit.word) for at, unit in enumerate(units))
    return Plan(start, {"rally": rally}, lambda out: _settle(units, out), opening, rows=rows)


def _check(unit: Unit, *, tries: bool) -> None:
    if unit.name and not kinds.is_shaken(unit):
        raise UserError(f"{unit.word} is not shaken.", hint="List only shaken units.", code="unit-unfit")
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
    fates = tuple(Fate(answer["unit"], answer["result"]) for answer in out["units"])
    return Settlement(headline, words, (), changes, fates)
