"""Shooting: all dice to hit, then hit by hit the save and the damage dice; the element takes the worst result."""

from __future__ import annotations

from functools import partial

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan, parts_of
from bot.rules.tables.table import Tables
from bot.systems.ucn import shooters
from bot.systems.ucn.action_points import spends
from bot.systems.ucn.aftermath import settled
from bot.systems.ucn.firing import Fire, Firing
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
    modifiers = tables["shoot-modifiers"](**given.flags(CONDITIONS), extra_ap=given.int("extra_ap"))
    parts = (
        *parts_of(modifiers.parts),
        *shooters.firm_cover(tables, given),
        *status_part(tables, given),
        *mod_part(given),
    )
    firing = shooters.shooters_of(tables, given, parts)
    lines = (
        *shooters.reminders(given.units("shooters")),
        *shooters.firm_reminder(given),
        *shooters.skill_lines(firing),
    )
    paid, told = spends(tables, given.units("shooters"), "shoot", again="shot", extra=given.int("extra_ap"))
    return Firing(firing).plan(partial(settled, given, firing, "shoots|shoot", acting=paid, given_up=told), lines)
