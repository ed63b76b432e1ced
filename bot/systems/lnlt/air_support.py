"""Air support: cannon or bombs on one hex, against leg units as fire, against vehicles as
penetration.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Fate,
    Joining,
    Plan,
    Roll,
    Row,
    Ruling,
    Settlement,
    parts_of,
    row_of,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.aftermath import (
    CREWS,
    attacked,
    becomes,
    crew_joins,
    headline,
    place_crew,
    reminder,
    rows,
    suffered,
)
from bot.systems.lnlt.area import leg_modifiers, terrain_of
from bot.systems.lnlt.checks import NONE, DamageChecks, say, say_crew
from bot.systems.lnlt.impact import (
    Impact,
    Struck,
    fire_check,
    fire_started,
    then_fire_check,
    told_after,
)
from bot.systems.lnlt.items import Attack, list_items, readings_of
from bot.systems.lnlt.reasons import Opposed, target_modifier

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
    aboard = _aboard(targets)
    legs = tuple(unit for unit in targets if kinds.is_leg(unit))
    vehicles = tuple(unit for unit in targets if not kinds.is_man(unit))
    flammable = given.flag("flammable")
    mod, parts = leg_modifiers(tables, given, legs)
    tm = terrain_of(given)
    attacks = (given.word("attack"), value)
    sums = Opposed(value + mod, tm, (attacks, *parts_of(parts, "attack_mod")), target_modifier(tm))
    struck = tuple(
        _struck(at, unit, attacks, first=at == 0 and not legs) for at, unit in enumerate(vehicles)
    )

    def next_vehicle(at: int, *, six: bool) -> Attack:
        return (
            Attack("impact", at=at, six=six)
            if at < len(vehicles)
            else then_fire_check(Attack(None, six=six))
        )

    readings = readings_of(tables)
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
        ruling = checks.attacked(sums, roll, flammable=flammable)
        # vehicles may bring one
        told = {name: value for name, value in ruling.told.items() if name != "fire_check"}
        return ruling._replace(told={"attack_roll": roll[0], **told})

    def settle(out: Mapping[str, Any]) -> Settlement:
        return _settle(out, legs, vehicles, aboard)

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

    def shown() -> Sequence[Row]:
        return *rows(checks.items), *(row_of(f"{each.path}result", each.word) for each in struck)

    steps = {
        "attack": ruled(DICE, attack),
        "fire check": fire_check(readings),
        **impact.steps(),
        **checks.steps(),
    }
    start = Attack("attack") if legs else next_vehicle(0, six=False)
    return Plan(
        start, steps, settle, opening, told_after(flammable), rows=shown, apart=checks.apart
    )


def _struck(at: int, unit: Unit, attack: tuple[str, int], *, first: bool) -> Struck:
    """The vehicle at this place as the penetration roll meets it."""
    return Struck(
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


def _aboard(targets: Sequence[Unit]) -> tuple[str, ...]:
    """For each vehicle of the list who rides on it, as `squad, leader`. Raises UserError for a
    stray passenger.
    """
    kinds.refuse_unfit(targets)
    riding: list[list[str]] = []
    for unit in targets:
        if not kinds.is_man(unit):
            if kinds.is_passenger(unit):
                raise kinds.no_passenger(unit)
            riding.append([])
        elif kinds.is_passenger(unit):
            if not riding:
                raise kinds.stray(unit)
            riding[-1].append(unit.word)
    return tuple(map(", ".join, riding))


def _settle(
    out: Mapping[str, Any],
    legs: tuple[Unit, ...],
    vehicles: tuple[Unit, ...],
    aboard: tuple[str, ...],
) -> Settlement:
    more: list[str] = []
    changes = []
    fates = []
    joins: list[Joining] = []
    words: list[tuple[str, str]] = []
    for unit, riding, answer in zip(vehicles, aboard, out["vehicles"], strict=True):
        result = str(answer["result"])
        crew = str(answer["crew"])
        words.append(
            (unit.word, say(result) if crew == NONE else f"{result}, crew {say_crew(crew)}")
        )
        fates.append(Fate(unit.word, result, CREWS.get(crew, "")))
        more += place_crew(unit, crew)
        joins += crew_joins(unit, crew)
        if result != NONE and (change := becomes(unit, result)) is not None:
            changes.append(change)
        if unit.type in kinds.AIRBORNE and result == "destroyed":
            more.append(f"{unit.word} crashes: run crash, and bail-out for those aboard.")
        elif riding:
            row = "shaken" if result == "damaged" else result
            more.append(
                f"Run bail-out with cause=oft vehicle={row} for {riding}, who ride on {unit.word}."
            )
    hurt = suffered(legs, out["targets"])
    said = [headline(hurt.units, hit=out["hit"])] if legs else []
    said += [f"{word} {result}" for word, result in words]
    more += fire_started(out)
    notes = [
        reminder(unit, str(answer["result"]))
        for unit, answer in zip(vehicles, out["vehicles"], strict=True)
    ]
    settled = attacked(
        "; ".join(said), legs, hurt, more=more, notes=dict.fromkeys(filter(None, notes))
    )
    return settled._replace(
        units=(*settled.units, *words),
        changes=(*settled.changes, *changes),
        joins=(*settled.joins, *joins),
        fates=(*(settled.fates if legs else ()), *fates),
    )
