"""A vehicle out of control, and what happens to those inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import d20
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds.shapes import by_face
from bot.rules.sequence.sequence import Change, Fate, Line, Plan, Roll, Ruled, Ruling, Settlement, minus, row_of
from bot.rules.tables.table import Tables
from bot.systems.baps.men import about, called, changes_of, counted, summed_up, tokens_of, whom, words_of
from bot.systems.baps.resolution import D20, Resolution, rows_of
from bot.systems.baps.vehicles import aboard, crew_left, inside, refuse_wreck, riders
from bot.systems.baps.volley import Volley, men_step

EVENTS = {"stop": "stop", "flip": "flip"}
CRASHES = {
    "half-straight-stop": "half a move straight ahead, then a stop",
    "half-left-stop": "half a move to the left, then a stop",
    "half-right-stop": "half a move to the right, then a stop",
    "quick-straight": "quickly straight ahead",
    "stop": "stops",
    "flip": "flips over",
}
COLLISIONS = {
    **dict.fromkeys(("half-straight-stop", "half-left-stop", "half-right-stop"), "hit-half-speed"),
    "quick-straight": "hit-full-speed",
}
"""How fast each forced move runs into something solid."""


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 on the crash chart, then each occupant. Source: Vehicle Charts, Vehicle Crash Chart.

    Raises UserError for a roster vehicle that is a wreck.
    """
    vehicle = given.unit("unit")
    refuse_wreck(vehicle, "unit")
    occupants = aboard(given, "occupants", vehicle)
    how = {"moved_quickly": given.flag("moved_quickly"), "turned": given.flag("turned")}
    results, totals = (tables["crash"].column(output, **how, roll=D20) for output in ("result", "total"))
    counts = (("moved quickly", how["moved_quickly"]), ("turned sharply", how["turned"]))
    parts = tuple((name, 1) for name, so in counts if so)
    events = EVENTS | (COLLISIONS if given.flag("hits_object") else {})
    rows = {
        result: int(tables["crash-injury"](event=events[result])["row"]) for result in set(results) if result in events
    }

    def crash(_: Volley, roll: Roll) -> Ruling[Volley]:
        total, result = totals[roll[0] - 1], results[roll[0] - 1]
        told = {"roll": roll[0], "total": total, "result": result, "row": rows.get(result, "none")}

        def line() -> Line:
            return Line("crash", roll, parts, total)

        if result not in rows or not occupants:
            return Ruling(Volley(None), told, lambda: (line(),))
        read = f"row {minus(rows[result])}, column 1"
        return Ruling(Volley(f"row {rows[result]}"), told, lambda: (line(), Line("everybody inside", result=read)))

    def injure(row: int) -> Ruled[Volley]:
        crt = Resolution(tables)
        return men_step(riders(occupants, names, "occupants", (crt.cell(row, 1),)), crt, name=f"row {row}")

    names = called(occupants)
    steps = {
        "roll": by_face(d20("crash"), lambda roll: results[roll - 1], crash, exact_only=("roll", "total")),
        **{f"row {row}": injure(row) for row in rows.values()},
    }
    return Plan(
        Volley("roll"),
        steps,
        lambda out: _settled(vehicle, occupants, names, out),
        opening={"occupants": []},
        rows=rows_of(lambda: riders(occupants, names, "occupants") if rows else (), row_of("result", "the vehicle")),
    )


def _settled(
    vehicle: Unit | None, occupants: tuple[Unit, ...], names: tuple[str, ...], out: Mapping[str, Any]
) -> Settlement:
    """What is said and done when it has come to rest."""
    hurt, tokens = out["occupants"], tokens_of(out["occupants"])
    headline = CRASHES[out["result"]] + (f", {summed_up(hurt, tokens)}" if hurt else "")
    later = ("this happens in the next movement phase",) if out["result"] in COLLISIONS else ()
    fate = Fate(whom(vehicle, "the vehicle"), out["result"], counted(names, tokens))
    left = crew_left(vehicle, occupants, hurt) if vehicle is not None else {}
    mark = frozenset({"out-of-control"}) if later else frozenset[str]()
    changes: tuple[Change, ...] = ()
    if vehicle is not None and vehicle.name and (left or mark):
        changes = (Change(vehicle.name, set=left, mark=mark),)
    return Settlement(
        about(vehicle, headline),
        words_of(hurt, tokens),
        (),
        changes + changes_of(occupants, hurt),
        (fate,),
        (*inside(occupants, names, hurt, tokens), *later),
    )
