"""The firepower that the units of a stack fire with, one by one. Source: Dice Roll Modifiers panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.formula import half_down


@dataclass(frozen=True, slots=True)
class Firers:
    """The firers at this distance: each one's firepower before penalties, and how many have which penalty."""

    powers: tuple[tuple[str, int], ...]
    charging: int
    night: int

    @property
    def raw(self) -> int:
        """The sum before the penalties of single units."""
        return sum(power for _, power in self.powers)


def firers_of(units: Sequence[Unit], distance: int, visibility: int) -> Firers:
    """What `units` fire with at `distance` hexes; `visibility` 0 is day.

    Beyond its printed range a unit has half its firepower, fractions dropped. Raises UserError for one that fires
    beyond twice its range, that is shaken, or whose firepower is not given.
    """
    powers = []
    for unit in units:
        power, reach = unit.number("fp"), unit.get("range")
        if unit.has("shaken"):
            raise UserError(f"{unit.word} is shaken and cannot fire.", option="attackers", code="unit-unfit")
        if reach is not None and distance > 2 * reach:
            raise UserError(
                f"{unit.word} cannot fire {distance} hexes: twice its range of {reach} is {2 * reach}.",
                hint="Leave it out of the attack.",
                option="attackers",
                code="out-of-reach",
            )
        far = reach is not None and distance > reach
        powers.append((f"{unit.word} (long range, half of {power})", half_down(power)) if far else (unit.word, power))
    night = len(units) if 0 < visibility < distance else 0
    return Firers(tuple(powers), sum(unit.has("charge") for unit in units), night)
