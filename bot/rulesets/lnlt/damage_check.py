"""Damage checks at a modifier that is known already; and the rolls of crew and passengers after a
result on their vehicle that is known already.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    list_crew_reminders,
    resolve_attack,
    resolve_damage,
)
from bot.rulesets.lnlt.checks import NONE, DamageChecks, describe_crew_fate
from bot.rulesets.lnlt.items import Attack, Carrier, get_readings, list_items
from bot.rulesets.lnlt.kinds import RIDING


def plan(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan the damage checks of `targets` at the modifier `dc_mod`. Source: PAC 02, 05 (5.0)."""
    targets = inputs.units("targets")
    readings = get_readings(tables)
    items = list_items(readings, targets, no_hero=inputs.flag("no_hero"))
    checks = DamageChecks(readings, items)

    def resolve(out: Mapping[str, Any]) -> Resolution:
        damage = resolve_damage(targets, out["targets"])
        return resolve_attack(damage.headline, targets, damage)

    start, _ = checks.begin(Attack(None, inputs.int("dc_mod")))
    return Plan(
        start,
        checks.steps(),
        resolve,
        {"targets": []},
        odds_rows=lambda: build_rows(items),
        find_independent_parts=checks.split_parts,
    )


# -- the fate of the crew and passengers of a vehicle, for a result that is known already

CREW = d6("bail-out crew")
CREWS = {"none": NONE, "shaken-crew": "shaken-moved", "eliminated": "eliminated"}
"""The output crew for each entry of table crew-fate that needs no roll."""


def _resolve_bail_out(
    vehicle: Unit | None, passengers: Sequence[Unit], out: Mapping[str, Any]
) -> Resolution:
    """Return the result of a bail-out: that of the crew, then those of the passengers."""
    damage = resolve_damage(passengers, out["passengers"])
    crew = str(out["crew"])
    phrases = [f"crew {describe_crew_fate(crew)}"] if crew != NONE else []
    phrases += [f"{unit} {word}" for unit, word in damage.unit_words]
    crew_results: tuple[UnitResult, ...] = ()
    if crew != NONE or not damage.unit_results:
        crew_results = (UnitResult("the crew", crew),)
    return damage._replace(
        headline="; ".join(phrases) or "no effect",
        next_steps=(*list_crew_reminders(vehicle, crew), *damage.next_steps),
        arrivals=(*build_joining_crew(vehicle, crew), *damage.arrivals),
        unit_results=(*crew_results, *damage.unit_results),
    )


def plan_bail_out(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan the rolls of the crew and of `passengers` after the result `vehicle` on their vehicle.

    Source: PAC 02, 06, 09 (15.4, 16.1.1).

    Raises UserError for results that a close assault does not have, for passengers outside in one,
    and for passengers that are both inside and outside.
    """
    cause = inputs.word("cause")
    row = inputs.word("vehicle")
    passengers = inputs.units("passengers")
    readings = get_readings(tables)
    crew = readings.fate(cause, row, "crew")
    for unit in passengers:
        if unit.flags >= RIDING:
            problem = f"{unit.word} is both inside and outside."
            raise UserError(problem, hint="Keep only one of the flags.", code="unit-twice")
    exposed = inputs.flag("open_topped") or inputs.flag("unarmored")
    carrier = Carrier(cause, (row,), exposed)
    items = list_items(
        readings, passengers, "passengers", no_hero=inputs.flag("no_hero"), carrier=carrier
    )
    checks = DamageChecks(readings, items, has_outcome=False)
    first_state, first_outputs = checks.begin(Attack(None, inputs.int("dc_mod"), row=row))

    def bail(_: Attack, roll: Roll) -> Ruling[Attack]:
        result = readings.bail_out("crew", roll[0])
        outputs = {"crew": result, "outcome": result, **first_outputs}

        def build_lines() -> Iterable[Line]:
            return [Line("crew", roll, result=readings.format_escape_roll("crew"))]

        return Ruling(first_state, outputs, build_lines)

    def list_rows() -> Sequence[OddsRow]:
        return build_row("crew", "crew"), *build_rows(items)

    steps = {"crew of the vehicle": ruled((CREW,), bail), **checks.steps()}
    opening: dict[str, Any] = {"passengers": []}
    resolve = partial(_resolve_bail_out, inputs.unit("unit"), passengers)
    if crew == "bail-out":
        return Plan(Attack("crew of the vehicle"), steps, resolve, opening, odds_rows=list_rows)
    opening |= {"crew": CREWS[crew], "outcome": CREWS[crew], **first_outputs}
    return Plan(first_state, steps, resolve, opening, odds_rows=list_rows)
