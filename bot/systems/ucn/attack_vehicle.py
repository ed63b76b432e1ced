"""Infantry attacks a vehicle: spot, hit, location, armour save, penetration, damage, crew or passengers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, minus, parts_of
from bot.rules.tables.table import Answer, Tables
from bot.systems.ucn import roster
from bot.systems.ucn.interrupt import GIVEN_UP, activates, forbidden
from bot.systems.ucn.skills import FACES, MAX_BONUS, Check, check, d20, lost_ap, mod_part, status_part, sum_line
from bot.systems.ucn.words import whom

CONDITIONS = (
    "target_moving",
    "fired_main_weapon",
    "target_in_cover",
    "target_hidden",
    "target_in_smoke",
    "open_topped",
    "attacker_vehicle_moving",
)
FULL_AP, NO_AP = 4, 0
NONE = "none"
STATES = {"mobility-kill": "immobilised", "mission-kill": "out-of-action", "catastrophic-kill": "destroyed"}
WORSE = ("immobilised", "out-of-action", "destroyed")  # states that do not get better, the worst last
ABOARD = {
    "disembark": "passengers disembark",
    "disembark-pinned": "passengers disembark pinned",
    "combat-ineffective": "passengers lost",
}
UNROLLED = {"location": None, "armour_result": None, "adjusted_armour": None, "damage_total": None}
UNHURT = {
    "suppressed": False,
    "vehicle_ap": FULL_AP,
    "can_move": True,
    "can_shoot": True,
    "crew": "unhurt",
    "passengers": NONE,
}


@dataclass(frozen=True, slots=True)
class Shot:
    """The roll that is owed, and the armour that was hit."""

    owes: str | None
    armour: int = 0


def plan(tables: Tables, given: Given) -> Plan[Shot]:
    """An attack on a vehicle. Source: Infantry Attacking Vehicles; Interrupt, Spotting and Shooting.

    Raises UserError for an interrupt by an element that may not, or with additional AP.
    """
    if given.flag("interrupt"):
        _check_interrupt(given)
    return _Attack(tables, given).plan()


def _check_interrupt(given: Given) -> None:
    if reason := forbidden(given):
        raise UserError(f"No interrupt: {reason}.", option="interrupt", code="not-together")
    if option := next((name for name in ("spot_extra_ap", "extra_ap") if given.int(name)), ""):
        raise UserError(
            "An interrupt takes no additional AP.", hint=f"Leave out {option}.", option=option, code="not-together"
        )


class _Attack:
    def __init__(self, tables: Tables, given: Given) -> None:
        self.tables, self.given = tables, given
        self.pen, self.hull, self.turret = given.int("pen"), given.int("hull"), given.maybe("turret")
        self.passengers = given.flag("passengers")
        spot_skill = given.int("spot_skill")
        self.spot = self._check("spot", "Spot", spot_skill, "spot_extra_ap") if spot_skill else None
        self.shot = self._check("shoot", "Firearms", given.int("skill"), "extra_ap")
        self.bonus = self.shot.over
        no_turret = self.turret is None
        self.locations = self._read("hit-location", no_turret=no_turret)
        self.armours = self._read("armour-save")
        self.damages = self._read("vehicle-damage", bonus=min(self.bonus, MAX_BONUS))
        self.crews = self._read("spalling-crew")
        self.fates = self._read("mission-kill-passengers")

    def _read(self, table: str, **inputs: object) -> dict[int, Answer]:
        return {face: self.tables[table](roll=face, **inputs) for face in FACES}

    def _check(self, purpose: str, name: str, skill: int, extra_ap: str) -> Check:
        given = self.given
        conditions = {condition: given.flag(condition) for condition in CONDITIONS}
        modifiers = self.tables["vehicle-modifiers"](
            purpose=purpose, target_vehicle=True, **conditions, extra_ap=given.int(extra_ap)
        )
        parts = (*parts_of(modifiers.parts), *status_part(self.tables, given), *mod_part(given))
        return check(self.tables, ((name, skill), *parts))

    def plan(self) -> Plan[Shot]:
        """The plan of the attack."""
        steps = {
            "spot": Step(d20("spot"), self.spotting, self.spot_tells, self.spot_story),
            "shot": Step(d20("to hit"), self.shooting, self.shot_tells, self.shot_story),
            "location": Step(d20("location"), self.locate, self.location_tells, self.location_story),
            "armour": Step(d20("armour save"), self.save, self.armour_tells, self.armour_story),
            "damage": Step(d20("vehicle damage"), self.damage, self.damage_tells, self.damage_story),
            "crew": Step(d20("crew"), self.finish, self.crew_tells, self.crew_story),
            "passengers": Step(d20("passengers"), self.finish, self.passenger_tells, self.passenger_story),
        }
        if self.spot is None:
            opening: dict[str, int | None] = {"spot_final": None, "shoot_final": self.shot.final}
            return Plan(Shot("shot"), steps, self.settle, opening)
        return Plan(Shot("spot"), steps, self.settle, {"spot_final": self.spot.final})

    # -- to spot and to hit -------------------------------------------------------------------------------

    def spotting(self, _state: Shot, roll: Roll) -> Shot:
        assert self.spot is not None
        return Shot("shot" if self.spot.passes[roll[0]] else None)

    def spot_tells(self, _before: Shot, _roll: Roll, after: Shot) -> Outputs:
        if after.owes:
            return {"shoot_final": self.shot.final}
        return {"shoot_final": None, **UNROLLED, "result": "not-spotted", **UNHURT}

    def spot_story(self, _before: Shot, roll: Roll, _after: Shot) -> Iterable[Line]:
        assert self.spot is not None
        yield sum_line(self.spot, "spotting")
        yield Line("to spot", roll, result=f"{minus(self.spot.final)} or less needed{lost_ap(roll)}")

    def shooting(self, _state: Shot, roll: Roll) -> Shot:
        return Shot("location" if self.shot.passes[roll[0]] else None)

    def shot_tells(self, _before: Shot, _roll: Roll, after: Shot) -> Outputs:
        return {} if after.owes else {**UNROLLED, "result": "miss", **UNHURT}

    def shot_story(self, _before: Shot, roll: Roll, _after: Shot) -> Iterable[Line]:
        yield sum_line(self.shot, "shooting")
        yield Line("to hit", roll, result=f"{minus(self.shot.final)} or less needed{lost_ap(roll)}")

    # -- armour -------------------------------------------------------------------------------------------

    def locate(self, _state: Shot, roll: Roll) -> Shot:
        turret = self.turret if self.locations[roll[0]]["location"] == "turret" else None
        return Shot("armour", self.hull if turret is None else turret)

    def location_tells(self, _before: Shot, roll: Roll, _after: Shot) -> Outputs:
        return {"location": self.locations[roll[0]]["location"]}

    def location_story(self, _before: Shot, roll: Roll, after: Shot) -> Iterable[Line]:
        yield Line("location", roll, result=f"{self.locations[roll[0]]['location']}, armour {after.armour}")

    def _adjusted(self, before: Shot, roll: Roll) -> int:
        return before.armour + int(self.armours[roll[0]]["armour_modifier"])

    def save(self, state: Shot, roll: Roll) -> Shot:
        return Shot("damage" if self.pen > self._adjusted(state, roll) else None)

    def armour_tells(self, before: Shot, roll: Roll, after: Shot) -> Outputs:
        told = {"armour_result": self.armours[roll[0]]["result"], "adjusted_armour": self._adjusted(before, roll)}
        if after.owes:
            return told
        return {**told, "damage_total": None, "result": "no-penetration", **UNHURT, "suppressed": True}

    def armour_story(self, before: Shot, roll: Roll, _after: Shot) -> Iterable[Line]:
        word, modifier = self.armours[roll[0]]["result"], int(self.armours[roll[0]]["armour_modifier"])
        where = str(word).replace("-", " ")
        yield Line(
            "armour save", roll, result=f"{where}, armour {modifier:+d}".replace("-", "−") if modifier else where
        )
        yield Line("penetration", contributors=(("PEN", self.pen),), result=f"armour {self._adjusted(before, roll)}")

    # -- damage -------------------------------------------------------------------------------------------

    def damage(self, _state: Shot, roll: Roll) -> Shot:
        read = self.damages[roll[0]]
        if read["crew"] == "roll":
            return Shot("crew")
        return Shot("passengers" if self.passengers and read["passengers"] == "roll" else None)

    def damage_tells(self, _before: Shot, roll: Roll, after: Shot) -> Outputs:
        read = self.damages[roll[0]]
        told = {name: read[name] for name in ("result", "suppressed", "can_move", "can_shoot")}
        told["damage_total"] = roll[0] + self.bonus
        if after.owes != "crew":
            told["crew"] = read["crew"]
            told["vehicle_ap"] = FULL_AP if read["can_shoot"] else NO_AP
        if after.owes != "passengers":
            told["passengers"] = read["passengers"] if self.passengers else NONE
        return told

    def damage_story(self, _before: Shot, roll: Roll, _after: Shot) -> Iterable[Line]:
        parts = (("skill above 20", self.bonus),) if self.bonus else ()
        yield Line("damage", roll, parts, roll[0] + self.bonus)

    def finish(self, state: Shot, _roll: Roll) -> Shot:
        return replace(state, owes=None)

    def crew_tells(self, _before: Shot, roll: Roll, _after: Shot) -> Outputs:
        return {name: self.crews[roll[0]][name] for name in ("crew", "vehicle_ap")}

    def crew_story(self, _before: Shot, roll: Roll, _after: Shot) -> Iterable[Line]:
        yield Line("crew", roll)

    def passenger_tells(self, _before: Shot, roll: Roll, _after: Shot) -> Outputs:
        return {"passengers": self.fates[roll[0]]["passengers"]}

    def passenger_story(self, _before: Shot, roll: Roll, _after: Shot) -> Iterable[Line]:
        yield Line("passengers", roll)

    # -- what comes of it ---------------------------------------------------------------------------------

    def settle(self, out: Mapping[str, Any]) -> Settlement:
        """The result in a few words, and what becomes of the vehicle."""
        target = self.given.unit("target")
        pieces = [str(out["result"]).replace("-", " ")]
        if out["crew"] != "unhurt":
            pieces.append(f"crew {out['crew']}")
        if out["passengers"] != NONE:
            pieces.append(f"passengers {out['passengers']}")
        now = ["a Suppression marker on it"] if out["suppressed"] else []
        if out["vehicle_ap"] != FULL_AP and out["can_shoot"]:
            now.append(f"{out['vehicle_ap']} AP from now on")
        if not out["can_move"] and out["can_shoot"]:
            now.append("it can still shoot")
        more = [ABOARD[out["passengers"]]] if out["passengers"] != NONE else []
        more = [
            *(["crew " + str(out["crew"]).replace("combat-ineffective", "lost")] if out["crew"] != "unhurt" else []),
            *more,
        ]
        fates = (Fate(whom(target, "the vehicle"), out["result"], ", ".join(more)),)
        units = ((target.word, str(out["result"])),) if target is not None else ()
        changes = () if target is None else roster.change(target, _becomes(target, out))
        if self.given.flag("interrupt"):
            now.append(GIVEN_UP)
            changes += activates(self.given)
        return Settlement(", ".join(pieces), units, (), changes, fates, tuple(now))


def _becomes(target: Unit, out: Mapping[str, Any]) -> dict[str, Any]:
    """A vehicle's new markers, AP and state; what is already worse stays."""
    new: dict[str, Any] = dict(roster.suppression(target)) if out["suppressed"] else {}
    if out["vehicle_ap"] != FULL_AP:
        ap = target.get("ap")
        new["ap"] = out["vehicle_ap"] if ap is None else min(int(ap), out["vehicle_ap"])
    state = STATES.get(out["result"])
    if state and (target.state not in WORSE or WORSE.index(state) > WORSE.index(target.state)):
        new["state"] = state
    return new
