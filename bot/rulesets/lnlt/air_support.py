"""Air support: an attack with cannon or bombs on one hex. Leg units take it as fire, vehicles as
penetration.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Arrival,
    Change,
    OddsRow,
    Outputs,
    Plan,
    Resolution,
    Roll,
    Ruling,
    UnitResult,
    build_row,
    list_modifiers,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.aftermath import (
    CREWS,
    build_joining_crew,
    build_rows,
    build_state_change,
    format_headline,
    get_reminder,
    list_crew_reminders,
    resolve_attack,
    resolve_damage,
)
from bot.rulesets.lnlt.area import compute_leg_modifiers, get_terrain
from bot.rulesets.lnlt.checks import NONE, DamageChecks, describe_crew_fate, describe_result
from bot.rulesets.lnlt.impact import (
    Impact,
    StruckVehicle,
    build_fire_check,
    build_unused_fire_check,
    list_fire_reminders,
    owe_fire_check,
)
from bot.rulesets.lnlt.items import Attack, get_readings, list_items
from bot.rulesets.lnlt.reasons import Opposed, build_target_modifier

DICE = (d6("attack"), d6("defense"))
NO_LEGS = {
    "attack_roll": NONE,
    "attack_total": NONE,
    "defense_total": NONE,
    "hit": False,
    "dc_mod": 0,
}
"""Outputs of an attack on a hex without leg units."""


def plan(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan an air attack on `targets`: first the leg units together, then each vehicle.

    Passengers are not checked; the answer reminds players to run bail-out for them.
    Source: PAC 05, 06 (19.1).

    Raises UserError for a passenger without a vehicle before it.
    """
    inputs.refuse_values()
    targets = inputs.units("targets")
    value = inputs.int("value")
    rider_names = _list_rider_names(targets)
    legs = tuple(unit for unit in targets if kinds.is_leg(unit))
    vehicles = tuple(unit for unit in targets if not kinds.is_man(unit))
    flammable = inputs.flag("flammable")
    mod, mod_parts = compute_leg_modifiers(tables, inputs, legs)
    tm = get_terrain(inputs)
    weapon_part = (inputs.word("attack"), value)
    attack_parts = (weapon_part, *list_modifiers(mod_parts, "attack_mod"))
    sums = Opposed(value + mod, tm, attack_parts, build_target_modifier(tm))
    struck_vehicles = tuple(
        _build_struck_vehicle(index, unit, weapon_part, is_first=index == 0 and not legs)
        for index, unit in enumerate(vehicles)
    )

    def get_state_at(vehicle_index: int, *, natural_six: bool) -> Attack:
        """Return the state that owes the impact on this vehicle; after the last, the fire check."""
        if vehicle_index < len(vehicles):
            return Attack("impact", unit_index=vehicle_index, natural_six=natural_six)
        return owe_fire_check(Attack(None, natural_six=natural_six))

    def go_to_next_vehicle(state: Attack) -> tuple[Attack, Outputs]:
        return get_state_at(state.unit_index + 1, natural_six=state.natural_six), {}

    readings = get_readings(tables)
    checks = DamageChecks(
        readings,
        list_items(readings, legs, no_hero=inputs.flag("no_hero")),
        finish=lambda state: get_state_at(0, natural_six=state.natural_six),
    )
    impact = Impact(
        readings,
        lambda state: struck_vehicles[state.unit_index],
        go_to_next_vehicle,
        flammable=flammable,
    )

    def attack(_: Attack, roll: Roll) -> Ruling[Attack]:
        ruling = checks.rule_on_attack(sums, roll, flammable=flammable)
        # the impact on a vehicle can still require a fire check
        outputs = {name: value for name, value in ruling.outputs.items() if name != "fire_check"}
        return ruling._replace(outputs={"attack_roll": roll[0], **outputs})

    def resolve(out: Mapping[str, Any]) -> Resolution:
        return _resolve(out, legs, vehicles, rider_names)

    opening: dict[str, Any] = {"targets": [], "vehicles": []}
    opening |= {f"vehicles[{index}].unit": unit.word for index, unit in enumerate(vehicles)}
    if not legs:
        opening |= NO_LEGS

    def list_rows() -> Sequence[OddsRow]:
        vehicle_rows = [
            build_row(f"{struck.path}result", struck.word) for struck in struck_vehicles
        ]
        return *build_rows(checks.items), *vehicle_rows

    steps = {
        "attack": ruled(DICE, attack),
        "fire check": build_fire_check(readings),
        **impact.steps(),
        **checks.steps(),
    }
    start = Attack("attack") if legs else get_state_at(0, natural_six=False)
    return Plan(
        start,
        steps,
        resolve,
        opening,
        build_unused_fire_check(flammable),
        odds_rows=list_rows,
        find_independent_parts=checks.split_parts,
    )


