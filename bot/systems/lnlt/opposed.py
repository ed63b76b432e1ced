"""An attack against a defense die: who is higher, by how much, and how it reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bot.rules.sequence.sequence import Line, Roll
from bot.systems.lnlt.reasons import Parts, against


@dataclass(frozen=True, slots=True)
class Opposed:
    """What is added to the attack dice and to the last die of the roll, which is the defense; and of which parts."""

    attack: int
    defense: int
    attack_parts: Parts
    defense_parts: Parts

    def told(self, roll: Roll, hit: str = "hit") -> dict[str, Any]:
        """Both totals, whether the attack is higher (as output `hit`), and the modifier of the damage checks."""
        attack, defense = sum(roll) - roll[-1] + self.attack, roll[-1] + self.defense
        margin = attack - defense
        return {"attack_total": attack, "defense_total": defense, hit: margin > 0, "dc_mod": max(margin, 0)}

    def lines(self, roll: Roll) -> Iterable[Line]:
        """A line for each side, and by how much one is higher."""
        attack, defense = sum(roll) - roll[-1] + self.attack, roll[-1] + self.defense
        return (
            Line("attack", roll[:-1], self.attack_parts, attack),
            Line("defense", roll[-1:], self.defense_parts, defense, against(attack - defense)),
        )


def target_modifier(tm: int) -> Parts:
    """The target modifier as a part of the defense, unless it is 0."""
    return (("terrain", tm),) if tm else ()
