"""Why a total means what it means, in a few words that never repeat the result: `beaten by 6`,
`at least twice morale 5`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Line, Roll

Parts = tuple[tuple[str, int | float], ...]
MOST_SHOWN = 4  # firers whose firepower is shown one by one
_LOSSES = {
    "casualties": "casualties take all of a {}",
    "wounded": "a second wound",
    "shaken": "a second time",
}
_SHAKEN_LOSSES = ("casualties", "wounded")
"""Results that a unit in good order does not take from a total just over its morale."""


def format_margin(margin: int) -> str:
    """How an attack and its defense compare, from the side of the defense."""
    return (
        f"beaten by {margin}"
        if margin > 0
        else f"holds by {-margin}"
        if margin
        else "holds on a tie"
    )


def compare_with_morale(total: int, morale: int, *, damage: bool = False) -> str:
    """How a total compares with morale; only a `damage` check asks whether it is twice or three
    times as much.
    """
    if total <= morale:
        return f"within morale {morale}"
    times = min(3, total // morale) if damage else 1
    words = ("over", "at least twice", "at least three times")
    return f"{words[times - 1]} morale {morale}"


def format_at_most(number: int) -> str:
    """What a roll had to come to, low being good."""
    return f"needs {number} or less" if number > 1 else f"needs a {number}"


def format_needed_faces(needed: Callable[[int], bool]) -> str:
    """Which faces of a d6 were needed: `needs 2, 4 or 6`."""
    *most, last = [str(face) for face in range(1, 7) if needed(face)]
    return f"needs {', '.join(most)} or {last}" if most else f"needs a {last}"


def explain_further_loss(unit: Unit, result: str, becomes: str, *, was_shaken: bool = False) -> str:
    """Return why a unit loses more than its total alone says, or "".

    `was_shaken`: the unit loses this much only because it was shaken before the roll.
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
    """A number that needs no name beside its label, unless it is 0."""
    return (("", value),) if value else ()


def build_summed_parts(name: str, values: Sequence[int]) -> Parts:
    """What several units bring, named with the last of them: `2 + 1 firepower`; the sum where
    they are many.
    """
    found = [value for value in values if value]
    if len(found) > MOST_SHOWN:
        return ((name, sum(found)),)
    if not found:
        return ()
    last = found.pop()
    return (*[("", value) for value in found], (name, last))


# -- an attack against a defense die: who is higher, by how much, and how it reads


@dataclass(frozen=True, slots=True)
class Opposed:
    """What is added to the attack dice and to the last die of the roll, which is the defense;
    and of which parts.
    """

    attack: int
    defense: int
    attack_parts: Parts
    defense_parts: Parts

    def build_outputs(self, roll: Roll, hit: str = "hit") -> dict[str, Any]:
        """Both totals, whether the attack is higher (as output `hit`), and the modifier of the
        damage checks.
        """
        attack = sum(roll) - roll[-1] + self.attack
        defense = roll[-1] + self.defense
        margin = attack - defense
        return {
            "attack_total": attack,
            "defense_total": defense,
            hit: margin > 0,
            "dc_mod": max(margin, 0),
        }

    def build_lines(self, roll: Roll) -> Iterable[Line]:
        """A line for each side, and by how much one is higher."""
        attack = sum(roll) - roll[-1] + self.attack
        defense = roll[-1] + self.defense
        return (
            Line("attack", roll[:-1], self.attack_parts, attack),
            Line(
                "defense", roll[-1:], self.defense_parts, defense, format_margin(attack - defense)
            ),
        )


def build_target_modifier(tm: int) -> Parts:
    """The target modifier as a part of the defense, unless it is 0."""
    return (("terrain", tm),) if tm else ()
