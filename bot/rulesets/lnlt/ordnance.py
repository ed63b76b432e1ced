"""Ordnance: to hit, then HE against infantry, or penetration, crew and passengers of a vehicle
or an aircraft.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
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
    build_unused_fire_check,
    list_fire_reminders,
    owe_fire_check,
    tell_impossible_fire_check,
)
from bot.rulesets.lnlt.items import ROWS, Aboard, Attack, get_readings, list_items
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
    """The number needed at this range, the modifiers, and what makes the shot special."""

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
        return (
            not self.disrupted
            and natural != 12
            and (natural == 2 or natural + self.mod <= self.number)
        )

    def build_outputs(self, roll: Roll) -> dict[str, Any]:
        """The outputs that the roll decides; an ATGM is expended by a colored die below its
        depletion number.
        """
        return {
            "to_hit_roll": sum(roll),
            "to_hit_total": sum(roll) + self.mod,
            "hit": self.hits(roll),
            "atgm_expended": roll[1] < self.depletion,
        }

    def describe_need(self) -> str:
        """Return what hits in words: of the total, or of the dice where only a 2 or all but a 12
        hit.
        """
        highest = self.number - self.mod
        if highest <= 2:
            return "needs a natural 2"
        return "misses only on a natural 12" if highest >= 11 else format_at_most(self.number)

    def line(self, roll: Roll) -> Line:
        """The line of the answer."""
        verdict = self.describe_need()
        if self.disrupted:
            verdict = "disrupted by opportunity fire"
        elif sum(roll) in ALWAYS and self.hits(roll) != (sum(roll) + self.mod <= self.number):
            verdict = ALWAYS[sum(roll)]
        return Line("to hit", roll, list_modifiers(self.parts), sum(roll) + self.mod, verdict)


def build_to_hit(tables: Tables, given: Given, targets: Sequence[Unit], **more: Any) -> ToHit:
    """The to-hit roll of the inputs; `more` are inputs of table oft-mods that only one kind of
    target has.

    Source: PAC 04, 06 (14.1).
    """
    modifiers = tables["oft-mods"](
        **given.flags(FLAGS) | _read_markers(given, targets),
        **{word: given.word(word) for word in WORDS},
        **{number: given.int(number) for number in NUMBERS},
        **more,
    )
    mod = int(modifiers["to_hit_mod"])
    return ToHit(
        given.int("to_hit"),
        mod,
        modifiers.parts,
        given.flag("disrupted"),
        given.int("atgm_depletion"),
    )


def _read_markers(given: Given, targets: Sequence[Unit]) -> dict[str, Any]:
    """Return the inputs of table oft-mods that stand for markers: as typed, else from the units.

    Source: PAC 04 (14.1).
    """
    firer = given.unit("unit")
    typed = given.typed
    found: dict[str, Any] = {name: given.word(name) for name in ("target_moved", "ops_complete")}
    if "target_moved" not in typed and kinds.has_moved(targets):
        found["target_moved"] = "yes"
    if firer is None:
        return found
    is_complete = firer.type in kinds.MMC and kinds.counts_as_ops_complete(firer)
    if "ops_complete" not in typed and is_complete:
        found["ops_complete"] = "standard"
    if "assault" not in typed and kinds.is_assault_moving(firer):
        found["assault"] = True
    return found


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


def plan_ordnance_infantry(tables: Tables, given: Given) -> Plan[Attack]:
    """A shot at a hex of infantry. Source: PAC 04, 06 (14.1). Raises UserError for vehicles
    among the targets.
    """
    given.refuse_values()
    refuse_to_fire(given.unit("unit"))
    targets = given.units("targets")
    flammable = given.flag("flammable")
    for unit in targets:
        if not kinds.is_man(unit):
            what = f"{unit.word} ({unit.type}) is not infantry."
            raise UserError(what, hint="Use ordnance-vehicle.", code="wrong-type")
    for unit in filter(kinds.is_passenger, targets):
        what = f"{unit.word} is a passenger, and ordnance against infantry hits none."
        raise UserError(what, hint="Leave out inside and outside.", code="passenger")
    is_alone = is_lone_sniper(targets) or given.flag("lone_sniper")
    shot = build_to_hit(tables, given, targets, lone_sniper=is_alone)
    he = _build_sums(given)
    readings = get_readings(tables)
    checks = DamageChecks(
        readings,
        list_items(readings, targets, no_hero=given.flag("no_hero")),
        finish=owe_fire_check,
    )

    def aim(_: Attack, roll: Roll) -> Ruling[Attack]:
        hit = shot.hits(roll)
        told = shot.build_outputs(roll)
        if not hit:
            told |= MISSED_INFANTRY | ({"fire_check": NONE} if flammable else {})
        return Ruling(Attack("attack" if hit else None), told, lambda: [shot.line(roll)])

    steps = {
        "to hit": ruled(DICE, aim),
        "attack": ruled(
            OPPOSED,
            lambda _, roll: checks.rule_on_attack(he, roll, flammable=flammable, hit="damage"),
        ),
        "fire check": build_fire_check(readings),
        **checks.steps(),
    }
    opening = {"to_hit_mod": shot.mod, "targets": [], **tell_impossible_fire_check(flammable)}
    return Plan(
        Attack("to hit"),
        steps,
        partial(_resolve_infantry, given),
        opening,
        rows=lambda: tuple(
            map(aftermath.add_miss, build_rows(checks.items) or (build_row("outcome"),))
        ),
        apart=checks.split_parts,
    )


def _build_sums(given: Given) -> Opposed:
    """The HE value against a bare die; HEAT loses some of it against men in the open."""
    he: tuple[tuple[str, int], ...] = (("HE", given.int("he")),)
    if given.flag("heat") and not given.flag("cover"):
        he = (*he, ("HEAT in the open", -HEAT_IN_THE_OPEN))
    return Opposed(sum(value for _, value in he), 0, he, ())


def _resolve_infantry(given: Given, out: Mapping[str, Any]) -> Resolution:
    unit = given.unit("unit")
    left = [answer for answer in out["targets"] if answer["becomes"] != "eliminated"]
    targets = given.units("targets")
    hit = bool(out["hit"])
    kept, lost = resolve_captured_weapons(list_firers(given), works=hit)
    more = (
        *list_fire_reminders(out),
        *(("The ATGM is expended.",) if out["atgm_expended"] else ()),
        *lost,
    )
    notes = ([aftermath.ACQUIRED] if left or not out["targets"] else []) + list(
        kinds.note_cap(given)
    )
    both = zip(targets, out["targets"], strict=False)
    gone = [unit for unit, answer in both if answer["becomes"] == "eliminated"]
    alive = [unit for unit in targets if unit not in gone]
    held = aftermath.build_acquisition(given, next(iter(alive or targets), None), stays=bool(alive))
    hurt = resolve_damage(targets, out["targets"])
    settled = resolve_attack(
        format_headline(hurt.units, hit=out["damage"]) if hit else "miss",
        targets,
        hurt,
        more=more,
        notes=notes,
        firers=[unit],
        changes=kept,
        beaten_by=out["dc_mod"],
        miss=NONE if hit else "missed",
    )
    return settled._replace(changes=(*held, *settled.changes))


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


def plan_ordnance_vehicle(tables: Tables, given: Given) -> Plan[Attack]:
    """A shot at one vehicle or aircraft. Source: PAC 04, 06, 09 (14.1).

    Raises UserError for an aircraft in flight without guided anti-aircraft weapons.
    """
    given.refuse_values()
    refuse_to_fire(given.unit("unit"))
    aircraft = given.word("aircraft")
    target = given.unit("target")
    passengers = given.units("passengers")
    _check_target(aircraft, target, guided=given.flag("guided_aa"))
    shot_at = () if target is None else (target,)
    shot = build_to_hit(tables, given, shot_at, aircraft=aircraft, size=given.int("size"))
    flies = aircraft != "none"
    turret_armor = given.get_optional("turret_armor")
    places = _build_places(
        given, target, {"hull": given.int("armor"), "turret": turret_armor or 0}, flies=flies
    )
    location = tables["hit-location"]

    readings = get_readings(tables)
    checks = DamageChecks(
        readings,
        list_items(
            readings, passengers, "passengers", aboard=Aboard("oft", ROWS["oft"], exposed=flies)
        ),
        outcome=False,
        leaves_out_crashed=True,
        finish=owe_fire_check,
    )

    def aim(_: Attack, roll: Roll) -> Ruling[Attack]:
        hit = shot.hits(roll)
        place = str(location(roll=sum(roll), turret=turret_armor is not None)["location"])
        told = shot.build_outputs(roll) | ({"location": place} if hit else MISSED_VEHICLE)
        turret = (
            [Line(f"natural {sum(roll)}", result=f"the {place}")]
            if hit and turret_armor is not None
            else []
        )
        return Ruling(
            Attack("impact", keep=place) if hit else Attack(None),
            told,
            lambda: [shot.line(roll), *turret],
        )

    def rule_passengers(now: Attack) -> tuple[Attack, Outputs]:
        """The passengers, who read damaged as shaken; nobody rolls in a destroyed aircraft."""
        row = (
            "crash"
            if flies and now.row == "destroyed"
            else "shaken"
            if now.row == "damaged"
            else now.row
        )
        return checks.begin(Attack(None, row=row, six=now.six))

    def list_further_outputs(result: str) -> Outputs:
        """Return whether the target is acquired, and whether it crashes."""
        gone = result == "destroyed"
        return {"acquire": not gone, "follow_up": "crash" if flies and gone else NONE}

    impact = Impact(
        readings,
        lambda now: places[now.keep],
        rule_passengers,
        also=list_further_outputs,
        flammable=given.flag("flammable"),
    )
    steps = {
        "to hit": ruled(DICE, aim),
        "fire check": build_fire_check(readings),
        **impact.steps(),
        **checks.steps(),
    }

    def list_rows() -> Sequence[OddsRow]:
        vehicle = build_row(
            "outcome", target.word if target is not None else VEHICLE if not flies else "aircraft"
        )
        return aftermath.add_miss(vehicle), *build_rows(
            checks.items, crash="follow_up" if flies else ""
        )

    return Plan(
        Attack("to hit"),
        steps,
        lambda out: _resolve_vehicle(out, target, passengers, given),
        {"to_hit_mod": shot.mod, "passengers": []},
        build_unused_fire_check(given.flag("flammable")),
        rows=list_rows,
    )


def _check_target(aircraft: str, target: Unit | None, *, guided: bool) -> None:
    if aircraft in ("fixed-wing", "flying") and not guided:
        what = "Only guided anti-aircraft weapons attack aircraft and flying helicopters."
        raise UserError(what, hint="Add guided_aa to mods.", code="bad-targets")
    if target is not None:
        kinds.refuse_unfit([target])


def _build_places(
    given: Given, target: Unit | None, armor: Mapping[str, int], *, flies: bool
) -> dict[str, StruckVehicle]:
    """The target as the penetration roll meets it, for each place that can be hit with its
    armor.
    """
    adds: tuple[tuple[str, int], ...] = (("", given.int("penetration")),)
    if given.flag("heat_red"):
        adds = (*adds, ("HEAT against red armor", -HEAT_AGAINST_RED))
    penetration = sum([value for _, value in adds])
    morale = given.int("morale")
    shaken = given.flag("shaken") or (target is not None and kinds.is_shaken(target))
    return {
        place: StruckVehicle(
            "", "", penetration, value, morale, shaken=shaken, flies=flies, first=True, parts=adds
        )
        for place, value in armor.items()
    }


def _resolve_vehicle(
    out: Mapping[str, Any], target: Unit | None, passengers: Sequence[Unit], given: Given
) -> Resolution:
    result = str(out["result"])
    crew = str(out["crew"])
    firer = given.unit("unit")
    hit = bool(out["hit"])
    hurt = resolve_damage(passengers, out["passengers"])
    change = (
        aftermath.build_state_change(target, result)
        if target is not None and result != NONE
        else None
    )
    then = [*aftermath.place_crew(target, crew)]
    if out["follow_up"] == "crash":
        then.append("It crashes: run crash, and bail-out for those aboard.")
    if out["atgm_expended"]:
        then.append("The ATGM is expended.")
    kept, lost = resolve_captured_weapons(list_firers(given), works=hit)
    then += [*list_fire_reminders(out), *lost]
    flies = given.word("aircraft") != "none"
    struck = target or Unit("The target", "helicopter" if flies else "armored-vehicle")
    word = target.word if target is not None else "the target"
    headline = f"{word}: {describe_result(result) if hit else 'miss'}"
    note = aftermath.get_reminder(struck, result)
    return hurt._replace(
        headline=f"{firer.word} at {headline}" if firer is not None else headline,
        units=(
            *([(target.word, describe_result(result))] if target is not None else []),
            *hurt.units,
        ),
        then=(*then, *hurt.then),
        changes=(
            *([change] if change else []),
            *aftermath.build_acquisition(given, target, stays=out["acquire"]),
            *hurt.changes,
            *aftermath.mark_fired([firer]),
            *kept,
        ),
        joins=(*aftermath.build_joining_crew(target, crew), *hurt.joins),
        fates=(
            UnitResult(word, result if hit else "missed", aftermath.CREWS.get(crew, "")),
            *hurt.fates,
        ),
        notes=(
            *([note] if note else []),
            *hurt.notes,
            *([aftermath.ACQUIRED] if out["acquire"] else []),
            *kinds.note_cap(given),
        ),
    )
