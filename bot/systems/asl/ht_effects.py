"""A half-track or Carrier under fire: passengers check first, then the crew, then the card says what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Ruled, Ruling, Settlement
from bot.rules.shapes import by_sum
from bot.rules.tables.table import Tables
from bot.systems.asl.morale import CASUALTY, REDUCED, morale_check, task_check
from bot.systems.asl.roster import called, is_one, new_state, noted, still

ADDED = {"nmc": 0, "1mc": 1, "2mc": 2, "3mc": 3, "4mc": 4}
NAMES = {"passenger": "passengers", "crew": "crew"}
SAID = {"ok": "unhurt", "pin": "pinned", "break": "broken", "k-kia": "lost"}
CHECKS = ("ptc", *ADDED)


@dataclass(frozen=True, slots=True)
class Aboard:
    """Outcomes so far of those aboard; a check that is still owed is there as its own word."""

    passenger: str
    crew: str
    owes: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """Passengers or crew: the check they owe, their morale level and their modifiers."""

    name: str
    check: str
    morale: int
    drm: int

    @property
    def added(self) -> int:
        """Everything that is added to their DR."""
        return self.drm + ADDED.get(self.check, 0)

    def outcome(self, dr: int) -> str:
        """`ok`, `pin` or `break` for an Original DR of 2-12."""
        if self.check == "ptc":
            return task_check(dr, self.added, self.morale)
        return morale_check(dr, self.added, self.morale).replace("pass", "ok")

    def casualty(self, dr: int) -> bool:
        """Whether the DR is a Casualty MC (A10.31); a PTC never is one."""
        return dr == CASUALTY and self.check != "ptc"

    def step(self, then: Callable[[Aboard], Aboard]) -> Ruled[Aboard]:
        """Their check; `then` goes on from a state in which its outcome is known."""

        def rule(before: Aboard, roll: Roll) -> Ruling[Aboard]:
            dr, outcome = sum(roll), self.outcome(sum(roll))
            told = {f"{self.name}_result": outcome, f"{self.name}_casualty": self.casualty(dr)}
            return Ruling(then(replace(before, **{self.name: outcome})), told, lambda: (self.said(roll),))

        return by_sum(dice(2, 6, f"{self.name} check"), rule)

    def said(self, roll: Roll) -> Line:
        """The line of their check."""
        check = self.check.upper()
        parts = ((f"for the {check}", ADDED.get(self.check, 0)), ("DRM", self.drm))
        shown = tuple((word, value) for word, value in parts if value)
        against = f"against morale {self.morale}"
        return Line(f"{NAMES[self.name]}, {check}", roll, shown, sum(roll) + self.added, against)


def _settled(
    groups: Mapping[str, Group], unit: Unit | None, texts: Mapping[str, str], out: Mapping[str, Any]
) -> Settlement:
    """What becomes of the vehicle and those aboard."""
    vehicle = str(out["vehicle"])
    hurt = [name for name in groups if out[f"{name}_casualty"]]
    notes = [texts[letter].partition(": ")[2] for letter in out["effects"] if letter != "none"]
    then = [f"{NAMES[name].capitalize()}: {REDUCED[:1].lower()}{REDUCED[1:]}" for name in hurt]
    said = ", ".join(f"{NAMES[name]} {SAID[out[f'{name}_result']]}" for name in groups if out[f"{name}_result"] != "ok")
    headline = "vehicle unaffected" if vehicle == "none" else f"vehicle {vehicle}"
    units = (
        (called(unit, "vehicle"), vehicle),
        ("passengers", str(out["passenger_result"])),
        ("crew", str(out["crew_result"])),
    )
    aboard = f"passengers {out['passenger_result']}, crew {out['crew_result']}"
    return Settlement(
        f"case {out['case']}: {aboard}, {headline}",
        units,
        tuple(then),
        new_state(unit, _state(vehicle)),
        (Fate(called(unit, "the vehicle"), vehicle, said),),
        noted(still(unit, _state(vehicle))),
        notes=tuple(notes),
    )


def plan(tables: Tables, given: Given) -> Plan[Aboard]:
    """Passengers' check 2d6, then the crew's, where the IFT result is a check. Source: table 3."""
    groups = {name: _group(given, name) for name in ("passenger", "crew")}
    cases = tables["ht-case"]
    unit, carrier = given.unit("unit"), is_one(given, "carrier", ("carrier",))

    def next_owed(state: Aboard) -> Aboard:
        owed = next((name for name in groups if getattr(state, name) in CHECKS), None)
        return replace(state, owes=owed)

    def closing(state: Aboard) -> Outputs:
        read = cases(passenger=state.passenger, crew=state.crew)
        told = {name: read[name] for name in ("case", "effects", "vehicle")}
        return {**told, "crew_bu": "e" in read["effects"] and not carrier}

    start = next_owed(Aboard(groups["passenger"].check, groups["crew"].check, None))
    steps = {name: group.step(next_owed) for name, group in groups.items() if group.check in CHECKS}
    return Plan(start, steps, partial(_settled, groups, unit, cases.texts), opening=_known(groups), closing=closing)


def _group(given: Given, name: str) -> Group:
    return Group(name, given.word(name), given.int(f"{name}_morale"), given.int(f"{name}_drm"))


def _known(groups: Mapping[str, Group]) -> Outputs:
    """The outcomes that are given, without dice."""
    told: dict[str, Any] = {}
    for name, group in groups.items():
        if group.check not in CHECKS:
            told |= {f"{name}_result": group.check, f"{name}_casualty": False}
    return told


def _state(vehicle: str) -> str | None:
    return None if vehicle == "none" else vehicle
