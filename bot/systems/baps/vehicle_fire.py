"""Fire at a vehicle: hit, penetration, the areas inside, and the crew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.dice import d20
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_faces
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, minus, parts_of, row_of
from bot.rules.tables.table import Answer, Tables
from bot.systems.baps.crew import Crew, crew_men, crew_step
from bot.systems.baps.damage import AREAS, area_steps
from bot.systems.baps.men import about, called, whom
from bot.systems.baps.resolution import NAMED, Resolution, aftermath, changes_of, counted, named, summed_up, words_of
from bot.systems.baps.rows import rows_of
from bot.systems.baps.shot import hits_vehicle, shot_modifiers
from bot.systems.baps.vehicles import aboard, hit_vehicle, refuse_wreck

BOUNCES = {
    "none": "no effect",
    "miss": "miss",
    "bail-out": "crew bails out",
    "track-hit": "track hit",
    "tire-hit": "tire hit",
    "bounce": "the round bounces",
}
BAILED = {
    "yes": ("the crew bails out and may come back next turn",),
    "no": ("the crew bails out and may not come back",),
}
WHAT = {"tank": "the tank", "tracked": "the tracked vehicle", "wheeled": "the wheeled vehicle"}
MACHINE_GUNS = ("medium-machine-gun", "heavy-machine-gun")
UNHARMED: Mapping[str, Any] = {
    "main_gun": False,
    "ammunition": False,
    "engine": False,
    "operable": True,
}
MISSED: Mapping[str, Any] = {
    "class_used": "none",
    "armor_used": "none",
    "pen_need": "none",
    "pen_roll": "none",
    "penetrated": False,
    "outcome": "miss",
    "bail_out": False,
    "reoccupy": "none",
    **UNHARMED,
}


def plan(tables: Tables, given: Given) -> Plan[Crew]:
    """One shot of `weapon`. Source: Vehicle Charts, Roll to Hit Vehicular Targets to round that did not penetrate.

    Raises UserError beyond the weapon's last band, and for a wreck.
    """
    weapon, target, vehicle_type = given.word("weapon"), given.unit("target"), given.word("vehicle_type")
    refuse_wreck(target, "target")
    shot, class_used = _shot(tables, weapon, given.number("range"))
    armor = tables["armor-modifiers"](
        armor=given.word("armor"), aspect=given.word("aspect"), extra_armor=given.flag("extra_armor")
    )
    pen_need = tables["penetration"](weapon=class_used, armor=armor["column"])["need"]
    known = {"class_used": class_used, "armor_used": armor["column"], "pen_need": pen_need}
    classes = f"{_class_said(weapon, class_used)} against {_armor_said(given.word('armor'), armor)}"
    need, modifiers = int(shot["need"]), shot_modifiers(tables, given, side=given.word("aspect") == "side")
    crew = aboard(given, "crew", target)
    steps: dict[str, Step[Crew]] = {
        "hit": _hit(need, modifiers, known, classes),
        "penetrate": _penetrate(pen_need, classes),
        "bounce": _bounce(tables, weapon in MACHINE_GUNS, vehicle_type),
        **area_steps(tables, weapon, vehicle_type, bool(crew)),
        "crew": crew_step(tables, Resolution(tables), crew),
    }

    def settle(out: Mapping[str, Any]) -> Settlement:
        changes = hit_vehicle(target, crew, out) + changes_of(crew, out["crew"])
        men = called(crew)
        now = (
            *_now(out, crew),
            *(named(men, out["crew"]) if len(men) > NAMED else ()),
            *aftermath(crew, out["crew"], men),
        )
        fate = _fate(whom(target, WHAT.get(vehicle_type, "the vehicle")), out, men)
        return Settlement(about(target, _headline(out)), words_of(out["crew"]), (), changes, (fate,), now)

    opening = {"need": need, "damage": [], "crew": []}
    shown = (row_of("outcome", "the vehicle"), *rows_of(crew_men(crew)))
    return Plan(Crew("hit"), steps, settle, opening=opening, rows=shown)


def _hit(need: int, modifiers: Answer, known: Outputs, classes: str) -> Step[Crew]:
    """The roll to hit; `known` is what a hit tells of the penetration, which needs no die where it cannot be."""
    modifier, pen_need = int(modifiers["total"]), known["pen_need"]

    def hit(roll: Roll) -> bool:
        return hits_vehicle(roll[0], modifier, need)

    def apply(_state: Crew, roll: Roll) -> Crew:
        return Crew(None if not hit(roll) else "bounce" if pen_need == "fail" else "penetrate")

    def outputs(_before: Crew, roll: Roll, after: Crew) -> Outputs:
        told = {"roll": roll[0], "hit_total": roll[0] + modifier, "hit": hit(roll)}
        if not hit(roll):
            return {**told, **MISSED}
        told |= known
        return told | {"pen_roll": "none", "penetrated": False} if after.owes == "bounce" else told

    def lines(_before: Crew, roll: Roll, _after: Crew) -> tuple[Line, ...]:
        line = Line("to hit", roll, parts_of(modifiers.parts), roll[0] + modifier, f"{need} or more needed")
        if hit(roll) and pen_need == "fail":
            return (line, Line("penetration", result=f"{classes}, never"))
        return (line,)

    return Step(
        (d20("to hit"),),
        apply,
        outputs,
        lines,
        groups=lambda _: group_faces(20, lambda die: hit((die,))),
        exact_only=frozenset({"roll", "hit_total"}),
    )


def _penetrate(need: Any, classes: str) -> Step[Crew]:
    """The penetration roll: the areas inside if it is `need` or more, else what a bounce does."""

    def penetrated(roll: Roll) -> bool:
        return roll[0] >= int(need)

    def outputs(_before: Crew, roll: Roll, _after: Crew) -> Outputs:
        told: dict[str, Any] = {"pen_roll": roll[0], "penetrated": penetrated(roll)}
        return told | {"outcome": "penetrated"} if penetrated(roll) else told

    def lines(_before: Crew, roll: Roll, _after: Crew) -> tuple[Line]:
        return (Line("penetration", roll, result=f"{classes}, {need} or more needed"),)

    return Step(
        (d20("penetration"),),
        lambda _state, roll: Crew(AREAS[0] if penetrated(roll) else "bounce"),
        outputs,
        lines,
        groups=lambda _: group_faces(20, lambda die: penetrated((die,))),
        exact_only=frozenset({"pen_roll"}),
    )


def _shot(tables: Tables, weapon: str, inches: float) -> tuple[Answer, str]:
    """The row of the to-hit chart and the weapon's row of the penetration chart at this range."""
    if weapon in ("at-grenade", "at-rifle", "light-at-weapon", "medium-at-weapon"):
        shot = tables["at-to-hit"](weapon=weapon, range=inches)
        class_used = str(shot["weapon_class"])
    else:
        shot = tables["vehicle-to-hit"](weapon="machine-gun" if weapon in MACHINE_GUNS else weapon, range=inches)
        class_used = str(tables["weapon-lower"](weapon=weapon)["row"]) if shot["lower"] else weapon
    if shot["need"] == "not-allowed":
        raise UserError(
            f"{weapon} does not reach {inches:g} inches.", hint="Come closer.", option="range", code="out-of-reach"
        )
    return shot, class_used


