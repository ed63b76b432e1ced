"""Target facing of a shot within the AFV's own hex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.table import Tables


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """The facing by the colored die; in bypass the side, without a die.

    Source: tables 6a and 6b, note 2 (D3.2) and note 3 (D2.32).
    """
    if given.flag("bypass"):
        line = Line("no die", result="the AFV is in bypass")
        return no_roll({"facing": "side", "turret": "by-tca"}, (line,), settle)
    facings = {dr: tables["facing-dr"](roll=dr)["facing"] for dr in range(1, 7)}

    def outputs(roll: int) -> Outputs:
        return {"facing": facings[roll]}

    def line_of(roll: Roll, told: Outputs) -> Line:
        del told
        return Line("colored die", roll, (), roll[0], "for hull and turret")

    return one_roll(dice(1, 6, "colored"), outputs, line_of, settle, opening={"turret": "same"})


def settle(out: Mapping[str, Any]) -> Settlement:
    """The facing, and how a turret hit finds its own."""
    by_tca = out["turret"] == "by-tca"
    now = ("a turret hit strikes front, side or rear by the TCA",) if by_tca else ()
    fates = (Fate("the shot", str(out["facing"])),)
    return Settlement(f"{out['facing']} facing", (("AFV", str(out["facing"])),), fates=fates, now=now)
