"""The firepower that the units of a stack fire with, one by one. Source: Dice Roll Modifiers panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.formula import half_down
from bot.rules.text.names import joined

MOST_SHOWN = 4  # firers whose firepower is shown one by one


@dataclass(frozen=True, slots=True)
class Firers:
    """The firers at this distance: each one's firepower before penalties, and how many have which penalty.

    `far` says of each whether it is halved by long range.
    """

    powers: tuple[int, ...]
    far: tuple[bool, ...]
    charging: int
    night: int

    @property
    def raw(self) -> int:
        """The sum before the penalties of single units."""
        return sum(self.powers)

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """The firepower of one after the other, those at long range last; of many the sum of each kind."""
        found: list[tuple[str, int]] = []
        for name, far in (("", False), ("at long range", True)):
            own = [power for power, is_far in zip(self.powers, self.far, strict=True) if is_far == far]
            own = own if len(own) <= MOST_SHOWN else [sum(own)]
            found += [(name if at == len(own) else "", power) for at, power in enumerate(own, start=1)]
        return tuple(found)


def firers_of(units: Sequence[Unit], distance: int, visibility: int) -> Firers:
    """What `units` fire with at `distance` hexes; `visibility` 0 is day.

    Beyond its printed range a unit has half its firepower, fractions dropped. A leader, on whose counter no firepower
    is printed, may be listed with those who fire and adds nothing. Raises UserError for leaders alone, and for a unit
    that fires beyond twice its range, that is shaken, or whose firepower is not given.
    """
    firing = [unit for unit in units if unit.type != "leader" or unit.get("fp")]
    if units and not firing:
        raise UserError(
            f"{joined(unit.word for unit in units)} cannot fire alone: a leader has no firepower.",
            hint="List the squads and weapons that fire as well.",
            option="attackers",
            code="no-firepower",
        )
    powers, halved = [], []
    for unit in firing:
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
        powers.append(half_down(power) if far else power)
        halved.append(far)
    night = len(firing) if 0 < visibility < distance else 0
    return Firers(tuple(powers), tuple(halved), sum(unit.has("charge") for unit in firing), night)
