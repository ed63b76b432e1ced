"""A vehicle out of control, and what happens to those inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import d20
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change, Fate, Line, Plan, Roll, Ruling, Settlement, minus, row_of
from bot.rules.shapes import by_face
from bot.rules.tables.table import Tables
from bot.systems.baps.fates import changes_of, counted, summed_up, words_of
from bot.systems.baps.men import about, called, whom
from bot.systems.baps.resolution import Resolution
from bot.systems.baps.rows import rows_of
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
    answers = dict(enumerate(tables["crash"].column(**how, roll=range(1, 21)), 1))
    counts = (("moved quickly", how["moved_quickly"]), ("turned sharply", how["turned"]))
    parts = tuple((name, 1) for name, so in counts if so)
    events = EVENTS | (COLLISIONS if given.flag("hits_object") else {})
    results = {str(answer["result"]) for answer in answers.values()}
    rows = {result: int(tables["crash-injury"](event=events[result])["row"]) for result in results if result in events}

    def crash(_: Volley, roll: Roll) -> Ruling[Volley]:
        total, result = answers[roll[0]]["total"], answers[roll[0]]["result"]
        told = {"roll": roll[0], "total": total, "result": result, "row": rows.get(result, "none")}

        def line() -> Line:
            return Line("crash", roll, parts, total)

        if result not in rows or not occupants:
            return Ruling(Volley(None), told, lambda: (line(),))
        read = f"row {minus(rows[result])}, column 1"
        return Ruling(Volley(f"row {rows[result]}"), told, lambda: (line(), Line("everybody inside", result=read)))

    crt = Resolution(tables)
    steps = {"roll": by_face(d20("crash"), lambda roll: answers[roll]["result"], crash, exact_only=("roll", "total"))}
    for row in set(rows.values()):
        steps[f"row {row}"] = men_step(riders(occupants, "occupants", (crt.cell(row, 1),)), crt, name=f"row {row}")
    return Plan(
        Volley("roll"),
        steps,
        lambda out: _settled(vehicle, occupants, out),
        opening={"occupants": []},
        rows=(row_of("result", "the vehicle"), *(rows_of(riders(occupants, "occupants")) if rows else ())),
    )


def _settled(vehicle: Unit | None, occupants: tuple[Unit, ...], out: Mapping[str, Any]) -> Settlement:
    """What is said and done when it has come to rest."""
    hurt = out["occupants"]
    headline = CRASHES[out["result"]] + (f", {summed_up(hurt)}" if hurt else "")
    later = ("this happens in the next movement phase",) if out["result"] in COLLISIONS else ()
    fate = Fate(whom(vehicle, "the vehicle"), out["result"], counted(called(occupants), hurt))
    left = crew_left(vehicle, occupants, hurt) if vehicle is not None else {}
    changes: tuple[Change, ...] = (Change(vehicle.name, set=left),) if vehicle is not None and left else ()
    return Settlement(
        about(vehicle, headline),
        words_of(hurt),
        (),
        changes + changes_of(occupants, hurt),
        (fate,),
        (*inside(occupants, hurt), *later),
    )
