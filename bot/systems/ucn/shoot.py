"""Shooting: all dice to hit, then hit by hit the save and the damage dice; the element takes the worst result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Plan, Settlement, parts_of
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster, shooters
from bot.systems.ucn.asked import PLAY, Asked
from bot.systems.ucn.firing import Fire, Firing
from bot.systems.ucn.shooters import Shooter
from bot.systems.ucn.skills import mod_part, status_part

CONDITIONS = (
    "target_moving",
    "target_in_cover",
    "target_hidden",
    "target_gone_firm",
    "attacker_moving",
    "attacker_higher",
    "attacker_lower",
)


def plan(tables: Tables, given: Given) -> Plan[Fire]:
    """Fire of `shooters`. Source: Infantry Combat, Shooting, Damage, Status Damage, Save.

    Raises UserError for a shooter without weapon or skill, and for higher together with lower.
    """
    conditions = {name: given.flag(name) for name in CONDITIONS}
    modifiers = tables["shoot-modifiers"](**conditions, extra_ap=given.int("extra_ap"))
    parts = (
        *parts_of(modifiers.parts),
        *shooters.firm_cover(tables, given),
        *status_part(tables, given),
        *mod_part(given),
    )
    firing = shooters.shooters_of(tables, given, parts)
    settle = partial(_settle, tables, given, firing)
    lines = (
        *shooters.reminders(given.units("shooters")),
        *shooters.firm_reminder(given),
        *shooters.skill_lines(firing),
    )

    def focused(asked: Asked) -> Plan[Fire]:
        return Firing(firing, asked).plan(settle, lines)

    return replace(focused(PLAY), focus=lambda paths: focused(Asked(paths)))


def _settle(tables: Tables, given: Given, firing: Sequence[Shooter], out: Mapping[str, Any]) -> Settlement:
    target = given.unit("target")
    return Settlement(
        shooters.headline(out),
        tuple(shooters.suffered(target, out)),
        shooters.areas(tables, out),
        roster.under_fire(target, out["casualties"], out["status"]),
        (shooters.fate(target, out),),
        shooters.now(out),
        by=shooters.by(firing, "shoots|shoot"),
        sums=shooters.sums(out),
    )
