"""Ordnance: a to-hit roll, then HE against infantry, or penetration with the crew and passengers of
a vehicle or an aircraft.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
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
from bot.rules.tables.table import ModifierPart, Tables
from bot.rulesets.lnlt import aftermath, kinds
from bot.rulesets.lnlt.aftermath import (
    build_rows,
    format_headline,
    list_firers,
    resolve_attack,
    resolve_captured_weapons,
    resolve_damage,
)
from bot.rulesets.lnlt.checks import NONE, DamageChecks, describe_result
from bot.rulesets.lnlt.fire import refuse_to_fire
from bot.rulesets.lnlt.impact import (
    Impact,
    StruckVehicle,
    build_fire_check,
    build_impossible_fire_check,
    build_unused_fire_check,
    list_fire_reminders,
    owe_fire_check,
)
from bot.rulesets.lnlt.items import ROWS, Attack, Carrier, get_readings, list_items
from bot.rulesets.lnlt.kinds import is_lone_sniper
from bot.rulesets.lnlt.reasons import Opposed, format_at_most

# -- the to-hit roll of ordnance: white and colored die, its modifiers, and the depletion of an ATGM

DICE = (d6("to hit, white"), d6("to hit, colored"))
FLAGS = (
    "open", "turret_pivot", "assault", "smc_sw", "smoke", "tis", "chassis_pivot", "between_buildings",
    "attacker_flying", "adjacent", "rubber_boat", "mounted_stationary", "fired_ordnance_sw",
)  # fmt: skip
ALWAYS = {2: "a natural 2 always hits", 12: "a natural 12 always misses"}
WORDS = ("vehicle_assault", "night")
NUMBERS = ("lm", "degrading", "tm", "acquisition")


@dataclass(frozen=True, slots=True)
class ToHit:
    """The to-hit roll of one shot: the number needed, the modifiers, and special conditions.

    - `number`: the highest total that hits.
    - `mod`, `parts`: the sum of the modifiers, and the named modifiers.
    - `disrupted`: the team was hit by opportunity fire and cannot hit.
    - `depletion`: a colored die below this expends the ATGM.
    """

    number: int
    mod: int
    parts: tuple[ModifierPart, ...]
    disrupted: bool
    depletion: int

    def hits(self, roll: Roll) -> bool:
        """Return whether the shot hits: a natural 2 always, a natural 12 never, a disrupted team
        never.
        """
        natural = sum(roll)
        if self.disrupted or natural == 12:
            return False
        return natural == 2 or natural + self.mod <= self.number

    def build_outputs(self, roll: Roll) -> dict[str, Any]:
        """Return the outputs to_hit_roll, to_hit_total, hit and atgm_expended."""
        return {
            "to_hit_roll": sum(roll),
            "to_hit_total": sum(roll) + self.mod,
            "hit": self.hits(roll),
            "atgm_expended": roll[1] < self.depletion,
        }

    def describe_need(self) -> str:
        """Return the totals that hit, in words: `needs 7 or less`.

        If only a natural 2 can hit, or only a natural 12 can miss, say that instead.
        """
        highest_roll = self.number - self.mod
        if highest_roll <= 2:
            return "needs a natural 2"
        if highest_roll >= 11:
            return "misses only on a natural 12"
        return format_at_most(self.number)

    def line(self, roll: Roll) -> Line:
        """Return the line of the roll in the answer."""
        natural = sum(roll)
        total = natural + self.mod
        reason = self.describe_need()
        if self.disrupted:
            reason = "disrupted by opportunity fire"
        elif natural in ALWAYS:
            hits_by_total = total <= self.number
            if self.hits(roll) != hits_by_total:
                reason = ALWAYS[natural]
        return Line("to hit", roll, list_modifiers(self.parts), total, reason)


def build_to_hit(
    tables: Tables, inputs: Given, targets: Sequence[Unit], **target_inputs: Any
) -> ToHit:
    """Return the to-hit roll for these inputs.

    `target_inputs` are inputs of table oft-mods that only one kind of target has.
    Source: PAC 04, 06 (14.1).
    """
    modifiers = tables["oft-mods"](
        **inputs.flags(FLAGS) | _read_markers(inputs, targets),
        **{name: inputs.word(name) for name in WORDS},
        **{name: inputs.int(name) for name in NUMBERS},
        **target_inputs,
    )
    return ToHit(
        number=inputs.int("to_hit"),
        mod=int(modifiers["to_hit_mod"]),
        parts=modifiers.parts,
        disrupted=inputs.flag("disrupted"),
        depletion=inputs.int("atgm_depletion"),
    )


def _read_markers(inputs: Given, targets: Sequence[Unit]) -> dict[str, Any]:
    """Return the inputs of table oft-mods that stand for markers: as typed, else from the units.

    `assault` is included only if a marker sets it. Source: PAC 04 (14.1).
    """
    firer = inputs.unit("unit")
    typed_names = inputs.typed
    marker_inputs: dict[str, Any] = {
        name: inputs.word(name) for name in ("target_moved", "ops_complete")
    }
    if "target_moved" not in typed_names and kinds.has_moved(targets):
        marker_inputs["target_moved"] = "yes"
    if firer is None:
        return marker_inputs
    is_complete = firer.type in kinds.MMC and kinds.counts_as_ops_complete(firer)
    if "ops_complete" not in typed_names and is_complete:
        marker_inputs["ops_complete"] = "standard"
    if "assault" not in typed_names and kinds.is_assault_moving(firer):
        marker_inputs["assault"] = True
    return marker_inputs


# -- ordnance against infantry: to hit, then HE against a bare die, then damage checks

HEAT_IN_THE_OPEN = 1
OPPOSED = (d6("attack"), d6("defense"))
MISSED_INFANTRY = {
    "attack_total": NONE,
    "defense_total": NONE,
    "damage": False,
    "dc_mod": 0,
    "outcome": NONE,
}


def plan_ordnance_infantry(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan a shot of ordnance at a hex of infantry. Source: PAC 04, 06 (14.1).

    Raises UserError for a firer that is out of play, shaken or damaged, and for vehicles or
    passengers among the targets.
    """
    inputs.refuse_values()
    refuse_to_fire(inputs.unit("unit"))
    targets = inputs.units("targets")
    flammable = inputs.flag("flammable")
    _check_infantry(targets)
    is_alone = is_lone_sniper(targets) or inputs.flag("lone_sniper")
    shot = build_to_hit(tables, inputs, targets, lone_sniper=is_alone)
    sums = _build_sums(inputs)
    readings = get_readings(tables)
    checks = DamageChecks(
        readings,
        list_items(readings, targets, no_hero=inputs.flag("no_hero")),
        finish=owe_fire_check,
    )

    def aim(_: Attack, roll: Roll) -> Ruling[Attack]:
        outputs = shot.build_outputs(roll)
        next_state = Attack("attack")
        if not shot.hits(roll):
            next_state = Attack(None)
            outputs |= MISSED_INFANTRY
            if flammable:
                outputs["fire_check"] = NONE
        return Ruling(next_state, outputs, lambda: [shot.line(roll)])

    def attack(_: Attack, roll: Roll) -> Ruling[Attack]:
        return checks.rule_on_attack(sums, roll, flammable=flammable, hit="damage")

    def list_rows() -> Sequence[OddsRow]:
        rows = build_rows(checks.items) or (build_row("outcome"),)
        return tuple(map(aftermath.add_miss, rows))

    steps = {
        "to hit": ruled(DICE, aim),
        "attack": ruled(OPPOSED, attack),
        "fire check": build_fire_check(readings),
        **checks.steps(),
    }
    opening = {"to_hit_mod": shot.mod, "targets": [], **build_impossible_fire_check(flammable)}
    return Plan(
        Attack("to hit"),
        steps,
        partial(_resolve_infantry, inputs),
        opening,
        odds_rows=list_rows,
        find_independent_parts=checks.split_parts,
    )


