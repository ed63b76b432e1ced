"""Air support: cannon or bombs on one hex, against leg units as fire, against vehicles as
penetration.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Joining,
    OddsRow,
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
    place_crew,
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
VEHICLES = "vehicles"


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """An air attack on `targets`. Source: PAC 05, 06 (19.1).

    Passengers are left to bail-out, of which the answer reminds. Raises UserError for one without a
    vehicle before it.
    """
    given.refuse_values()
    targets = given.units("targets")
    value = given.int("value")
    aboard = _list_riders(targets)
    legs = tuple(unit for unit in targets if kinds.is_leg(unit))
    vehicles = tuple(unit for unit in targets if not kinds.is_man(unit))
    flammable = given.flag("flammable")
    mod, parts = compute_leg_modifiers(tables, given, legs)
    tm = get_terrain(given)
    attacks = (given.word("attack"), value)
    sums = Opposed(
        value + mod, tm, (attacks, *list_modifiers(parts, "attack_mod")), build_target_modifier(tm)
    )
    struck = tuple(
        _build_struck_vehicle(at, unit, attacks, first=at == 0 and not legs)
        for at, unit in enumerate(vehicles)
    )

    def next_vehicle(at: int, *, six: bool) -> Attack:
        return (
            Attack("impact", at=at, six=six)
            if at < len(vehicles)
            else owe_fire_check(Attack(None, six=six))
        )

    readings = get_readings(tables)
    checks = DamageChecks(
        readings,
        list_items(readings, legs, no_hero=given.flag("no_hero")),
        finish=lambda state: next_vehicle(0, six=state.six),
    )
    impact = Impact(
        readings,
        lambda now: struck[now.at],
        lambda now: (next_vehicle(now.at + 1, six=now.six), {}),
        flammable=flammable,
    )

    def attack(_: Attack, roll: Roll) -> Ruling[Attack]:
        ruling = checks.rule_on_attack(sums, roll, flammable=flammable)
        # vehicles may bring one
        told = {name: value for name, value in ruling.told.items() if name != "fire_check"}
        return ruling._replace(told={"attack_roll": roll[0], **told})

    def resolve(out: Mapping[str, Any]) -> Resolution:
        return _resolve(out, legs, vehicles, aboard)

    opening: dict[str, Any] = {"targets": [], "vehicles": []}
    opening |= {f"vehicles[{at}].unit": unit.word for at, unit in enumerate(vehicles)}
    if not legs:
        opening |= {
            "attack_roll": NONE,
            "attack_total": NONE,
            "defense_total": NONE,
            "hit": False,
            "dc_mod": 0,
        }

    def list_rows() -> Sequence[OddsRow]:
        return *build_rows(checks.items), *(
            build_row(f"{each.path}result", each.word) for each in struck
        )

    steps = {
        "attack": ruled(DICE, attack),
        "fire check": build_fire_check(readings),
        **impact.steps(),
        **checks.steps(),
    }
    start = Attack("attack") if legs else next_vehicle(0, six=False)
    return Plan(
        start,
        steps,
        resolve,
        opening,
        build_unused_fire_check(flammable),
        rows=list_rows,
        apart=checks.split_parts,
    )


def _build_struck_vehicle(
    at: int, unit: Unit, attack: tuple[str, int], *, first: bool
) -> StruckVehicle:
    """The vehicle at this place as the penetration roll meets it."""
    return StruckVehicle(
        word=unit.word,
        path=f"vehicles[{at}].",
        penetration=attack[1],
        armor=int(unit.numbers.get("av") or 0),
        morale=unit.number("morale"),
        shaken=kinds.is_shaken(unit),
        flies=unit.type in kinds.AIRBORNE,
        first=first,
        parts=(attack,),
    )


def _list_riders(targets: Sequence[Unit]) -> tuple[str, ...]:
    """For each vehicle of the list who rides on it, as `squad, leader`. Raises UserError for a
    stray passenger.
    """
    kinds.refuse_unfit(targets)
    riding: list[list[str]] = []
    for unit in targets:
        if not kinds.is_man(unit):
            if kinds.is_passenger(unit):
                raise kinds.make_no_passenger_error(unit)
            riding.append([])
        elif kinds.is_passenger(unit):
            if not riding:
                raise kinds.make_stray_error(unit)
            riding[-1].append(unit.word)
    return tuple(map(", ".join, riding))


def _resolve(
    out: Mapping[str, Any],
    legs: tuple[Unit, ...],
    vehicles: tuple[Unit, ...],
    aboard: tuple[str, ...],
) -> Resolution:
    more: list[str] = []
    changes = []
    fates = []
    joins: list[Joining] = []
    words: list[tuple[str, str]] = []
    for unit, riding, answer in zip(vehicles, aboard, out["vehicles"], strict=True):
        result = str(answer["result"])
        crew = str(answer["crew"])
        words.append(
            (
                unit.word,
                describe_result(result)
                if crew == NONE
                else f"{result}, crew {describe_crew_fate(crew)}",
            )
        )
        fates.append(UnitResult(unit.word, result, CREWS.get(crew, "")))
        more += place_crew(unit, crew)
        joins += build_joining_crew(unit, crew)
        if result != NONE and (change := build_state_change(unit, result)) is not None:
            changes.append(change)
        if unit.type in kinds.AIRBORNE and result == "destroyed":
            more.append(f"{unit.word} crashes: run crash, and bail-out for those aboard.")
        elif riding:
            row = "shaken" if result == "damaged" else result
            more.append(
                f"Run bail-out with cause=oft vehicle={row} for {riding}, who ride on {unit.word}."
            )
    hurt = resolve_damage(legs, out["targets"])
    said = [format_headline(hurt.units, hit=out["hit"])] if legs else []
    said += [f"{word} {result}" for word, result in words]
    more += list_fire_reminders(out)
    notes = [
        get_reminder(unit, str(answer["result"]))
        for unit, answer in zip(vehicles, out["vehicles"], strict=True)
    ]
    settled = resolve_attack(
        "; ".join(said), legs, hurt, more=more, notes=dict.fromkeys(filter(None, notes))
    )
    return settled._replace(
        units=(*settled.units, *words),
        changes=(*settled.changes, *changes),
        joins=(*settled.joins, *joins),
        fates=(*(settled.fates if legs else ()), *fates),
    )
