"""Damage checks alone, for a difference that is known already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan, Settlement
from bot.rules.tables.table import Tables
from bot.systems.lnlt.checks import DamageChecks
from bot.systems.lnlt.items import Attack, list_alike
from bot.systems.lnlt.readings import readings_of
from bot.systems.lnlt.settling import attacked, headline, rows, suffered


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """Damage checks of `targets` at `dc_mod`. Source: PAC 02, 05 (5.0)."""
    targets = given.units("targets")
    readings = readings_of(tables)
    items = list_alike(readings, targets, no_hero=given.flag("no_hero"))
    checks = DamageChecks(readings, items)

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = suffered(targets, out["targets"])
        return attacked(headline(hurt.units, hit=True), targets, hurt)

    start, _ = checks.begin(Attack(None, given.int("dc_mod")))
    return Plan(start, checks.steps(), settle, {"targets": []}, rows=lambda: rows(items), apart=checks.apart)
