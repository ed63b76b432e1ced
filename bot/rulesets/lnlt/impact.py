"""Penetration against armor: the effect of a hit on a vehicle or an aircraft, its morale check and
its crew; and the fire check of the target hex.

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
FIRE_CHECK = "fire check"


def owe_fire_check(state: Attack) -> Attack:
    """Return the state after everything else: it owes the fire check if `state` had a natural 6,
    otherwise it is the end.
    """
    return Attack(FIRE_CHECK) if state.natural_six else Attack(None)


def build_fire_check(
    readings: Readings,
    *,
    get_next_state: Callable[[Attack], Attack] = lambda _: Attack(None, natural_six=True),
    get_path: Callable[[Attack], str] = lambda _: "fire_check",
) -> Step[Attack]:
    """Return the step of the fire check: 1d6 decides if the target hex burns.

    `get_path` returns the path of its output, `get_next_state` the state after it. By default that
    is the end, with `natural_six` set: then the output is known (see `build_unused_fire_check`).

    Source: PAC 12 (10.5.6).
    """

    def rule(state: Attack, roll: Roll) -> Ruling[Attack]:
        outputs = {get_path(state): "fire" if readings.burns(roll[0]) else "no-fire"}

        def build_lines() -> Iterable[Line]:
            return [Line("fire check", roll, result=format_needed_faces(readings.burns))]

        return Ruling(get_next_state(state), outputs, build_lines)

    return ruled((DIE,), rule)


def build_impossible_fire_check(flammable: bool) -> Outputs:
    """Return the output fire_check as none if the hex cannot burn, otherwise no outputs."""
    return {} if flammable else {"fire_check": NONE}


def build_unused_fire_check(flammable: bool) -> Callable[[Attack], Outputs]:
    """Return the `closing` of a plan in which several rolls can require a fire check.

    It sets fire_check to none if the hex is flammable and no roll was a natural 6.
    """
    return lambda state: {"fire_check": NONE} if flammable and not state.natural_six else {}


def list_fire_reminders(
    out: Mapping[str, Any], hex_name: str = "the target hex"
) -> tuple[str, ...]:
    """Return the reminder to place a Fire marker, or () if no fire starts."""
    if out.get("fire_check") != "fire":
        return ()
    return (f"A fire starts in {hex_name}: place Fire 1.",)


# -- penetration against armor: the effect of a hit on a vehicle or an aircraft, its morale check and
# its crew

CATASTROPHE = (6, 1)
DUD = (1, 6)
NATURAL = {
    "dud": "a dud, natural 1 against 6",
    "catastrophic": "a catastrophe, natural 6 against 1",
}


@dataclass(frozen=True, slots=True)
class StruckVehicle:
    """A vehicle or aircraft that is hit, with the armor of the place that is hit.

    - `word`: its name, or "" for the only target.
    - `path`: the prefix of its outputs (`vehicles[1].`).
    - `parts`: the named numbers that make up `penetration`.
    - `flies`: it is a helicopter or aircraft.
    - `is_first`: its result is the outcome of the sequence.
    """

    word: str
    path: str
    penetration: int
    armor: int
    morale: int
    shaken: bool
    flies: bool
    is_first: bool
    parts: tuple[tuple[str, int], ...]

    @property
    def target(self) -> str:
        """The target in table penetration."""
        return "aircraft" if self.flies else "vehicle"

    def format_label(self, roll_name: str) -> str:
        """Format the label of a line: `T-55 armor`, or `armor` if the vehicle has no name."""
        return f"{self.word} {roll_name}".strip()


class Impact:
    """The rolls after a hit on a vehicle: penetration, its morale check, and its crew.

    `find_vehicle` returns the vehicle of a state. `continue_from` takes the state with the result
    in `row`; it returns the next state and the outputs that are decided at once.
    `build_result_outputs` returns the outputs that the result alone decides. In a `flammable` hex a
    natural 6 of the penetration die sets `natural_six` of the state, for a fire check.
    """

    def __init__(
        self,
        readings: Readings,
        find_vehicle: Callable[[Attack], StruckVehicle],
        continue_from: Callable[[Attack], tuple[Attack, Outputs]],
        *,
        build_result_outputs: Callable[[str], Outputs] = lambda _: {},
        flammable: bool = False,
    ) -> None:
        self._readings = readings
        self._find_vehicle = find_vehicle
        self._continue_from = continue_from
        self._build_result_outputs = build_result_outputs
        self._flammable = flammable

    def steps(self) -> dict[str, Step[Attack]]:
        """Return the steps impact, vehicle morale and vehicle crew, for the plan of a sequence."""
        get_dice = self._get_dice
        return {
            "impact": ruled(
                lambda state: (*get_dice(state, "penetration"), *get_dice(state, "armor")),
                self._rule_on_impact,
            ),
            "vehicle morale": ruled(
                lambda state: get_dice(state, "morale check", 2), self._rule_on_morale
            ),
            "vehicle crew": ruled(
                lambda state: get_dice(state, "bail-out crew of"), self._rule_on_crew
            ),
        }

    def _get_dice(self, state: Attack, label: str, count: int = 1) -> tuple[Die, ...]:
        """Return `count` d6, labelled with `label` and the name of the vehicle if it has one."""
        word = self._find_vehicle(state).word
        full_label = f"{label} {word}" if word else label.removesuffix(" of")
        return make_dice(count, 6, full_label)

    def _rule_on_impact(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on 1d6 + penetration against 1d6 + armor.

        By table penetration the vehicle is destroyed, unharmed, or owes a morale check.
        """
        struck = self._find_vehicle(state)
        attack = roll[0] + struck.penetration
        armor = roll[1] + struck.armor
        difference = attack - armor
        case = _get_penetration_case(roll, difference)
        effect = self._readings.penetration(case, struck.target)
        is_natural_six = self._flammable and roll[0] == CATASTROPHE[0]
        natural_six = state.natural_six or is_natural_six
        outputs: dict[str, Any] = {
            f"{struck.path}attack_total": attack,
            f"{struck.path}armor_total": armor,
            f"{struck.path}impact": case,
        }
        state = state._replace(natural_six=natural_six)
        if effect["effect"] == "morale-check":
            margin = difference if effect["mc_mod"] == "minus-difference" else 0
            next_state = state._replace(next_step="vehicle morale", margin=margin, row=case)
        else:
            outputs[f"{struck.path}mc"] = NONE
            outputs[f"{struck.path}mc_total"] = NONE
            next_state = self._apply_result(state, struck, str(effect["effect"]), outputs)

        def build_lines() -> Iterable[Line]:
            reason = NATURAL.get(case) or format_margin(difference)
            armor_label = struck.format_label("armor")
            armor_parts = build_bare_part(struck.armor)
            return (
                Line(struck.format_label("penetration"), roll[:1], struck.parts, attack),
                Line(armor_label, roll[1:], armor_parts, armor, reason),
            )

        return Ruling(next_state, outputs, build_lines)

    def _rule_on_morale(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on a vehicle's morale check: 2d6 + the margin, at or under morale.

        If the result is shaken and the vehicle is shaken already, it is abandoned.
        """
        struck = self._find_vehicle(state)
        total = sum(roll) + state.margin
        effect = self._readings.penetration(state.row, struck.target)
        passes = total <= struck.morale
        result = str(effect["mc_pass" if passes else "mc_fail"])
        reason = compare_with_morale(total, struck.morale)
        shaken_twice = self._readings.becomes("armored-vehicle", "shaken", "shaken")
        if struck.shaken and result in ("shaken", shaken_twice):
            result = shaken_twice
            reason += "; a second time"
        outputs: dict[str, Any] = {
            f"{struck.path}mc": "pass" if passes else "fail",
            f"{struck.path}mc_total": total,
        }
        next_state = self._apply_result(state, struck, result, outputs)

        def build_lines() -> Iterable[Line]:
            label = struck.format_label("morale")
            return [Line(label, roll, build_bare_part(state.margin), total, reason)]

        return Ruling(next_state, outputs, build_lines)

    def _rule_on_crew(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the 1d6 that gets the crew out of a destroyed vehicle."""
        struck = self._find_vehicle(state)
        readings = self._readings
        next_state, more_outputs = self._continue_from(state)
        outputs = {f"{struck.path}crew": readings.bail_out("crew", roll[0]), **more_outputs}

        def build_lines() -> Iterable[Line]:
            needed_roll = readings.format_escape_roll("crew")
            return [Line(struck.format_label("crew"), roll, result=needed_roll)]

        return Ruling(next_state, outputs, build_lines)

    def _apply_result(
        self, state: Attack, struck: StruckVehicle, result: str, outputs: dict[str, Any]
    ) -> Attack:
        """Return the state after `result`; add the outputs that it decides to `outputs`.

        A destroyed vehicle owes the roll of its crew; after any other result, and for a destroyed
        aircraft, the sequence continues.
        """
        outputs[f"{struck.path}result"] = result
        if struck.is_first:
            outputs["outcome"] = result
        state = state._replace(margin=0, row=result)
        if result == "destroyed" and not struck.flies:
            outputs |= self._build_result_outputs(result)
            return state._replace(next_step="vehicle crew")
        outputs[f"{struck.path}crew"] = "shaken-moved" if result == "abandoned" else NONE
        outputs |= self._build_result_outputs(result)
        next_state, more_outputs = self._continue_from(state)
        outputs |= more_outputs
        return next_state


def _get_penetration_case(roll: Roll, difference: int) -> str:
    """Return the case of table penetration: dud, catastrophic, greater, equal or less.

    `difference` is the penetration total minus the armor total.
    """
    if roll == DUD:
        return "dud"
    if roll == CATASTROPHE:
        return "catastrophic"
    if difference > 0:
        return "greater"
    return "less" if difference < 0 else "equal"
