"""Penetration against armor: what a hit does to a vehicle or an aircraft, its morale check and its
crew.

Shared by ordnance that has hit and by aircraft, which need no to-hit roll. Source: PAC 02, 05, 06
(14.1, 19.1.1).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die, d6, make_dice
from bot.rules.sequence.sequence import Line, Outputs, Roll, Ruling, Step, ruled
from bot.rulesets.lnlt.checks import NONE
from bot.rulesets.lnlt.items import Attack, Readings
from bot.rulesets.lnlt.reasons import (
    build_bare_part,
    compare_with_morale,
    format_margin,
    format_needed_faces,
)

# -- the fire check after a natural 6 against a flammable hex

DIE = d6("fire check")
OWES = "fire check"


def owe_fire_check(now: Attack) -> Attack:
    """After everything else: the fire check if one is due, otherwise the end."""
    return Attack(OWES) if now.six else Attack(None)


def build_fire_check(
    readings: Readings,
    *,
    then: Callable[[Attack], Attack] = lambda _: Attack(None, six=True),
    path: Callable[[Attack], str] = lambda _: "fire_check",
) -> Step[Attack]:
    """Return whether the target hex burns; `then` goes on, else `six` says that it has been told,
    at `path`.

    Source: PAC 12 (10.5.6).
    """

    def rule(now: Attack, roll: Roll) -> Ruling[Attack]:
        told = {path(now): "fire" if readings.burns(roll[0]) else "no-fire"}
        return Ruling(
            then(now),
            told,
            lambda: [Line("fire check", roll, result=format_needed_faces(readings.burns))],
        )

    return ruled((DIE,), rule)


def tell_impossible_fire_check(flammable: bool) -> Outputs:
    """`fire_check` where none can come."""
    return {} if flammable else {"fire_check": NONE}


def build_unused_fire_check(flammable: bool) -> Callable[[Attack], Outputs]:
    """`fire_check` at the end, where several dice could have called for one and none did."""
    return lambda now: {"fire_check": NONE} if flammable and not now.six else {}


def list_fire_reminders(out: Mapping[str, Any], where: str = "the target hex") -> tuple[str, ...]:
    """The reminder to place the marker."""
    return (f"A fire starts in {where}: place Fire 1.",) if out.get("fire_check") == "fire" else ()


# -- penetration against armor: what a hit does to a vehicle or an aircraft, its morale check and
# its crew

CATASTROPHE = (6, 1)
DUD = (1, 6)
NATURAL = {
    "dud": "a dud, natural 1 against 6",
    "catastrophic": "a catastrophe, natural 6 against 1",
}


@dataclass(frozen=True, slots=True)
class StruckVehicle:
    """A vehicle or aircraft that is hit, at the place that is hit.

    `path` is what its outputs begin with (`vehicles[1].`), `parts` what makes up the penetration,
    by name.
    """

    word: str
    path: str
    penetration: int
    armor: int
    morale: int
    shaken: bool
    flies: bool
    first: bool
    parts: tuple[tuple[str, int], ...]

    @property
    def target(self) -> str:
        """What it is in table penetration."""
        return "aircraft" if self.flies else "vehicle"

    def format_label(self, what: str) -> str:
        """The label of a line: `T-55 armor`, or `armor` where one nameless vehicle is shot at."""
        return f"{self.word} {what}".strip()


class Impact:
    """The dice that hits on vehicles owe.

    `find` gives the vehicle of a state, `then` goes on with its result (in `row`) and tells what
    that decides at once; `also` tells what the result itself means. In a `flammable` hex a natural
    6 of the penetration die calls for a fire check, which the state remembers.
    """

    def __init__(
        self,
        readings: Readings,
        find: Callable[[Attack], StruckVehicle],
        then: Callable[[Attack], tuple[Attack, Outputs]],
        *,
        also: Callable[[str], Outputs] = lambda _: {},
        flammable: bool = False,
    ) -> None:
        self._readings = readings
        self._find = find
        self._then = then
        self._also = also
        self._flammable = flammable

    def steps(self) -> dict[str, Step[Attack]]:
        """The steps impact, vehicle morale and vehicle crew."""
        ask = self._get_dice
        return {
            "impact": ruled(
                lambda now: (*ask(now, "penetration"), *ask(now, "armor")), self._impact
            ),
            "vehicle morale": ruled(lambda now: ask(now, "morale check", 2), self._morale),
            "vehicle crew": ruled(lambda now: ask(now, "bail-out crew of"), self._crew),
        }

    def _get_dice(self, now: Attack, label: str, count: int = 1) -> tuple[Die, ...]:
        word = self._find(now).word
        return make_dice(count, 6, f"{label} {word}" if word else label.removesuffix(" of"))

    def _impact(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6 + penetration against 1d6 + armor: destroyed, nothing, or a morale check."""
        struck = self._find(now)
        attack = roll[0] + struck.penetration
        armor = roll[1] + struck.armor
        difference = attack - armor
        case = "greater" if difference > 0 else "less" if difference else "equal"
        if roll in (DUD, CATASTROPHE):
            case = "dud" if roll == DUD else "catastrophic"
        effect = self._readings.penetration(case, struck.target)
        six = now.six or (self._flammable and roll[0] == CATASTROPHE[0])
        told: dict[str, Any] = {
            f"{struck.path}attack_total": attack,
            f"{struck.path}armor_total": armor,
            f"{struck.path}impact": case,
        }
        if effect["effect"] == "morale-check":
            margin = difference if effect["mc_mod"] == "minus-difference" else 0
            after = Attack("vehicle morale", margin, now.at, now.lm, case, now.keep, six)
        else:
            told[f"{struck.path}mc"] = told[f"{struck.path}mc_total"] = NONE
            after = self._apply_result(now, struck, str(effect["effect"]), told, six=six)

        def story() -> Iterable[Line]:
            why = NATURAL.get(case) or format_margin(difference)
            return (
                Line(struck.format_label("penetration"), roll[:1], struck.parts, attack),
                Line(
                    struck.format_label("armor"),
                    roll[1:],
                    build_bare_part(struck.armor),
                    armor,
                    why,
                ),
            )

        return Ruling(after, told, story)

    def _morale(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """2d6, made worse by the difference, at or under morale; who is shaken already is
        abandoned.
        """
        struck = self._find(now)
        total = sum(roll) + now.margin
        effect = self._readings.penetration(now.row, struck.target)
        passes = total <= struck.morale
        result = str(effect["mc_pass" if passes else "mc_fail"])
        again = ""
        worse = self._readings.becomes("armored-vehicle", "shaken", "shaken")
        if struck.shaken and result in ("shaken", worse):
            result = worse
            again = "; a second time"
        told: dict[str, Any] = {
            f"{struck.path}mc": "pass" if passes else "fail",
            f"{struck.path}mc_total": total,
        }
        after = self._apply_result(now, struck, result, told, six=now.six)
        why = compare_with_morale(total, struck.morale) + again
        return Ruling(
            after,
            told,
            lambda: [
                Line(struck.format_label("morale"), roll, build_bare_part(now.margin), total, why)
            ],
        )

    def _crew(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether the crew gets out of a destroyed vehicle."""
        struck = self._find(now)
        readings = self._readings
        after, known = self._then(now)
        told = {f"{struck.path}crew": readings.bail_out("crew", roll[0]), **known}
        return Ruling(
            after,
            told,
            lambda: [
                Line(struck.format_label("crew"), roll, result=readings.get_escape_number("crew"))
            ],
        )

    def _apply_result(
        self, now: Attack, struck: StruckVehicle, result: str, told: dict[str, Any], *, six: bool
    ) -> Attack:
        """What follows the result, which is told with all that it decides."""
        told[f"{struck.path}result"] = result
        if struck.first:
            told["outcome"] = result
        if result == "destroyed" and not struck.flies:
            told |= self._also(result)
            return Attack("vehicle crew", 0, now.at, now.lm, result, now.keep, six)
        told[f"{struck.path}crew"] = "shaken-moved" if result == "abandoned" else NONE
        told |= self._also(result)
        after, known = self._then(Attack(now.owes, 0, now.at, now.lm, result, now.keep, six))
        told |= known
        return after
