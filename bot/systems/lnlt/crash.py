"""The crash of a helicopter or aircraft: where it comes down, and the attack on that hex."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Fate, Line, Plan, Roll, Ruling, Settlement, ruled
from bot.rules.tables.table import Tables
from bot.systems.lnlt.area import AreaAttack, Hex, area_words, hexes_away, leg_modifiers
from bot.systems.lnlt.burning import fire_started
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.items import Attack
from bot.systems.lnlt.settling import attacked, drifting, headline, rows, suffered
from bot.systems.lnlt.terrain import target_terrain
from bot.systems.lnlt.words import refuse_values

FIREPOWER = 6
DRIFT = (d6("direction"), d6("distance"))


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """A crash, and the firepower 6 attack on `targets` in its hex. Source: PAC 02, 06."""
    refuse_values(given)
    stage = given.word("stage")
    targets = given.units("targets") if stage != "drift" else ()
    flammable, tm = given.flag("flammable"), target_terrain(given.int("tm"))
    hexes = [Hex("", 0, len(targets), FIREPOWER, tm, flammable=flammable)] if targets else []
    mod, parts = leg_modifiers(tables, given)
    area = AreaAttack(tables, targets, hexes, leg_mod=mod, parts=parts, no_hero=given.flag("no_hero"))

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        came_down = tables["crash-drift"](direction=roll[0], distance=roll[1])
        told = {"direction": came_down["direction"], "hexes": came_down["hexes"]}
        return Ruling(area.start(), told, lambda: [Line("direction", roll[:1]), Line("distance", roll[1:])])

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = suffered(targets, out["targets"])
        hit = area_words(hurt, out["targets"])
        where = f"{hexes_away(out['hexes'])} {out['direction']}" if stage != "attack" else ""
        words = [f"crashes {where}"] if where else []
        if targets or stage == "attack":
            words.append(headline(hit, hit=bool(hit)))
        more = ["Place a wreck in the crash hex."] if stage != "attack" else []
        more += fire_started(out, "the crash hex")
        cause = f"the aircraft crashes {where}" if where and targets else ""
        settled = attacked("; ".join(words), targets, hurt, more=more, by=cause)
        return replace(settled, fates=(Fate("the aircraft", "crashes", where),)) if where and not targets else settled

    opening: dict[str, Any] = {"targets": []}
    if stage == "attack":
        opening |= {"direction": NONE, "hexes": NONE}
    if not targets:
        opening |= {"attack_roll": NONE, "defense_roll": NONE, "outcome": NONE}
        opening |= {"fire_check": NONE} if flammable else {}
    steps = {"drift": ruled(DRIFT, drift), **area.steps()}
    start, checks = area.start() if stage == "attack" else Attack("drift"), area.checks
    return Plan(start, steps, settle, opening, rows=lambda: rows(checks.items) or drifting(stage), apart=checks.apart)
