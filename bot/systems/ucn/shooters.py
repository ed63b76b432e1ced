"""The characters that fire: weapon, check to hit, damage of a hit, and whether a hit may be saved.

Source: Infantry Combat, Shooting, Damage, Status Damage, Save.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, Roll
from bot.rules.tables.table import Tables
from bot.rules.text.names import joined, numbered
from bot.systems.ucn import roster
from bot.systems.ucn.roster import weapon_said
from bot.systems.ucn.skill_check import FACES, MAX_BONUS, Check, Parts, check, sum_line

# -- small arms: damage dice, fixed addition, and whether the characters hit may save. Source: Infantry Combat,
# Firearms, Machine Guns, Specialist Weapons, Save, Status Damage

TABLES = ("firearms", "machine-guns", "specialist-weapons")
STATUSES = ("none", "hesitant", "pinned", "combat-ineffective")  # from the mildest to the worst
CASUALTY = STATUSES.index("combat-ineffective")
RANKS = {status: rank for rank, status in enumerate(STATUSES)}


Saves: TypeAlias = tuple[str, ...]
SAVED = "saved"


class Weapon(NamedTuple):
    """A weapon: its word, damage dice per hit, what is added to each, whether a hit may be saved, its area."""

    word: str
    dice: int
    bonus: int
    saves: bool
    area: str


class Damage(NamedTuple):
    """The damage of one hit: its dice, what is added to each, and the status that each face from 1 on gives."""

    dice: int
    bonus: int
    statuses: tuple[str, ...]

    def rank(self, face: int) -> int:
        """How bad the status of a face is: its place in the list of statuses."""
        return RANKS[self.statuses[face - 1]]

    def casualties(self, roll: Roll) -> int:
        """How many of the dice are casualties."""
        return [self.rank(face) for face in roll].count(CASUALTY)

    def worst(self, roll: Roll) -> int:
        """The worst status among the dice."""
        return max([self.rank(face) for face in roll])


def weapon_of(tables: Tables, word: str) -> Weapon:
    """The weapon called `word`, from the table that has it. Raises UserError."""
    for name in TABLES:
        table = tables[name]
        if word in table.option("weapon").values:
            row = table(weapon=word)
            dice, bonus = int(row["damage_dice"]), int(row["damage_bonus"])
            return Weapon(word, dice, bonus, bool(row["save"]), str(row["area"]))
    raise UserError(f"{word} is not a weapon.", code="unknown-weapon")


def area_said(area: str) -> str:
    """The area of effect of a weapon in words, in inches; empty for none."""
    if area == "none":
        return ""
    if area.startswith("kz"):
        _, kill, _, danger = area.split("-")
        return f"kill zone {kill} inches, danger zone {danger} inches"
    if area.startswith("radius"):
        radius = area.removeprefix("radius-")
        return f"radius {radius} {'inch' if radius == '1' else 'inches'}"
    return f"{area.replace('x', ' x ')} inches"


def carried(tables: Tables, unit: Unit) -> Weapon:
    """The weapon of a shooter: the word itself, or what the roster unit carries. Raises UserError for none."""
    word = unit.numbers.get("weapon") if unit.name else unit.type
    if word is None:
        hint = f"Type it behind the name, {unit.word} weapon=lmg, or set it with /unit edit."
        raise UserError(f"{unit.word} has no weapon.", hint=hint, option="shooters", code="no-weapon")
    return weapon_of(tables, str(word))


def damage_of(tables: Tables, weapon: Weapon, over: int) -> Damage:
    """The damage of a hit with the weapon; `over` is what the final skill had above 20."""
    bonus = weapon.bonus + over
    return Damage(weapon.dice, bonus, tables["status-damage"].column("status", roll=FACES, bonus=min(bonus, MAX_BONUS)))


def saves_from(tables: Tables, weapon: Weapon) -> Saves:
    """What each face of the save die from 1 on does for a character hit by `weapon`."""
    return tables["save-roll"].column("result", weapon=weapon.word, roll=FACES)


# -- the characters that fire: weapon, check to hit, damage of a hit, and whether a hit may be saved

MORALE_LOSS = 2  # per casualty
STUNNED = "stunned"
GO_FIRM = 5  # by how much a Morale test was failed


class Shooter(NamedTuple):
    """One character: what the dice and the answer call them, where their outputs are, and how they fire."""

    unit: Unit
    label: str
    shown: str
    path: str
    weapon: Weapon
    check: Check
    damage: Damage
    saves: Saves | None


Armed: TypeAlias = tuple[Weapon, Check, Damage, Saves | None]
"""How a character fires: weapon, check to hit, damage of a hit, what each face of a save does where one is allowed."""


def shooters_of(tables: Tables, given: Given, modifiers: Parts) -> tuple[Shooter, ...]:
    """The characters of `shooters` in order; `modifiers` are those of all of them.

    Raises UserError for a shooter without weapon or skill, for flags, and for one who is out of the game.
    """
    units = given.units("shooters")
    labels = [unit.name or unit.word for unit in units]
    if len(units) > 1:
        labels = [f"{number} {label}" for number, label in enumerate(labels, 1)]
    shown = numbered([unit.name or weapon_said(unit.word) for unit in units])  # as the answer calls them
    return tuple(
        [
            Shooter(unit, label, known, f"shooters[{at}]", *_armed(tables, given, unit, modifiers))
            for at, (unit, label, known) in enumerate(zip(units, labels, shown, strict=True))
        ]
    )


def _armed(tables: Tables, given: Given, unit: Unit, modifiers: Parts) -> Armed:
    _refuse(unit)
    is_said = "status" in given.typed
    if not is_said:
        roster.refuse_pinned(
            unit, "shooters", "Add status=pinned to shoot all the same, at −6." if "status" in given.values else ""
        )
    weapon = carried(tables, unit)
    own = (("own modifier", unit.number("mod")),) if unit.numbers.get("mod") else ()
    if unit.state == STUNNED and not is_said:
        own = (*own, (STUNNED, int(tables["status-effects"](status=STUNNED)["skill_modifier"])))
    found = check(tables, (("Firearms", _skill(given, unit)), *modifiers, *own))
    saves = saves_from(tables, weapon) if weapon.saves and given.flag("saves") else None
    return weapon, found, damage_of(tables, weapon, found.over), saves


def _refuse(unit: Unit) -> None:
    if not unit.name and (unit.flags or unit.numbers.get("weapon") is not None):
        word = next(iter(unit.flags), "weapon=")
        what = f"{word} cannot follow {unit.word}: it belongs to a roster unit."
        raise UserError(what, hint=f"{unit.word} n=2 skill=14 mod=-4", option="shooters", code="bad-unit")
    if unit.state in (roster.GONE, "destroyed"):
        raise UserError(f"{unit.word} is {unit.state} and cannot fire.", option="shooters", code="unit-unfit")


def _skill(given: Given, unit: Unit) -> int:
    for own in (unit.numbers.get("skill"), unit.numbers.get("firearms"), given.maybe("skill")):
        if own is not None:
            return int(own)
    what = f"skill is missing, and {unit.word} has none of its own: the Firearms skill, a whole number from 1 to 30."
    raise UserError(what, option="skill", code="missing")


def skill_lines(shooters: Iterable[Shooter]) -> tuple[Line, ...]:
    """How each different final skill comes about."""
    checks: dict[Parts, Check] = {}
    words: dict[Parts, dict[str, None]] = {}
    for shooter in shooters:
        parts = shooter.check.parts
        checks[parts] = shooter.check
        words.setdefault(parts, {})[weapon_said(shooter.weapon.word)] = None
    return tuple([sum_line(check, joined(words[parts]) if len(checks) > 1 else "") for parts, check in checks.items()])


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
    return (Line(f"{target.word} has gone firm: add target_gone_firm and target_firm_cover to count it"),)


def reminders(units: Iterable[Unit]) -> tuple[Line, ...]:
    """What the roster says of an element and only an option can bring in."""
    known = {unit.name: unit for unit in units if unit.name and unit.state}
    return tuple([Line(f"{name} {_SAID[unit.state]}") for name, unit in known.items() if unit.state in _SAID])


_SAID = {
    "hesitant": "is hesitant: add status=hesitant to count it",
    "hesitant-morale": "is hesitant: add status=hesitant-morale to count it",
    "go-firm": "has gone firm: add status=go-firm to count it",
    "let-loose": "has let loose",
    "withdraw": "is withdrawing",
}
