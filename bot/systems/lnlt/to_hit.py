"""The to-hit roll of ordnance: white and colored die, its modifiers, and the depletion of an ATGM."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.given import Given
from bot.rules.sequence.ruling import Weighted
from bot.rules.sequence.sequence import Line, Roll, parts_of
from bot.rules.tables.table import Part, Tables
from bot.systems.lnlt.reasons import at_most

PAIRS: tuple[Roll, ...] = tuple(product(range(1, 7), repeat=2))
DICE = (d6("to hit, white"), d6("to hit, colored"))
FLAGS = (
    "open", "turret_pivot", "assault", "smc_sw", "smoke", "tis", "chassis_pivot", "between_buildings",
    "attacker_flying", "adjacent", "rubber_boat", "mounted_stationary", "fired_ordnance_sw",
)  # fmt: skip
ALWAYS = {2: "a natural 2 always hits", 12: "a natural 12 never does"}
WORDS = ("vehicle_assault", "night", "ops_complete", "target_moved")
NUMBERS = ("lm", "degrading", "tm", "acquisition")


@dataclass(frozen=True, slots=True)
class ToHit:
    """The number needed at this range, the modifiers, and what makes the shot special."""

    number: int
    mod: int
    parts: tuple[Part, ...]
    disrupted: bool
    depletion: int

    def hits(self, roll: Roll) -> bool:
        """Whether the shot hits: a natural 2 always, a natural 12 never, a disrupted team never."""
        natural = sum(roll)
        return not self.disrupted and natural != 12 and (natural == 2 or natural + self.mod <= self.number)

    def expends(self, roll: Roll) -> bool:
        """Whether the ATGM is expended: the colored die is below its depletion number."""
        return roll[1] < self.depletion

    def told(self, roll: Roll) -> dict[str, Any]:
        """The outputs that the roll decides."""
        return {
            "to_hit_roll": sum(roll),
            "to_hit_total": sum(roll) + self.mod,
            "hit": self.hits(roll),
            "atgm_expended": self.expends(roll),
        }

    def line(self, roll: Roll) -> Line:
        """The line of the answer."""
        verdict = at_most(self.number)
        if self.disrupted:
            verdict = "disrupted by opportunity fire"
        elif sum(roll) in ALWAYS and self.hits(roll) != (sum(roll) + self.mod <= self.number):
            verdict = ALWAYS[sum(roll)]
        return Line("to hit", roll, parts_of(self.parts), sum(roll) + self.mod, verdict)


def to_hit(tables: Tables, given: Given, **more: Any) -> ToHit:
    """The to-hit roll of the inputs; `more` are inputs of table oft-mods that only one kind of target has.

    Source: PAC 04, 06 (14.1).
    """
    modifiers = tables["oft-mods"](
        **given.flags(FLAGS),
        **{word: given.word(word) for word in WORDS},
        **{number: given.int(number) for number in NUMBERS},
        **more,
    )
    mod = int(modifiers["to_hit_mod"])
    return ToHit(given.int("to_hit"), mod, modifiers.parts, given.flag("disrupted"), given.int("atgm_depletion"))


# -- what follows is speed; the rules end here -------------------------------------------------------------------------


def groups_of(shot: ToHit) -> Weighted:
    """For odds: all 36 rolls, grouped by their sum and by whether they expend the ATGM."""
    ways: dict[tuple[int, bool], tuple[int, Roll]] = {}
    for roll in PAIRS:
        key = (sum(roll), shot.expends(roll))
        ways[key] = (ways.get(key, (0, ()))[0] + 1, roll)
    return tuple(ways.values())
