"""Ordnance against a vehicle or an aircraft: to hit, penetration, morale check, crew and passengers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Fate, Line, Outputs, Plan, Roll, Row, Ruling, Settlement, row_of, ruled
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.burning import fire_check, fire_started, then_fire_check, told_after
from bot.systems.lnlt.checks import NONE, DamageChecks, say
from bot.systems.lnlt.firepower import refuse_to_fire
from bot.systems.lnlt.impact import Impact, Struck, paths_in
from bot.systems.lnlt.items import ROWS, Aboard, Attack, list_alike
from bot.systems.lnlt.readings import readings_of
from bot.systems.lnlt.roster import becomes, fired
from bot.systems.lnlt.settling import CREWS, PLACED, aftermath, or_missed, rows, suffered
from bot.systems.lnlt.shot import ACQUIRED, acquires, after_shot, riders, weapon_kept
from bot.systems.lnlt.to_hit import DICE, groups_of, to_hit
from bot.systems.lnlt.words import refuse_values

HEAT_AGAINST_RED = 4
VEHICLE = "vehicle"
MISSED = {
    **dict.fromkeys(("location", "attack_total", "armor_total", "mc_total", "mc", "result", "crew"), NONE),
    "impact": "miss",
    "outcome": NONE,
    "acquire": True,
    "follow_up": NONE,
}


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """A shot at one vehicle or aircraft. Source: PAC 04, 06, 09 (14.1).

    Raises UserError for an aircraft in flight without guided anti-aircraft weapons.
    """
    refuse_values(given)
    refuse_to_fire(given.unit("unit"))
    aircraft, target, passengers = given.word("aircraft"), given.unit("target"), given.units("passengers")
    _check_target(aircraft, target, guided=given.flag("guided_aa"))
    shot = to_hit(tables, given, aircraft=aircraft, size=given.int("size"))
    flies, turret_armor = aircraft != "none", given.maybe("turret_armor")
    places = _places(given, target, {"hull": given.int("armor"), "turret": turret_armor or 0}, flies=flies)
    location = tables["hit-location"]

    readings = readings_of(tables)
    checks = DamageChecks(
        readings,
        list_alike(readings, passengers, "passengers", aboard=Aboard("oft", ROWS["oft"], exposed=flies)),
        outcome=False,
        leaves_out_crashed=True,
        finish=then_fire_check,
    )

    def aim(_: Attack, roll: Roll) -> Ruling[Attack]:
        hit, place = shot.hits(roll), str(location(roll=sum(roll), turret=turret_armor is not None)["location"])
        told = shot.told(roll) | ({"location": place} if hit else MISSED)
        turret = [Line(f"natural {sum(roll)}", result=f"the {place}")] if hit and turret_armor is not None else []
        return Ruling(Attack("impact", keep=place) if hit else Attack(None), told, lambda: [shot.line(roll), *turret])

    def then(now: Attack) -> tuple[Attack, Outputs]:
        """The passengers, who read damaged as shaken; nobody rolls in a destroyed aircraft."""
        row = "crash" if flies and now.row == "destroyed" else "shaken" if now.row == "damaged" else now.row
        return checks.begin(Attack(None, row=row, six=now.six))

    def also(result: str) -> Outputs:
        """Whether the target is acquired, and whether it crashes."""
        gone = result == "destroyed"
        return {"acquire": not gone, "follow_up": "crash" if flies and gone else NONE}

    impact = Impact(readings, lambda now: places[now.keep], then, also=also, flammable=given.flag("flammable"))
    steps = {
        "to hit": ruled(DICE, aim, groups=lambda _: groups_of(shot)),
        "fire check": fire_check(readings),
        **impact.steps(),
        **checks.steps(),
    }

    def shown() -> Sequence[Row]:
        vehicle = row_of("outcome", target.word if target is not None else VEHICLE if not flies else "aircraft")
        return or_missed(vehicle), *rows(checks.items, crash="follow_up" if flies else "")

    return Plan(
        Attack("to hit"),
        steps,
        lambda out: _settle(out, target, passengers, given),
        {"to_hit_mod": shot.mod, "passengers": []},
        told_after(given.flag("flammable")),
        rows=shown,
    )


def _check_target(aircraft: str, target: Unit | None, *, guided: bool) -> None:
    if aircraft in ("fixed-wing", "flying") and not guided:
        raise UserError(
            "Only guided anti-aircraft weapons attack aircraft and flying helicopters.",
            hint="Add guided_aa to mods.",
            code="bad-targets",
        )
    if target is not None:
        kinds.refuse_unfit([target])


def _places(given: Given, target: Unit | None, armor: Mapping[str, int], *, flies: bool) -> dict[str, Struck]:
    """The target as the penetration roll meets it, for each place that can be hit with its armor."""
    adds: tuple[tuple[str, int], ...] = (("", given.int("penetration")),)
    if given.flag("heat_red"):
        adds = (*adds, ("HEAT against red armor", -HEAT_AGAINST_RED))
    penetration, morale = sum([value for _, value in adds]), given.int("morale")
    shaken = given.flag("shaken") or (target is not None and kinds.is_shaken(target))
    return {
        place: Struck("", paths_in(), penetration, value, morale, shaken=shaken, flies=flies, first=True, parts=adds)
        for place, value in armor.items()
    }


def _settle(out: Mapping[str, Any], target: Unit | None, passengers: Sequence[Unit], given: Given) -> Settlement:
    result, crew, firer, hit = str(out["result"]), str(out["crew"]), given.unit("unit"), bool(out["hit"])
    hurt = suffered(passengers, out["passengers"])
    change = becomes(target, result) if target is not None and result != NONE else None
    then = [f"Place a {PLACED[crew]} crew, marked Moved."] if crew in PLACED else []
    if out["follow_up"] == "crash":
        then.append("It crashes: run crash, and bail-out for those aboard.")
    if out["atgm_expended"]:
        then.append("The ATGM is expended.")
    then += [*fire_started(out), *after_shot(given, hit=hit)]
    flies = given.word("aircraft") != "none"
    struck = target or Unit("The target", "helicopter" if flies else "armored-vehicle")
    word = target.word if target is not None else "the target"
    headline = f"{word}: {say(result) if hit else 'miss'}"
    note = aftermath(struck, result)
    return Settlement(
        f"{firer.word} at {headline}" if firer is not None else headline,
        (*([(target.word, say(result))] if target is not None else []), *hurt.units),
        (*then, *hurt.then),
        (
            *([change] if change else []),
            *acquires(given, target, stays=out["acquire"]),
            *hurt.changes,
            *fired([firer]),
            *weapon_kept(given, hit=hit),
        ),
        (Fate(word, result if hit else "missed", CREWS.get(crew, "")), *hurt.fates),
        hurt.now,
        notes=(*([note] if note else []), *hurt.notes, *([ACQUIRED] if out["acquire"] else []), *riders(given)),
        joins=tuple(hurt.joins),
    )
