"""Ammunition checks of soldiers who fired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Plan, Settlement, row_of
from bot.rules.tables.table import Tables
from bot.systems.baps.ammunition import Checker, ammo_step, failed, kind_of, noted, reload_said
from bot.systems.baps.men import called, living
from bot.systems.baps.volley import Volley


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """1d6 for each of `attackers`. Source: Infantry Charts, Normal Fires, ammunition.

    Raises UserError for a soldier without a weapon.
    """
    soldiers = living(given.units("attackers"), "attackers")
    checkers = []
    for unit, name in zip(soldiers, called(soldiers), strict=True):
        if unit.get("weapon") is None:
            hint = "Type it after the unit: soldier weapon=rifle-bolt."
            raise UserError(f"{name} needs a weapon.", hint=hint, option="attackers", code="no-weapon")
        checkers.append(Checker(unit.word, name, kind_of(tables, str(unit.get("weapon")))))

    def settle(out: Mapping[str, Any]) -> Settlement:
        checks = out["soldiers"]
        bad = failed(checks)
        headline = f"{len(bad)} of {len(checks)} out of ammunition or jammed" if bad else "all weapons work"
        fates = tuple(Fate(checker.name, check["result"]) for checker, check in zip(checkers, checks, strict=False))
        return Settlement(headline, bad, reload_said(soldiers, checks), noted(soldiers, checks), fates)

    rows = tuple(row_of(f"soldiers[{at}].result", checker.name) for at, checker in enumerate(checkers))
    steps = {"ammo": ammo_step(tables, checkers, "soldiers")}
    return Plan(Volley("ammo"), steps, settle, opening={"soldiers": []}, rows=rows)
