"""A grenade in a room: one roll for each occupant. Source: Building Assault, Initial Attack."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot.rules.odds import Weighted, group_faces
from bot.rules.sequence import Line, Roll
from bot.rules.tables.table import Tables
from bot.systems.ucn.pool import pool
from bot.systems.ucn.skills import FACES, LAST, d20

DIE = d20("grenade")


@dataclass(frozen=True, slots=True)
class Grenade:
    """What each face of the die does to an occupant."""

    results: tuple[str, ...]

    def casualties(self, roll: Roll) -> int:
        """How many occupants are out."""
        return sum(self.results[face] == "combat-ineffective" for face in roll)

    def told(self, name: str, roll: Roll) -> dict[str, str]:
        """The result of every occupant, as items of the list `name`."""
        return {f"{name}[{at}]": self.results[face] for at, face in enumerate(roll)}

    def groups(self, occupants: int, apart: Collection[int]) -> Weighted:
        """All rolls by the number of casualties; occupants that are asked for by themselves."""
        classes = group_faces(LAST, lambda face: self.results[face])
        return pool(occupants, classes, apart, classes)

    def line(self, roll: Roll) -> Line:
        """The line of the roll."""
        fatal = [face for face in FACES if self.results[face] == "combat-ineffective"]
        return Line("grenade", roll, result=f"{fatal[0]}-{fatal[-1]} takes one out")


def grenade(tables: Tables) -> Grenade:
    """The grenade of the card."""
    return Grenade(("", *(str(tables["grenade-damage"](roll=face)["status"]) for face in FACES)))


def status_after(casualties: int, survivors: int) -> str:
    """What the survivors of a grenade are. Source: Building Assault, Grenade Assault Phase Damage."""
    if not survivors:
        return "cleared"
    return "pinned" if casualties else "stunned"
