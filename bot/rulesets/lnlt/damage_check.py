"""Damage checks for a difference that is known already; crew and passengers for a result that is
known already.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Line,
    OddsRow,
    Plan,
    Resolution,
    Roll,
    Ruling,
    UnitResult,
    build_row,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rulesets.lnlt.aftermath import (
    build_joining_crew,
    build_rows,
    place_crew,
    resolve_attack,
    resolve_damage,
)
from bot.rulesets.lnlt.checks import NONE, DamageChecks, describe_crew_fate
from bot.rulesets.lnlt.items import Aboard, Attack, get_readings, list_items
from bot.rulesets.lnlt.kinds import RIDING


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """Damage checks of `targets` at `dc_mod`. Source: PAC 02, 05 (5.0)."""
    targets = given.units("targets")
    readings = get_readings(tables)
    items = list_items(readings, targets, no_hero=given.flag("no_hero"))
    checks = DamageChecks(readings, items)

    def resolve(out: Mapping[str, Any]) -> Resolution:
        hurt = resolve_damage(targets, out["targets"])
        return resolve_attack(hurt.headline, targets, hurt)

    start, _ = checks.begin(Attack(None, given.int("dc_mod")))
    return Plan(
        start,
        checks.steps(),
        resolve,
        {"targets": []},
        rows=lambda: build_rows(items),
        apart=checks.split_parts,
    )


# -- the fate of the crew and passengers of a vehicle, for a result that is known already

CREW = d6("bail-out crew")
CREWS = {"none": NONE, "shaken-crew": "shaken-moved", "eliminated": "eliminated"}


def _resolve_bail_out(
    vehicle: Unit | None, passengers: Sequence[Unit], out: Mapping[str, Any]
) -> Resolution:
    """Return what is said and done when all are out."""
    hurt = resolve_damage(passengers, out["passengers"])
    crew = str(out["crew"])
    said = [f"crew {describe_crew_fate(crew)}"] if crew != NONE else []
    said += [f"{unit} {word}" for unit, word in hurt.units]
    told = (UnitResult("the crew", crew),) if crew != NONE or not hurt.fates else ()
    return hurt._replace(
        headline="; ".join(said) or "no effect",
        then=(*place_crew(vehicle, crew), *hurt.then),
        joins=(*build_joining_crew(vehicle, crew), *hurt.joins),
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
    readings = get_readings(tables)
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
        return Ruling(
            after, told, lambda: [Line("crew", roll, result=readings.get_escape_number("crew"))]
        )

    def list_rows() -> Sequence[OddsRow]:
        return build_row("crew", "crew"), *build_rows(items)

    steps = {"crew of the vehicle": ruled((CREW,), bail), **checks.steps()}
    opening: dict[str, Any] = {"passengers": []}
    settle = partial(_resolve_bail_out, given.unit("unit"), passengers)
    if crew == "bail-out":
        return Plan(Attack("crew of the vehicle"), steps, settle, opening, rows=list_rows)
    opening |= {"crew": CREWS[crew], "outcome": CREWS[crew], **known}
    return Plan(after, steps, settle, opening, rows=list_rows)
