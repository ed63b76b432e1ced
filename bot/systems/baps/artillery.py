"""A call for artillery: when the rounds land."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.compile import dice_of
from bot.rules.tables.table import Tables


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """Turns from the call in turn `turn` to the impact. Source: Vehicle Charts, Artillery Delay."""
    location, mission, turn = given.word("location"), given.word("mission"), given.int("turn")
    row = tables["artillery-delay"](location=location, mission=mission, can_see=given.flag("can_see"))
    impact = int(row["impact"])
    steps = {f"{step}_turn": "none" if row[step] == "none" else turn + int(row[step]) for step in ("fire", "call")}

    def outputs(rolled: int) -> Outputs:
        return {"delay": impact + rolled, "impact_turn": turn + impact + rolled, **steps}

    def line(roll: Roll, told: Outputs) -> Line:
        where = f"{location} {mission}".replace("-", " ")
        if not roll:
            return Line("delay", contributors=((where, impact),), total=impact)
        return Line("delay", roll, ((where, impact),), told["delay"])

    def settle(out: Mapping[str, Any]) -> Settlement:
        order = (("call_turn", "call for fire"), ("fire_turn", "the guns fire"))
        steps = [f"{said} in turn {out[name]}" for name, said in order if out[name] != "none"]
        then = ", ".join([*steps, "then run barrage."])
        fates = (Fate("the artillery", "lands", f"turn {out['impact_turn']}"),)
        return Settlement(f"lands in turn {out['impact_turn']}", then=(then[:1].upper() + then[1:],), fates=fates)

    if row["dice"] == "none":
        return no_roll(outputs(0), (line((), outputs(0)),), settle)
    return one_roll(dice_of(str(row["dice"]), "delay"), outputs, line, settle, opening={})