def _check_infantry(targets: Sequence[Unit]) -> None:
    """Raise UserError for a target that is no man or that is a passenger."""
    for unit in targets:
        if not kinds.is_man(unit):
            problem = f"{unit.word} ({unit.type}) is not infantry."
            raise UserError(problem, hint="Use ordnance-vehicle.", code="wrong-type")
    for unit in filter(kinds.is_passenger, targets):
        problem = (
            f"{unit.word} is a passenger, and ordnance fired at infantry cannot hit passengers."
        )
        raise UserError(problem, hint="Leave out inside and outside.", code="passenger")


def _build_sums(inputs: Given) -> Opposed:
    """Return the HE value against a bare die. HEAT has less of it against men in the open."""
    parts: tuple[tuple[str, int], ...] = (("HE", inputs.int("he")),)
    if inputs.flag("heat") and not inputs.flag("cover"):
        parts = (*parts, ("HEAT in the open", -HEAT_IN_THE_OPEN))
    attack = sum(value for _, value in parts)
    return Opposed(attack, 0, parts, ())


def _resolve_infantry(inputs: Given, out: Mapping[str, Any]) -> Resolution:
    """Return the result of a shot at infantry.

    The targets are acquired unless all that were checked are eliminated.
    """
    firer = inputs.unit("unit")
    targets = inputs.units("targets")
    hit = bool(out["hit"])
    eliminated_units: list[Unit] = []
    for unit, answer in zip(targets, out["targets"], strict=False):
        if answer["becomes"] == "eliminated":
            eliminated_units.append(unit)
    surviving_units = [unit for unit in targets if unit not in eliminated_units]
    has_survivor = any(answer["becomes"] != "eliminated" for answer in out["targets"])
    notes: list[str] = []
    if has_survivor or not out["targets"]:
        notes.append(aftermath.ACQUIRED)
    notes += kinds.list_cap_notes(inputs)
    weapon_changes, weapon_reminders = resolve_captured_weapons(list_firers(inputs), works=hit)
    reminders = [*list_fire_reminders(out)]
    if out["atgm_expended"]:
        reminders.append("The ATGM is expended.")
    reminders += weapon_reminders
    acquired_unit = next(iter(surviving_units or targets), None)
    acquisition = aftermath.build_acquisition(inputs, acquired_unit, stays=bool(surviving_units))
    damage = resolve_damage(targets, out["targets"])
    headline = "miss"
    if hit:
        headline = format_headline(damage.unit_words, hit=out["damage"])
    resolution = resolve_attack(
        headline,
        targets,
        damage,
        reminders=reminders,
        notes=notes,
        firers=[firer],
        changes=weapon_changes,
        beaten_by=out["dc_mod"],
        miss=NONE if hit else "missed",
    )
    return resolution._replace(changes=(*acquisition, *resolution.changes))


