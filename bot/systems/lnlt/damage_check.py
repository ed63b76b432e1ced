"""Damage checks for a difference that is known already; crew and passengers for a result that is
known already.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Fate,
    Line,
    Plan,
    Roll,
    Row,
    Ruling,
    Settlement,
    row_of,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.systems.lnlt.aftermath import attacked, crew_joins, place_crew, rows, suffered
from bot.systems.lnlt.checks import NONE, DamageChecks, say_crew
from bot.systems.lnlt.items import Aboard, Attack, list_items, readings_of
from bot.systems.lnlt.kinds import RIDING


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """Damage checks of `targets` at `dc_mod`. Source: PAC 02, 05 (5.0)."""
    targets = given.units("targets")
    readings = readings_of(tables)
    items = list_items(readings, targets, no_hero=given.flag("no_hero"))
    checks = DamageChecks(readings, items)

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = suffered(targets, out["targets"])
        return attacked(hurt.headline, targets, hurt)

    start, _ = checks.begin(Attack(None, given.int("dc_mod")))
    return Plan(
        start, checks.steps(), settle, {"targets": []}, rows=lambda: rows(items), apart=checks.apart
    )


# -- the fate of the crew and passengers of a vehicle, for a result that is known already

CREW = d6("bail-out crew")
CREWS = {"none": NONE, "shaken-crew": "shaken-moved", "eliminated": "eliminated"}


def _settled(
    vehicle: Unit | None, passengers: Sequence[Unit], out: Mapping[str, Any]
) -> Settlement:
    """Return what is said and done when all are out."""
    hurt = suffered(passengers, out["passengers"])
    crew = str(out["crew"])
    said = [f"crew {say_crew(crew)}"] if crew != NONE else []
    said += [f"{unit} {word}" for unit, word in hurt.units]
    told = (Fate("the crew", crew),) if crew != NONE or not hurt.fates else ()
    return hurt._replace(
        headline="; ".join(said) or "no effect",
        then=(*place_crew(vehicle, crew), *hurt.then),
        joins=(*crew_joins(vehicle, crew), *hurt.joins),
        fates=(*told, *hurt.fates),
    )


def plan_bail_out(tables: Tables, given: Given) -> Plan[Attack]:
    """Crew and `passengers` after the result `vehicle`. Source: PAC 02, 06, 09 (15.4, 16.1.1).

    Raises UserError for results that a close assault does not have, and for passengers outside in
    one.
    """
    cause = given.word("cause")
    row = given.word("vehicle")
    passengers = given.units("passengers")
    readings = readings_of(tables)
    crew = readings.fate(cause, row, "crew")
    for unit in passengers:
        if unit.flags >= RIDING:
            what = f"{unit.word} is both inside and outside."
            raise UserError(what, hint="Keep one of the flags.", code="unit-twice")
    aboard = Aboard(cause, (row,), given.flag("open_topped") or given.flag("unarmored"))
    items = list_items(
        readings, passengers, "passengers", no_hero=given.flag("no_hero"), aboard=aboard
    )
    checks = DamageChecks(readings, items, outcome=False)
    after, known = checks.begin(Attack(None, given.int("dc_mod"), row=row))

    def bail(_: Attack, roll: Roll) -> Ruling[Attack]:
        result = readings.bail_out("crew", roll[0])
        told = {"crew": result, "outcome": result, **known}
        return Ruling(after, told, lambda: [Line("crew", roll, result=readings.gets_out("crew"))])

    def shown() -> Sequence[Row]:
        return row_of("crew", "crew"), *rows(items)

    steps = {"crew of the vehicle": ruled((CREW,), bail), **checks.steps()}
    opening: dict[str, Any] = {"passengers": []}
    settle = partial(_settled, given.unit("unit"), passengers)
    if crew == "bail-out":
        return Plan(Attack("crew of the vehicle"), steps, settle, opening, rows=shown)
    opening |= {"crew": CREWS[crew], "outcome": CREWS[crew], **known}
    return Plan(after, steps, settle, opening, rows=shown)