def _class_said(weapon: str, class_used: str) -> str:
    """The weapon class for the story; a gun beyond its third band counts one class lower."""
    if weapon.startswith("at-") or weapon.endswith("-at-weapon"):
        return f"{weapon.replace('-', ' ')} ({class_used.replace('-', ' ')})"
    return (weapon if weapon == class_used else f"{class_used} ({weapon} at long range)").replace("-", " ")


def _armor_said(armor: str, answer: Answer) -> str:
    """The armor column for the story, with what shifts it."""
    why = "".join(f", {name} {minus(value) if value < 0 else f'+{value:g}'}" for name, value in parts_of(answer.parts))
    return f"{answer['column']} armor".replace("-", " ") + (f" ({armor.replace('-', ' ')}{why})" if why else "")


def _bounce(tables: Tables, machine_gun: bool, vehicle_type: str) -> Step[Crew]:
    results = {
        roll: str(tables["no-penetration"](machine_gun=machine_gun, vehicle_type=vehicle_type, roll=roll)["result"])
        for roll in range(1, 21)
    }

    def outputs(_before: Crew, roll: Roll, _after: Crew) -> Outputs:
        out = results[roll[0]] == "bail-out"
        return {**UNHARMED, "outcome": results[roll[0]], "bail_out": out, "reoccupy": "yes" if out else "none"}

    def lines(_before: Crew, roll: Roll, _after: Crew) -> tuple[Line]:
        return (Line("not penetrated", roll),)

    return Step(
        (d20("not penetrated"),),
        lambda _state, _roll: Crew(None),
        outputs,
        lines,
        groups=lambda _: group_faces(20, lambda die: results[die]),
    )


def _headline(out: Mapping[str, Any]) -> str:
    if not out["penetrated"]:
        return BOUNCES[out["outcome"]]
    hurt = [area.replace("_", " ") for area in ("main_gun", "ammunition", "engine") if out[area]]
    words = ["penetrated", *(f"{area} destroyed" if area == "main gun" else f"{area} explodes" for area in hurt)]
    words += ["crew bails out"] * bool(out["bail_out"])
    return ", ".join([*words, *([f"crew: {summed_up(out['crew'])}"] if out["crew"] else [])])


def _fate(name: str, out: Mapping[str, Any], men: Sequence[str]) -> Fate:
    """What came of the vehicle, the worst first; what else and what of its crew in words."""
    if not out["penetrated"]:
        return Fate(name, "none" if out["outcome"] in ("miss", "bounce") else str(out["outcome"]))
    hurt = [area for area in ("ammunition", "engine") if out[area]]
    token = "knocked-out" if hurt else "gun-lost" if out["main_gun"] else "penetrated"
    more = [f"{' and '.join(hurt)} explode{'s' if len(hurt) == 1 else ''}"] if hurt else []
    more += ["main gun gone"] * bool(hurt and out["main_gun"])
    return Fate(name, token, ", ".join([*more, *filter(None, (counted(men, out["crew"]),))]))


def _now(out: Mapping[str, Any], crew: tuple[Unit, ...]) -> tuple[str, ...]:
    if crew and len(out["crew"]) == len(crew) and all(man["after"] == "killed" for man in out["crew"]):
        return ("nobody left in it",)
    return BAILED.get(out["reoccupy"], ())