# -- ordnance against a vehicle or an aircraft: to hit, penetration, morale check, crew and
# passengers

HEAT_AGAINST_RED = 4
VEHICLE = "vehicle"
MISSED_VEHICLE = {
    **dict.fromkeys(
        ("location", "attack_total", "armor_total", "mc_total", "mc", "result", "crew"), NONE
    ),
    "impact": "miss",
    "outcome": NONE,
    "acquire": True,
    "follow_up": NONE,
}


def plan_ordnance_vehicle(tables: Tables, inputs: Given) -> Plan[Attack]:
    """Plan a shot of ordnance at one vehicle or aircraft. Source: PAC 04, 06, 09 (14.1).

    Raises UserError for an aircraft in flight without guided anti-aircraft weapons, and for a firer
    that is out of play, shaken or damaged.
    """
    inputs.refuse_values()
    refuse_to_fire(inputs.unit("unit"))
    aircraft = inputs.word("aircraft")
    target = inputs.unit("target")
    passengers = inputs.units("passengers")
    _check_target(aircraft, target, guided=inputs.flag("guided_aa"))
    targets = () if target is None else (target,)
    shot = build_to_hit(tables, inputs, targets, aircraft=aircraft, size=inputs.int("size"))
    flies = aircraft != "none"
    turret_armor = inputs.get_optional("turret_armor")
    has_turret = turret_armor is not None
    armor_by_location = {"hull": inputs.int("armor"), "turret": turret_armor or 0}
    vehicles = _build_struck_vehicles(inputs, target, armor_by_location, flies=flies)
    hit_location = tables["hit-location"]

    readings = get_readings(tables)
    carrier = Carrier("oft", ROWS["oft"], exposed=flies)
    checks = DamageChecks(
        readings,
        list_items(readings, passengers, "passengers", carrier=carrier),
        has_outcome=False,
        skips_crashed=True,
        finish=owe_fire_check,
    )

    def aim(_: Attack, roll: Roll) -> Ruling[Attack]:
        hit = shot.hits(roll)
        location = str(hit_location(roll=sum(roll), turret=has_turret)["location"])
        outputs = shot.build_outputs(roll)
        next_state = Attack(None)
        if hit:
            outputs["location"] = location
            next_state = Attack("impact", location=location)
        else:
            outputs |= MISSED_VEHICLE

        def build_lines() -> Iterable[Line]:
            yield shot.line(roll)
            if hit and has_turret:
                yield Line(f"natural {sum(roll)}", result=f"the {location}")

        return Ruling(next_state, outputs, build_lines)

    def begin_passengers(state: Attack) -> tuple[Attack, Outputs]:
        """Begin the checks of the passengers, who read damaged as shaken.

        Nobody rolls in a destroyed aircraft.
        """
        row = "shaken" if state.row == "damaged" else state.row
        if flies and row == "destroyed":
            row = "crash"
        return checks.begin(Attack(None, row=row, natural_six=state.natural_six))

    def build_result_outputs(result: str) -> Outputs:
        """Return the outputs that say if the target is acquired, and if it crashes."""
        is_destroyed = result == "destroyed"
        follow_up = "crash" if flies and is_destroyed else NONE
        return {"acquire": not is_destroyed, "follow_up": follow_up}

    impact = Impact(
        readings,
        lambda state: vehicles[state.location],
        begin_passengers,
        build_result_outputs=build_result_outputs,
        flammable=inputs.flag("flammable"),
    )
    steps = {
        "to hit": ruled(DICE, aim),
        "fire check": build_fire_check(readings),
        **impact.steps(),
        **checks.steps(),
    }

    def list_rows() -> Sequence[OddsRow]:
        name = "aircraft" if flies else VEHICLE
        if target is not None:
            name = target.word
        vehicle_row = aftermath.add_miss(build_row("outcome", name))
        crash_output = "follow_up" if flies else ""
        return vehicle_row, *build_rows(checks.items, crash=crash_output)

    return Plan(
        Attack("to hit"),
        steps,
        partial(_resolve_vehicle, inputs, target, passengers),
        {"to_hit_mod": shot.mod, "passengers": []},
        build_unused_fire_check(inputs.flag("flammable")),
        odds_rows=list_rows,
    )


