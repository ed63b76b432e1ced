"""Melee between two elements in base contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Change, Plan, Settlement
from bot.rules.tables.table import Tables
from bot.systems.ucn import combat, roster
from bot.systems.ucn.combat import Combat, Fight


def plan(tables: Tables, given: Given) -> Plan[Fight]:
    """Melee between attackers and defenders. Source: Melee Combat.

    Raises UserError for more SMGs than characters on a side.
    """
    attacker, defender = combat.sides(given)
    charging = given.flag("charging")

    checks = (
        combat.side_check(tables, attacker, defender.characters, charging=charging),
        combat.side_check(tables, defender, attacker.characters),
    )

    def settle(out: Mapping[str, Any]) -> Settlement:
        changes: list[Change] = []
        units: list[tuple[str, str]] = []
        for side, lost in ((attacker, out["attacker_casualties"]), (defender, out["defender_casualties"])):
            if side.unit is not None:
                changes += roster.change(side.unit, roster.loses(side.unit, lost))
                units.append((side.unit.word, roster.casualties(lost)))
        told = combat.fates(attacker, defender, out)
        still = combat.still_in_combat(out)
        return Settlement(combat.headline(out), tuple(units), (), tuple(changes), told, still)

    fight, left = Combat(tables, attacker.characters, lambda _: checks, told=True), defender.characters
    opening = {**fight.finals(left), "attacker_rolls": [], "defender_rolls": []}
    return Plan(Fight("attackers", left), fight.steps(), settle, opening, lines=fight.lines(left), apart=fight.apart)
