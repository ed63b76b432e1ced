"""Vehicular smoke: a dispenser's usage DR, or a dr for smoke grenades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.table import Tables
from bot.systems.asl.roster import called

NAMES = {"sd": "sD", "sn": "sN", "sm": "sM", "sp": "sP", "smoke-grenade": "smoke grenade"}
CREWS = {
    "ct-bu": "a CT AFV that is BU",
    "ot-bu": "an OT AFV that is BU",
    "ce": "a CE AFV",
    "unarmored": "an unarmored vehicle",
}
AFV = {"ct-bu": "the AFV", "ot-bu": "the AFV", "ce": "the AFV", "unarmored": "the vehicle"}
PHASES = {"mph": "MPh", "ccph": "CCPh"}
NONE = {"smoke": "none", "placement": "none"}
GRENADES = {"dr-1": 1, "dr-2": 2}
PLACES = {"own-hex": "in its own hex", "1-3-hexes-of-tca": "1-3 hexes along the TCA"}
COUNTERS = {"dispersed": "+2 dispersed SMOKE", "full": "+2 SMOKE"}


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """A usage DR of 2d6 (grenades 1d6) at or under the number. Source: table 4.

    Raises UserError for a dispenser without its usage number.
    """
    table, word = tables["smoke-usage"], given.word("dispenser")
    asked = {"dispenser": word, "crew": given.word("crew"), "phase": given.word("phase")}
    usage = table(**asked, moved=given.flag("moved"))
    unit, name = given.unit("unit"), NAMES.get(word, word)

    def settle(out: Mapping[str, Any]) -> Settlement:
        result = str(out["result"]).replace("-", " ")
        placed = f"{COUNTERS[out['smoke']]} {PLACES[out['placement']]}" if out["smoke"] != "none" else ""
        attacks = result == "success" and not placed
        more = ", ".join(filter(None, (name, placed, "an attack in CC without a counter" if attacks else "")))
        fates = (Fate(called(unit, AFV[given.word("crew")]), out["result"], more),)
        headline = f"{name} {result}" + (f", {placed}" if placed else "")
        return Settlement(headline, ((called(unit, name), str(out["result"])),), fates=fates)

    if usage["needs"] == "not-allowed":
        told = {"result": "not-allowed", **NONE}
        where = f"not for {CREWS[given.word('crew')]} in the {PHASES[given.word('phase')]}"
        return no_roll(told, (Line("no die", result=where),), settle)
    bare = table(**asked)["drm"]
    parts = [("buttoned up", bare), ("moved or in Motion", usage["drm"] - bare)]
    if word == "sm":
        parts += [("Case A", given.int("case_a")), ("LOS hindrance", given.int("hindrance"))]
    counted = tuple((part, value) for part, value in parts if value)
    drm, needed = sum(value for _, value in counted), needed_of(usage["needs"], given)

    def outputs(roll: int) -> Outputs:
        if roll + drm > needed:
            return {"roll": roll, "total": roll + drm, "result": "failed", **NONE}
        placed = {field: usage[field] for field in NONE}
        return {"roll": roll, "total": roll + drm, "result": "success", **placed}

    def line(roll: Roll, told: Outputs) -> Line:
        return Line(
            "usage DR" if count == 2 else "usage dr",
            roll,
            counted,
            told["total"],
            f"{needed} or less needed",
        )

    count = 1 if usage["needs"] in GRENADES else 2
    return one_roll(dice(count, 6, "usage"), outputs, line, settle, opening={"drm": drm, "needed": needed})


def needed_of(needs: str, given: Given) -> int:
    """The number that the roll must not exceed. Raises UserError for a dispenser without its usage number."""
    if needs in GRENADES:
        return GRENADES[needs]
    number = given.maybe("usage_number")
    if number is None:
        raise UserError(
            f"Dispenser {NAMES[given.word('dispenser')]} needs usage_number, the number after its letters (2 to 12).",
            hint="Type usage_number=7, or name a roster unit that has usage.",
            option="usage_number",
            code="missing",
        )
    return number