def _check_target(aircraft: str, target: Unit | None, *, guided: bool) -> None:
    """Raise UserError for an aircraft in flight if the weapon is not guided, or for a target that
    is out of play.
    """
    if aircraft in ("fixed-wing", "flying") and not guided:
        problem = "Only guided anti-aircraft weapons can attack aircraft and flying helicopters."
        raise UserError(problem, hint="Add guided_aa to mods.", code="bad-targets")
    if target is not None:
        kinds.refuse_unfit([target])


def _build_struck_vehicles(
    inputs: Given, target: Unit | None, armor_by_location: Mapping[str, int], *, flies: bool
) -> dict[str, StruckVehicle]:
    """Return the target as it is struck at each location (hull or turret), with its armor there."""
    parts: tuple[tuple[str, int], ...] = (("", inputs.int("penetration")),)
    if inputs.flag("heat_red"):
        parts = (*parts, ("HEAT against red armor", -HEAT_AGAINST_RED))
    penetration = sum([value for _, value in parts])
    morale = inputs.int("morale")
    shaken = inputs.flag("shaken") or (target is not None and kinds.is_shaken(target))
    return {
        location: StruckVehicle(
            "",
            "",
            penetration,
            armor,
            morale,
            shaken=shaken,
            flies=flies,
            is_first=True,
            parts=parts,
        )
        for location, armor in armor_by_location.items()
    }


