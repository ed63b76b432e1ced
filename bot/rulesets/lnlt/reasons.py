"""The reason that a line of the answer gives for a result, without repeating the result:
`beaten by 6`, `at least twice morale 5`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, Roll

Parts = tuple[tuple[str, int | float], ...]
"""Named numbers that a line of the answer adds to its dice, as (name, value)."""
MOST_SHOWN = 4  # firers whose firepower is shown one by one
_LOSSES = {
    "casualties": "a {} that takes casualties is gone",
    "wounded": "a second wound",
    "shaken": "a second time",
}
_SHAKEN_LOSSES = ("casualties", "wounded")
"""Results that a unit in good order does not take from a total just over its morale."""


def format_margin(margin: int) -> str:
    """Format the attack total minus the defense total, as seen by the defense.

    The text is `beaten by 6`, `holds by 2` or `holds on a tie`.
    """
    if margin > 0:
        return f"beaten by {margin}"
    if margin < 0:
        return f"holds by {-margin}"
    return "holds on a tie"


def compare_with_morale(total: int, morale: int, *, damage: bool = False) -> str:
    """Return how a total compares with morale: `within morale 5`, `over morale 5`.

    For a `damage` check also `at least twice morale 5` and `at least three times morale 5`.
    """
    if total <= morale:
        return f"within morale {morale}"
    times = min(3, total // morale) if damage else 1
    words = ("over", "at least twice", "at least three times")
    return f"{words[times - 1]} morale {morale}"


def format_at_most(number: int) -> str:
    """Format the highest total that succeeds: `needs 6 or less`, or `needs a 1` for 1 and below."""
    return f"needs {number} or less" if number > 1 else f"needs a {number}"


def format_needed_faces(succeeds: Callable[[int], bool]) -> str:
    """Format the faces of a d6 for which `succeeds` is true: `needs 2, 4 or 6`, `needs a 6`.

    At least one face must succeed.
    """
    *earlier_faces, last_face = [str(face) for face in range(1, 7) if succeeds(face)]
    if not earlier_faces:
        return f"needs a {last_face}"
    return f"needs {', '.join(earlier_faces)} or {last_face}"


def explain_further_loss(unit: Unit, result: str, becomes: str, *, was_shaken: bool = False) -> str:
    """Return why a unit loses more than its total alone says (`; a second wound`), or "".

    `result` is that of the damage check, `becomes` the state after it. `was_shaken`: the unit loses
    this much only because it was shaken before the roll.
    """
    loss = ""
    if becomes in ("eliminated", "abandoned"):
        loss = _LOSSES.get(result, "").format(unit.type)
    if was_shaken and result in _SHAKEN_LOSSES:
        return f"; already shaken, so {loss or result}"
    if loss:
        return f"; {loss}"
    return ""


def build_bare_part(value: int) -> Parts:
    """Return one part without a name, or no parts for 0."""
    return (("", value),) if value else ()


def build_summed_parts(name: str, values: Sequence[int]) -> Parts:
    """Return a part for each value that is not 0, the last of them named: `2 + 1 firepower`.

    More than `MOST_SHOWN` values are added up to one part.
    """
    nonzero = [value for value in values if value]
    if len(nonzero) > MOST_SHOWN:
        return ((name, sum(nonzero)),)
    if not nonzero:
        return ()
    last = nonzero.pop()
    nameless_parts = [("", value) for value in nonzero]
    return (*nameless_parts, (name, last))


# -- an attack against a defense die: which side is higher, by how much, and the lines for it


@dataclass(frozen=True, slots=True)
class Opposed:
    """The numbers added to an opposed roll of attack dice against one defense die.

    The last die of a roll is the defense die. `attack_parts` and `defense_parts` name the numbers
    that `attack` and `defense` are made of.
    """

    attack: int
    defense: int
    attack_parts: Parts
    defense_parts: Parts

    def compute_totals(self, roll: Roll) -> tuple[int, int]:
        """Return the attack total and the defense total of a roll."""
        attack_dice = sum(roll) - roll[-1]
        return attack_dice + self.attack, roll[-1] + self.defense

    def build_outputs(self, roll: Roll, hit: str = "hit") -> dict[str, Any]:
        """Return the outputs of the roll: attack_total, defense_total, the hit and dc_mod.

        `hit` is the name of the output that says whether the attack is higher. dc_mod is the
        modifier of the damage checks: the margin, or 0 without a hit.
        """
        attack, defense = self.compute_totals(roll)
        margin = attack - defense
        return {
            "attack_total": attack,
            "defense_total": defense,
            hit: margin > 0,
            "dc_mod": max(margin, 0),
        }

    def build_lines(self, roll: Roll) -> Iterable[Line]:
        """Return the line of the attack and that of the defense, which also gives the margin."""
        attack, defense = self.compute_totals(roll)
        margin = format_margin(attack - defense)
        return (
            Line("attack", roll[:-1], self.attack_parts, attack),
            Line("defense", roll[-1:], self.defense_parts, defense, margin),
        )


def build_target_modifier(tm: int) -> Parts:
    """Return the target modifier as a part of the defense, or no parts for 0."""
    return (("terrain", tm),) if tm else ()