def _build_struck_vehicle(
    index: int, unit: Unit, weapon_part: tuple[str, int], *, is_first: bool
) -> StruckVehicle:
    """Return the vehicle at this index, hit by the weapon of this (name, penetration)."""
    return StruckVehicle(
        word=unit.word,
        path=f"vehicles[{index}].",
        penetration=weapon_part[1],
        armor=int(unit.numbers.get("av") or 0),
        morale=unit.number("morale"),
        shaken=kinds.is_shaken(unit),
        flies=unit.type in kinds.AIRBORNE,
        is_first=is_first,
        parts=(weapon_part,),
    )


def _list_rider_names(targets: Sequence[Unit]) -> tuple[str, ...]:
    """Return the names of the passengers of each vehicle in the list: `squad, leader`, or "".

    Raises UserError for a passenger without a vehicle before it, for a passenger that cannot ride,
    and for a unit out of play or listed twice.
    """
    kinds.refuse_unfit(targets)
    names_by_vehicle: list[list[str]] = []
    for unit in targets:
        if not kinds.is_man(unit):
            if kinds.is_passenger(unit):
                raise kinds.make_no_passenger_error(unit)
            names_by_vehicle.append([])
        elif kinds.is_passenger(unit):
            if not names_by_vehicle:
                raise kinds.make_stray_error(unit)
            names_by_vehicle[-1].append(unit.word)
    return tuple(map(", ".join, names_by_vehicle))


def _resolve(
    out: Mapping[str, Any],
    legs: tuple[Unit, ...],
    vehicles: tuple[Unit, ...],
    rider_names: tuple[str, ...],
) -> Resolution:
    """Return the result of the attack: that of the leg units, then that of each vehicle."""
    reminders: list[str] = []
    changes: list[Change] = []
    results: list[UnitResult] = []
    joins: list[Arrival] = []
    words: list[tuple[str, str]] = []
    notes: dict[str, None] = {}
    for unit, riders, answer in zip(vehicles, rider_names, out["vehicles"], strict=True):
        result = str(answer["result"])
        crew = str(answer["crew"])
        word = describe_result(result)
        if crew != NONE:
            word = f"{result}, crew {describe_crew_fate(crew)}"
        words.append((unit.word, word))
        results.append(UnitResult(unit.word, result, CREWS.get(crew, "")))
        reminders += list_crew_reminders(unit, crew)
        joins += build_joining_crew(unit, crew)
        change = build_state_change(unit, result) if result != NONE else None
        if change is not None:
            changes.append(change)
        reminders += _list_vehicle_reminders(unit, riders, result)
        note = get_reminder(unit, result)
        if note:
            notes[note] = None
    damage = resolve_damage(legs, out["targets"])
    phrases = [format_headline(damage.unit_words, hit=out["hit"])] if legs else []
    phrases += [f"{name} {word}" for name, word in words]
    reminders += list_fire_reminders(out)
    resolution = resolve_attack("; ".join(phrases), legs, damage, reminders=reminders, notes=notes)
    leg_results = resolution.unit_results if legs else ()
    return resolution._replace(
        unit_words=(*resolution.unit_words, *words),
        changes=(*resolution.changes, *changes),
        arrivals=(*resolution.arrivals, *joins),
        unit_results=(*leg_results, *results),
    )


def _list_vehicle_reminders(unit: Unit, riders: str, result: str) -> tuple[str, ...]:
    """Return the sequences to run after `result` on a vehicle: a crash, or its riders' bail-out."""
    if unit.type in kinds.AIRBORNE and result == "destroyed":
        return (f"{unit.word} crashes: run crash, and bail-out for those aboard.",)
    if not riders:
        return ()
    row = "shaken" if result == "damaged" else result
    return (f"Run bail-out with cause=oft vehicle={row} for {riders}, who ride on {unit.word}.",)
