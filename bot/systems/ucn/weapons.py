"""Small arms: damage dice, fixed addition, and whether the characters hit may save.

Source: Infantry Combat, Firearms, Machine Guns, Specialist Weapons, Save, Status Damage.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Roll
from bot.rules.tables.table import Tables
from bot.systems.ucn.skills import FACES, MAX_BONUS

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
    """The weapon called `word`, from the table that has it."""
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
    word = unit.get("weapon") if unit.name else unit.type
    if word is None:
        raise UserError(
            f"{unit.word} has no weapon.",
            hint=f"Type it behind the name, {unit.word} weapon=lmg, or set it with /unit edit.",
            option="shooters",
            code="no-weapon",
        )
    return weapon_of(tables, str(word))


def damage_of(tables: Tables, weapon: Weapon, over: int) -> Damage:
    """The damage of a hit with the weapon; `over` is what the final skill had above 20."""
    bonus = weapon.bonus + over
    return Damage(weapon.dice, bonus, tables["status-damage"].column("status", roll=FACES, bonus=min(bonus, MAX_BONUS)))


def saves_from(tables: Tables, weapon: Weapon) -> Saves:
    """What each face of the save die from 1 on does for a character hit by `weapon`."""
    return tables["save-roll"].column("result", weapon=weapon.word, roll=FACES)