def _resolve_vehicle(
    inputs: Given, target: Unit | None, passengers: Sequence[Unit], out: Mapping[str, Any]
) -> Resolution:
    """Return the result of a shot at a vehicle: that of the vehicle, then that of its passengers."""
    result = str(out["result"])
    crew = str(out["crew"])
    hit = bool(out["hit"])
    firer = inputs.unit("unit")
    damage = resolve_damage(passengers, out["passengers"])
    weapon_changes, weapon_reminders = resolve_captured_weapons(list_firers(inputs), works=hit)
    word = "the target" if target is None else target.word
    result_word = describe_result(result)
    headline = f"{word}: {result_word if hit else 'miss'}"
    if firer is not None:
        headline = f"{firer.word} at {headline}"
    vehicle_words = [] if target is None else [(target.word, result_word)]
    reminders = [
        *aftermath.list_crew_reminders(target, crew),
        *_list_shot_reminders(out),
        *weapon_reminders,
    ]
    changes = [
        *_build_vehicle_changes(target, result),
        *aftermath.build_acquisition(inputs, target, stays=out["acquire"]),
    ]
    token = result if hit else "missed"
    vehicle_result = UnitResult(word, token, aftermath.CREWS.get(crew, ""))
    aircraft = inputs.word("aircraft")
    vehicle_note = _get_vehicle_note(target, result, flies=aircraft != "none")
    acquisition_notes = [aftermath.ACQUIRED] if out["acquire"] else []
    return damage._replace(
        headline=headline,
        unit_words=(*vehicle_words, *damage.unit_words),
        next_steps=(*reminders, *damage.next_steps),
        changes=(
            *changes,
            *damage.changes,
            *aftermath.mark_fired([firer]),
            *weapon_changes,
        ),
        arrivals=(*aftermath.build_joining_crew(target, crew), *damage.arrivals),
        unit_results=(vehicle_result, *damage.unit_results),
        notes=(*vehicle_note, *damage.notes, *acquisition_notes, *kinds.list_cap_notes(inputs)),
    )


def _list_shot_reminders(out: Mapping[str, Any]) -> list[str]:
    """Return the reminders for a crash, an expended ATGM and a fire."""
    reminders: list[str] = []
    if out["follow_up"] == "crash":
        reminders.append("It crashes: run crash, and bail-out for those aboard.")
    if out["atgm_expended"]:
        reminders.append("The ATGM is expended.")
    reminders += list_fire_reminders(out)
    return reminders


def _build_vehicle_changes(target: Unit | None, result: str) -> list[Change]:
    """Return the change of a roster vehicle that takes `result`; [] if nothing changes."""
    if target is None or result == NONE:
        return []
    change = aftermath.build_state_change(target, result)
    return [] if change is None else [change]


def _get_vehicle_note(target: Unit | None, result: str, *, flies: bool) -> tuple[str, ...]:
    """Return the card's rule for a vehicle that takes `result`, or ().

    A target that was not named counts as a helicopter if it `flies`, else as an armored vehicle.
    """
    vehicle = target
    if vehicle is None:
        type = "helicopter" if flies else "armored-vehicle"
        vehicle = Unit("The target", type)
    note = aftermath.get_reminder(vehicle, result)
    return (note,) if note else ()
