"""A vehicle out of control, and what happens to those inside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from bot.rules.dice import d20
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_faces
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Row, Settlement, Step, minus, row_of
from bot.rules.tables.table import Tables
from bot.systems.baps.men import about, called, whom
from bot.systems.baps.resolution import (
    NAMED,
    Man,
    Resolution,
    aftermath,
    changes_of,
    counted,
    named,
    summed_up,
    words_of,
)
from bot.systems.baps.rows import rows_of
from bot.systems.baps.vehicles import aboard, crew_left, refuse_wreck
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
LATER = ("half-straight-stop", "half-left-stop", "half-right-stop", "quick-straight")
COLLISIONS = {
    "half-straight-stop": "hit-half-speed",
    "half-left-stop": "hit-half-speed",
    "half-right-stop": "hit-half-speed",
    "quick-straight": "hit-full-speed",
}


def _settled(vehicle: Unit | None, occupants: tuple[Unit, ...], out: Mapping[str, Any]) -> Settlement:
    """What is said and done when it has come to rest."""
    hurt = out["occupants"]
    headline = CRASHES[out["result"]] + (f", {summed_up(hurt)}" if hurt else "")
    men = called(occupants)
    now = (*(named(men, hurt) if len(men) > NAMED else ()), *aftermath(occupants, hurt, men))
    now = (*now, "this happens in the next movement phase") if out["result"] in LATER else now
    fate = Fate(whom(vehicle, "the vehicle"), out["result"], counted(men, hurt))
    left = crew_left(vehicle, occupants, hurt) if vehicle is not None else {}
    changes: tuple[Change, ...] = (Change(vehicle.name, set=left),) if vehicle is not None and left else ()
    changes += changes_of(occupants, hurt)
    return Settlement(about(vehicle, headline), words_of(hurt), (), changes, (fate,), now)


def plan(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 on the crash chart, then each occupant. Source: Vehicle Charts, Vehicle Crash Chart.

    Raises UserError for a roster vehicle that is a wreck.
    """
    vehicle = given.unit("unit")
    refuse_wreck(vehicle, "unit")
    quick, turned = given.flag("moved_quickly"), given.flag("turned")
    events = EVENTS | (COLLISIONS if given.flag("hits_object") else {})
    occupants = aboard(given, "occupants", vehicle)
    resolution = Resolution(tables)
    answers = {roll: tables["crash"](moved_quickly=quick, turned=turned, roll=roll) for roll in range(1, 21)}
    parts = tuple((name, 1) for name, counts in (("moved quickly", quick), ("turned sharply", turned)) if counts)

    def injury_row(result: str) -> int | None:
        return int(tables["crash-injury"](event=events[result])["row"]) if result in events else None

    rows = {result: injury_row(result) for result in {answer["result"] for answer in answers.values()}}

    def apply(_state: Volley, roll: Roll) -> Volley:
        row = rows[answers[roll[0]]["result"]]
        return Volley(None if row is None or not occupants else f"row {row}")

    def outputs(_before: Volley, roll: Roll, _after: Volley) -> Outputs:
        answer = answers[roll[0]]
        row = rows[answer["result"]]
        told = {"roll": roll[0], "total": answer["total"], "result": answer["result"]}
        return {**told, "row": "none" if row is None else row}

    def lines(_before: Volley, roll: Roll, _after: Volley) -> tuple[Line, ...]:
        answer = answers[roll[0]]
        line = Line("crash", roll, parts, answer["total"])
        row = rows[answer["result"]]
        return (
            (line,)
            if row is None or not occupants
            else (line, Line("everybody inside", result=f"row {minus(row)}, column 1"))
        )

    def by_result(_: Volley) -> Any:
        return group_faces(20, lambda roll: answers[roll]["result"])

    hurt: tuple[Row, ...] = ()
    steps = {
        "roll": Step((d20("crash"),), apply, outputs, lines, groups=by_result, exact_only=frozenset({"roll", "total"}))
    }
    for row in {row for row in rows.values() if row is not None}:
        men = tuple(
            Man(unit, name, (resolution.cell(row, 1),), f"occupants[{at}]", "", {"unit": unit.word}, rides=True)
            for at, (unit, name) in enumerate(zip(occupants, called(occupants), strict=True))
        )
        steps[f"row {row}"] = men_step(men, resolution, name=f"row {row}")
        hurt = rows_of(men)
    return Plan(
        Volley("roll"),
        steps,
        partial(_settled, vehicle, occupants),
        opening={"occupants": []},
        rows=(row_of("result", "the vehicle"), *hurt),
    )
