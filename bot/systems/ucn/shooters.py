"""The characters that fire, and the toll of their fire: hits, saves, casualties and the worst status.

Source: Infantry Combat, Shooting, Damage, Status Damage, Save.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.names import a_or_an, joined
from bot.rules.sequence import Fate, Line, Roll, minus
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster
from bot.systems.ucn.asked import Asked
from bot.systems.ucn.skills import LAST, Check, Parts, check, lost_ap, sum_line
from bot.systems.ucn.weapons import STATUSES, Damage, Weapon, area_of, carried, damage_of, save_faces
from bot.systems.ucn.words import UNDER_FIRE, weapon_said, whom

MORALE_LOSS = 2  # per casualty
GO_FIRM = 5  # by how much a Morale test was failed
NO_SAVE = (False,) * (LAST + 1)


@dataclass(frozen=True, slots=True)
class Shooter:
    """One character: what the dice and the answer call them, weapon, check to hit, damage of a hit, faces that save."""

    unit: Unit
    label: str
    shown: str
    weapon: Weapon
    check: Check
    damage: Damage
    saves: tuple[bool, ...] | None

    @property
    def saving(self) -> tuple[bool, ...]:
        """The faces of the save die that save, none where no save is allowed."""
        return self.saves or NO_SAVE


def shooters_of(tables: Tables, given: Given, modifiers: Parts) -> tuple[Shooter, ...]:
    """The characters of `shooters` in order; `modifiers` are those of all of them.

    Raises UserError for a shooter without weapon or skill, for flags, and for one who is out of the game.
    """
    units = given.units("shooters")
    saves = given.flag("saves")

    @cache
    def make(unit_id: int, label: str) -> Shooter:
        unit = by_id[unit_id]
        _refuse(unit)
        weapon = carried(tables, unit)
        own = (("own modifier", unit.number("mod")),) if unit.get("mod") else ()
        found = check(tables, (("Firearms", _skill(given, unit)), *modifiers, *own))
        faces = save_faces(tables, weapon.word) if saves and weapon.saves else None
        return Shooter(unit, label, label, weapon, found, damage_of(tables, weapon, found.over), faces)

    by_id = {id(unit): unit for unit in units}
    labels = [unit.name or unit.word for unit in units]
    if len(units) > 1:
        labels = [f"{number} {label}" for number, label in enumerate(labels, 1)]
    alike = {unit_id: make(unit_id, "") for unit_id in by_id}
    called = zip(units, labels, _shown(units), strict=True)
    return tuple(replace(alike[id(unit)], label=label, shown=shown) for unit, label, shown in called)


def _shown(units: Sequence[Unit]) -> list[str]:
    """The shooters as the answer calls them: `SMG`, `rifle 1`, `rifle 2`, names of the roster as they are."""
    words = [unit.name or weapon_said(unit.word) for unit in units]
    seen = Counter[str]()
    found = []
    for word in words:
        seen[word] += 1
        found.append(f"{word} {seen[word]}" if words.count(word) > 1 else word)
    return found


def _refuse(unit: Unit) -> None:
    if not unit.name and (unit.flags or unit.get("weapon") is not None):
        word = next(iter(unit.flags), "weapon=")
        raise UserError(
            f"{word} cannot follow {unit.word}: it belongs to a roster unit.",
            hint=f"{unit.word} n=2 skill=14 mod=-4",
            option="shooters",
            code="bad-unit",
        )
    if unit.state in (roster.GONE, "destroyed"):
        raise UserError(f"{unit.word} is {unit.state} and cannot fire.", option="shooters", code="unit-unfit")


def _skill(given: Given, unit: Unit) -> int:
    for own in (unit.get("skill"), unit.get("firearms"), given.maybe("skill")):
        if own is not None:
            return int(own)
    raise UserError(
        f"skill is missing, and {unit.word} has none of its own: the Firearms skill, a whole number from 1 to 30.",
        option="skill",
        code="missing",
    )


def skill_lines(shooters: Iterable[Shooter]) -> tuple[Line, ...]:
    """How each different final skill comes about."""
    alike: dict[Check, dict[str, None]] = {}
    for shooter in shooters:
        alike.setdefault(shooter.check, {})[weapon_said(shooter.weapon.word)] = None
    return tuple(sum_line(check, joined(words) if len(alike) > 1 else "skill") for check, words in alike.items())


def firm_cover(tables: Tables, given: Given) -> Parts:
    """The cover of a target that a failed Morale test made go firm, off the skill. Source: Failed Morale Test."""
    if not given.flag("target_firm_cover"):
        return ()
    return (("target's firm cover", -int(tables["morale-failed"](failed_by=GO_FIRM)["cover_bonus"])),)


def firm_reminder(given: Given) -> tuple[Line, ...]:
    """That a roster target has gone firm, where nothing was typed about it."""
    target = given.unit("target")
    if target is None or target.state != "go-firm" or given.typed & {"target_gone_firm", "target_firm_cover"}:
        return ()
    return (Line(f"{target.word} has gone firm, which counts only with target_gone_firm and target_firm_cover"),)


def areas(tables: Tables, out: Mapping[str, Any]) -> tuple[str, ...]:
    """The areas of effect of the weapons that hit, for the players to measure."""
    hit = dict.fromkeys(shooter["weapon"] for shooter in out["shooters"] if shooter["hit"])
    said = [f"{weapon_said(word)} {area}" for word in hit if (area := area_of(tables, word))]
    return (f"Measure who else is in the area of effect: {', '.join(said)}.",) if said else ()


def reminders(units: Iterable[Unit]) -> tuple[Line, ...]:
    """What the roster says of an element and only an option can bring in."""
    known = {unit.name: unit for unit in units if unit.name and unit.state}
    lines = []
    for name, unit in known.items():
        if unit.state in ("hesitant", "hesitant-morale", "go-firm"):
            lines.append(Line(f"{name} is {unit.state}, which counts only with status={unit.state}"))
        elif unit.state in ("pinned", "stunned", "let-loose", "withdraw"):
            lines.append(Line(f"{name} is {unit.state} on the roster"))
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class Toll:
    """What the fire has done so far; `worst` is a place in the list of statuses."""

    hits: int = 0
    saved: int = 0
    casualties: int = 0
    worst: int = 0

    def plus(self, more: Toll) -> Toll:
        """Both tolls together."""
        return Toll(
            self.hits + more.hits,
            self.saved + more.saved,
            self.casualties + more.casualties,
            max(self.worst, more.worst),
        )


NO_TOLL = Toll()


@dataclass(frozen=True, slots=True)
class Count:
    """Adds to a toll what is asked for, and nothing else: so more states are equal in the odds."""

    asked: Asked

    def hit(self, toll: Toll) -> Toll:
        """One hit more."""
        return replace(toll, hits=toll.hits + 1) if self.asked.keeps("hits") else toll

    def saved(self, toll: Toll) -> Toll:
        """One hit more that was saved."""
        return replace(toll, saved=toll.saved + 1) if self.asked.keeps("saved") else toll

    def damage(self, toll: Toll, damage: Damage, roll: Roll) -> Toll:
        """The damage dice of one hit."""
        if self.asked.keeps("casualties", "morale_loss"):
            toll = replace(toll, casualties=toll.casualties + damage.casualties(roll))
        if self.asked.keeps("status"):
            toll = replace(toll, worst=max(toll.worst, damage.worst(roll)))
        return toll


def toll_told(toll: Toll) -> dict[str, Any]:
    """The outputs of the whole fire."""
    return {
        "hits": toll.hits,
        "saved": toll.saved,
        "casualties": toll.casualties,
        "status": STATUSES[toll.worst],
        "morale_loss": MORALE_LOSS * toll.casualties,
    }


def shot_told(path: str, shooter: Shooter, face: int) -> dict[str, Any]:
    """What the die to hit decides for a shooter."""
    hit = shooter.check.passes[face]
    told: dict[str, Any] = {f"{path}.roll": face, f"{path}.hit": hit}
    if not hit:
        told |= {f"{path}.saved": None, f"{path}.damage": []}
    elif shooter.saves is None:
        told[f"{path}.saved"] = None
    return told


def save_told(path: str, shooter: Shooter, face: int) -> dict[str, Any]:
    """What the save die decides for a hit."""
    saved = shooter.saving[face]
    return {f"{path}.saved": saved, **({f"{path}.damage": []} if saved else {})}


def damage_told(path: str, shooter: Shooter, roll: Roll) -> dict[str, Any]:
    """Each damage die of a hit, read by itself."""
    told: dict[str, Any] = {}
    for number, face in enumerate(roll):
        one = f"{path}.damage[{number}]"
        told[f"{one}.roll"] = face
        told[f"{one}.total"] = face + shooter.damage.bonus
        told[f"{one}.status"] = STATUSES[shooter.damage.ranks[face]]
    return told


def shot_line(shooter: Shooter, face: int) -> Line:
    """The line of a die to hit."""
    needed = f"{minus(shooter.check.final)} or less needed{lost_ap((face,))}"
    return Line(f"{shooter.shown} to hit", (face,), result=needed, unit=shooter.shown)


def save_line(shooter: Shooter, face: int) -> Line:
    """The line of a save die."""
    last = max((number for number, saves in enumerate(shooter.saving) if saves), default=0)
    return Line(f"save from {shooter.shown}", (face,), result=f"{last} or less needed", unit=shooter.shown)


def damage_line(shooter: Shooter, roll: Roll) -> Line:
    """The line of the damage dice of a hit."""
    bonus = shooter.damage.bonus
    parts = (("each" if len(roll) > 1 else "damage", bonus),) if bonus else ()
    totals = ", ".join(f"{face + bonus}" for face in roll) if bonus and len(roll) > 1 else ""
    total = roll[0] + bonus if bonus and len(roll) == 1 else None
    return Line(f"{shooter.shown} damage", roll, parts, total, totals, unit=shooter.shown)


def headline(out: Mapping[str, Any]) -> str:
    """The result of the fire in a few words: `pinned, 2 hits, 1 saved`."""
    status = "no effect" if out["status"] == "none" else str(out["status"])
    pieces = [status, "1 hit" if out["hits"] == 1 else f"{out['hits']} hits"]
    if out["saved"]:
        pieces.append(f"{out['saved']} saved")
    if out["casualties"]:
        pieces.append(roster.casualties(out["casualties"]))
        pieces.append(f"Morale -{out['morale_loss']}")
    return ", ".join(pieces)


def suffered(target: Unit | None, out: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """The word of the result for the element that was shot at."""
    return ((target.word, str(out["status"])),) if target is not None else ()


def fate(target: Unit | None, out: Mapping[str, Any]) -> Fate:
    """What came of the element that was shot at."""
    lost = out["casualties"]
    return Fate(whom(target, "the target"), str(out["status"]), roster.casualties(lost) if lost else "")


def by(firing: Sequence[Shooter], verb: str) -> str:
    """Who fires: `2 rifles and an LMG shoot`, with the verb for one and for several."""
    one, several = verb.split("|")
    listed = [shooter.unit for shooter in firing]
    named = [unit.name for unit in listed if unit.name]
    arms = [weapon_said(unit.word) for unit in listed if not unit.name]
    called = [*dict.fromkeys(named), *(arm if arms.count(arm) > 1 else a_or_an(arm) for arm in arms)]
    return f"{joined(called)} {one if len(called) == 1 else several}"


def now(out: Mapping[str, Any]) -> tuple[str, ...]:
    """What the status means."""
    lost = (f"Morale −{out['morale_loss']}",) if out["morale_loss"] else ()
    return (*lost, UNDER_FIRE[out["status"]]) if out["status"] in UNDER_FIRE else lost


def sums(out: Mapping[str, Any]) -> tuple[Line, ...]:
    """What the dice of many shooters come to."""
    saved = f", {out['saved']} saved" if out["saved"] else ""
    lines = [Line("to hit", result=f"{out['hits']} of {len(out['shooters'])}{saved}")]
    damage = sorted((die["total"] for shooter in out["shooters"] for die in shooter["damage"]), reverse=True)
    if damage:
        lines.append(Line("damage", result=", ".join(map(str, damage))))
    return tuple(lines)
