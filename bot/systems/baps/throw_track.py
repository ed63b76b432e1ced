"""A tracked vehicle drives through cover."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import d20
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.phrase import phrase
from bot.rules.sequence import Change, Fate, Line, Plan, Settlement
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.table import Tables
from bot.systems.baps.men import about, whom
from bot.systems.baps.vehicles import OFF_TRACK, TRACK_HIT, refuse_wreck


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """1d20 against the number of cover and speed. Source: Vehicle Charts, Throwing Track.

    Raises UserError for a roster vehicle that cannot move any more.
    """
    table, vehicle = tables["throwing-track"], given.unit("unit")
    refuse_wreck(vehicle, "unit")
    if vehicle is not None and TRACK_HIT in vehicle.marks:
        hint = phrase("Once it is repaired: `/unit edit {name} -{mark}`.", name=vehicle.word, mark=TRACK_HIT)
        raise UserError(
            f"{vehicle.word} has lost a track and cannot move.", hint=hint, option="unit", code="unit-unfit"
        )
    where = {"cover": given.word("cover"), "speed": given.word("speed")}

    def settle(out: Mapping[str, Any]) -> Settlement:
        thrown = out["result"] == "thrown"
        changes = (Change(vehicle.name, mark=OFF_TRACK),) if thrown and vehicle is not None else ()
        fate = Fate(whom(vehicle, "the vehicle"), out["result"])
        return Settlement(about(vehicle, "track thrown" if thrown else "safe"), changes=changes, fates=(fate,))

    need = table(**where, roll=1)["need"]
    if need == "never":
        said = Line("no die", result="slow on open ground")
        return no_roll({"roll": "none", "result": "safe"}, (said,), settle)
    return one_roll(
        (d20("throwing track"),),
        lambda roll: {"roll": roll, "result": table(**where, roll=roll)["result"]},
        lambda roll, _told: Line("roll", roll, result=f"thrown at {need} or more"),
        settle,
        opening={},
    )
