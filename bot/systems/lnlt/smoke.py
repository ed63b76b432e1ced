"""Laying smoke."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.reasons import at_most
from bot.systems.lnlt.settling import OPS_COMPLETE, marked


@dataclass(frozen=True, slots=True)
class Attempt:
    """One die decides."""

    owes: str | None = "smoke"


def plan(tables: Tables, given: Given) -> Plan[Attempt]:
    """A roll at or under the nation's smoke-laying capability places smoke. Source: PAC 12 (7.0).

    Raises UserError for a unit that cannot lay smoke.
    """
    del tables
    capability, unit = given.int("capability"), given.unit("unit")
    _check(unit)

    def apply(_state: Attempt, _roll: Roll) -> Attempt:
        return Attempt(None)

    def outputs(_before: Attempt, roll: Roll, _after: Attempt) -> Outputs:
        success = roll[0] <= capability
        marker = "smoke-1" if success else NONE
        told: dict[str, Any] = {"roll": roll[0], "success": success, "marker": marker}
        return told | {"mf_mod": -1 if success else 0, "outcome": marker}

    def lines(_before: Attempt, roll: Roll, _after: Attempt) -> Iterable[Line]:
        yield Line("roll", roll, total=roll[0], result=at_most(capability))

    def settle(out: Mapping[str, Any]) -> Settlement:
        fates = (Fate("the unit" if unit is None else unit.word, str(out["marker"])),)
        if out["success"]:
            then = ("Place Smoke 1.",)
            notes = ("The unit may still move with 1 less movement; mark it Ops Complete if it does nothing more.",)
            return Settlement("smoke is laid", (), then, fates=fates, notes=notes)
        if unit is None or not unit.name:
            return Settlement("no smoke", then=("Mark the unit Ops Complete.",), fates=fates)
        changes, now = marked([unit], OPS_COMPLETE), (f"{unit.word} Ops Complete",)
        return Settlement("no smoke", changes=changes, fates=fates, now=now)

    return Plan(Attempt(), {"smoke": Step((d6("smoke"),), apply, outputs, lines)}, settle)


def _check(unit: Unit | None) -> None:
    if unit is None:
        return
    kinds.refuse_unfit([unit])
    if unit.type not in kinds.MMC or unit.type == "weapon-team" or kinds.is_shaken(unit):
        raise UserError(
            f"{unit.word} cannot lay smoke; only a good order MMC that is not a weapon team can.",
            option="unit",
            code="unit-unfit",
        )
