"""An attack DR that is also the attacker's own NMC: FPF of overrun Infantry, OVR Prevention of a Gun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, one_roll
from bot.rules.tables.table import Tables
from bot.systems.asl.morale import CASUALTY, REDUCED, STATES, morale_check
from bot.systems.asl.roster import called, new_state


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """The attack's Original DR of 2d6. Source: table 6b, note 3 (Infantry) and note 4 (Guns)."""
    del tables
    is_gun, morale, drm = given.word("attacker") == "gun", given.int("morale"), given.int("drm")
    b_number, unit = given.maybe("b_number") if is_gun else None, given.unit("unit")

    def outputs(dr: int) -> Outputs:
        nmc = morale_check(dr, drm, morale)
        return {
            "dr": dr,
            "nmc": nmc,
            "casualty": dr == CASUALTY,
            "attack": "voided" if is_gun and nmc != "pass" else "resolved",
            "malfunction": b_number is not None and dr >= b_number,
        }

    def line(roll: Roll, told: Outputs) -> Line:
        parts = (("DRM", drm),) if drm else ()
        return Line("Original DR", roll, parts, told["dr"] + drm, f"as NMC against morale {morale}")

    def settle(out: Mapping[str, Any]) -> Settlement:
        nmc = str(out["nmc"])
        more = ["the shot is void, the OVR goes on"] if out["attack"] == "voided" else []
        more += [f"the Gun malfunctions (B#{b_number})"] if out["malfunction"] else []
        then = [REDUCED] if out["casualty"] else []
        who = called(unit, "manning Infantry" if is_gun else "Infantry")
        return Settlement(
            f"NMC {nmc}, attack {out['attack']}",
            ((who, nmc),),
            tuple(then),
            new_state(unit, STATES.get(nmc)),
            (Fate(called(unit, f"the {who}"), nmc, ", ".join(more)),),
        )

    return one_roll(dice(2, 6, "Original DR"), outputs, line, settle, opening={})
