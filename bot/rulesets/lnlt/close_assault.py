"""Close assault: MMCs and heroes attack a vehicle at close quarters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from bot.rules.dice import Die, d6, make_dice
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    IndependentPart,
    IndependentParts,
    Line,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.aftermath import resolve_captured_weapons
from bot.rulesets.lnlt.checks import NONE
from bot.rulesets.lnlt.reasons import build_bare_part, compare_with_morale, format_margin

OUTPUTS = ("units", "vehicle_destroyed", "crew", "outcome")
NO_ATTACK = {"attack_total": NONE, "vehicle_total": NONE, "destroyed": False}
"""Outputs of a unit that does not attack."""


class AssaultState(NamedTuple):
    """A close assault, part-way through.

    - `next_step`: the next step, None at the end.
    - `unit_index`: the index of the attacker that rolls next.
    - `passed`: the indices of attackers who passed their morale check and have yet to attack.
    - `helped`: the leader's modifier has been used.
    - `destroyed`: the vehicle is destroyed.
    """

    next_step: str | None
    unit_index: int = 0
    passed: tuple[int, ...] = ()
    helped: bool = False
    destroyed: bool = False


def plan(tables: Tables, inputs: Given) -> Plan[AssaultState]:
    """Plan a close assault on a vehicle. Source: PAC 01, 09 (17.1).

    Raises UserError for passengers outside, for attackers who are neither MMCs nor heroes, or for
    an lm_unit beyond the list.
    """
    units = inputs.units("attackers")
    lm_position = inputs.get_optional("lm_unit")
    _check_inputs(units, lm_position, outside_passengers=inputs.flag("outside_passengers"))
    fate = tables["crew-fate"](cause="close-assault", vehicle="destroyed", who="crew")
    fight = Fight(
        units=units,
        morale=tuple([unit.number("morale") for unit in units]),
        power=tuple([_compute_power(unit) for unit in units]),
        armor=inputs.int("av"),
        mc_mod=inputs.int("mc_mod"),
        lm=inputs.int("lm"),
        lm_position=lm_position,
        crew_fate=str(fate["result"]),
    )
    resolve = partial(_resolve, units, inputs.unit("target"))
    start = AssaultState("check")

    def plan_in_turn() -> Plan[AssaultState]:
        return Plan(start, _build_steps_in_turn(fight), resolve)

    in_turn = IndependentParts([IndependentPart(OUTPUTS, plan_in_turn)])
    return Plan(
        start, fight.steps(), resolve, {"units": []}, find_independent_parts=lambda _: in_turn
    )


def _check_inputs(
    units: Sequence[Unit], lm_position: int | None, *, outside_passengers: bool
) -> None:
    """Raise UserError for passengers outside, for attackers that cannot close assault, or for an
    `lm_position` (from 1) beyond the list.
    """
    if outside_passengers:
        raise UserError(
            "Passengers outside prevent a close assault.",
            hint="Attack them first.",
            code="passenger",
        )
    kinds.refuse_unfit(units)
    for unit in units:
        if unit.type not in kinds.MMC and unit.type != "hero":
            problem = f"{unit.word} ({unit.type}) cannot close assault; only MMCs and heroes can."
            raise UserError(problem, code="wrong-type")
    if lm_position is not None and lm_position > len(units):
        problem = f"lm_unit is {lm_position}, but only {len(units)} attack."
        raise UserError(problem, option="lm_unit", code="bad-value")


def _resolve(units: Sequence[Unit], target: Unit | None, out: Mapping[str, Any]) -> Resolution:
    """Return the result for the vehicle, with the changes by captured weapons.

    If the vehicle is destroyed, so are the roster units that ride in it. A captured weapon is kept
    by a unit that destroyed the vehicle. If the vehicle holds, the weapon is lost by all who
    attacked.
    """
    words = tuple((answer["unit"], _get_word(answer)) for answer in out["units"])
    vehicle = "the vehicle" if target is None else target.word
    answers = list(zip(units, out["units"], strict=True))
    if not out["vehicle_destroyed"]:
        attacking_units = [unit for unit, answer in answers if answer["attack_total"] != NONE]
        changes, reminders = resolve_captured_weapons(attacking_units, works=False)
        results = (UnitResult(vehicle, NONE),)
        return Resolution("the vehicle holds", words, reminders, changes, results)
    destroying_units = [unit for unit, answer in answers if answer["destroyed"]]
    changes, _ = resolve_captured_weapons(destroying_units, works=True)
    if target is not None:
        changes += (Change(target.name, set={"state": "destroyed"}),)
        # units that ride in it, by the roster
        changes += (Change(target.name, set={"state": "eliminated"}, of="in"),)
    results = (UnitResult(vehicle, "destroyed", "crew killed"),)
    notes = ("The passengers inside are lost with it.",)
    return Resolution(
        "the vehicle is destroyed", words, changes=changes, unit_results=results, notes=notes
    )


@dataclass(frozen=True, slots=True)
class Fight:
    """The attackers and the vehicle of a close assault: everything that the dice do not change.

    - `morale`, `power`: morale and firepower of each attacker.
    - `armor`: the armor of the vehicle.
    - `mc_mod`: the modifier of the morale checks.
    - `lm`: the leader's modifier of one attack: that of the unit at `lm_position` (from 1), or of
      the first unit that attacks if it is None.
    - `crew_fate`: the output crew if the vehicle is destroyed.
    """

    units: Sequence[Unit]
    morale: tuple[int, ...]
    power: tuple[int, ...]
    armor: int
    mc_mod: int
    lm: int
    lm_position: int | None
    crew_fate: str

    def steps(self) -> dict[str, RuledStep[AssaultState]]:
        """Return the steps: all attackers check, then those who passed attack one by one."""
        return {
            "check": ruled(self.get_check_dice, self.check),
            "attack": ruled(self.get_attack_dice, self.attack),
        }

    def get_check_dice(self, state: AssaultState) -> tuple[Die, ...]:
        """Return the dice of the current unit's morale check."""
        return make_dice(2, 6, f"morale check {self.units[state.unit_index].word}")

    def get_attack_dice(self, state: AssaultState) -> tuple[Die, ...]:
        """Return the dice of the current unit's attack: its own, then the vehicle's."""
        return d6(f"attack {self.units[state.unit_index].word}"), d6("vehicle")

    def passes(self, state: AssaultState, roll: Roll) -> bool:
        """Return whether the current unit passes its morale check: 2d6 + mc_mod <= morale."""
        return sum(roll) + self.mc_mod <= self.morale[state.unit_index]

    def get_leader_modifier(self, state: AssaultState) -> int:
        """Return the leader's modifier if it counts for the current unit's attack, else 0.

        It counts for the unit at `lm_position`, or if that is None, for the first attack alone.
        """
        if self.lm_position is not None:
            return self.lm if state.unit_index == self.lm_position - 1 else 0
        return 0 if state.helped else self.lm

    def compute_totals(self, state: AssaultState, roll: Roll) -> tuple[int, int]:
        """Return the totals of an attack: 1d6 + firepower + leader, and 1d6 + armor."""
        attack = roll[0] + self.power[state.unit_index] + self.get_leader_modifier(state)
        return attack, roll[1] + self.armor

    def destroys(self, state: AssaultState, roll: Roll) -> bool:
        """Return whether the current unit destroys the vehicle: its total must be higher."""
        attack, armor = self.compute_totals(state, roll)
        return attack > armor

    def check(self, state: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        """Rule on the morale check of one unit.

        After the last unit's check, all who passed attack; if nobody passed, that is the end.
        """
        passed = state.passed
        if self.passes(state, roll):
            passed = (*passed, state.unit_index)
        next_index = state.unit_index + 1
        next_state = AssaultState(None)
        if next_index < len(self.units):
            next_state = AssaultState("check", next_index, passed)
        elif passed:
            next_state = AssaultState("attack", passed[0], passed[1:])
        return self.rule_on_check(state, roll, next_state)

    def attack(self, state: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        """Rule on the attack of one unit. It is the last if it destroys the vehicle."""
        destroyed = self.destroys(state, roll)
        if destroyed or not state.passed:
            next_state = AssaultState(None, destroyed=destroyed)
        else:
            next_state = AssaultState("attack", state.passed[0], state.passed[1:], helped=True)
        return self.rule_on_attack(state, roll, next_state)

    def rule_on_check(
        self, state: AssaultState, roll: Roll, next_state: AssaultState
    ) -> Ruling[AssaultState]:
        """Return the ruling on a morale check that `next_state` follows.

        A unit that fails, or that finds the vehicle destroyed, gets the outputs of no attack.
        """
        index = state.unit_index
        word = self.units[index].word
        passes = self.passes(state, roll)
        total = sum(roll) + self.mc_mod
        mc = "pass" if passes else "fail"
        outputs = _build_unit_outputs(index, unit=word, mc_total=total, mc=mc)
        if not passes or state.destroyed:
            outputs |= _build_unit_outputs(index, **NO_ATTACK)
        outputs |= self._list_end_outputs(next_state)

        def build_lines() -> Iterable[Line]:
            parts = (("modifier", self.mc_mod),) if self.mc_mod else ()
            reason = compare_with_morale(total, self.morale[index])
            return [Line(f"{word} morale", roll, parts, total, reason)]

        return Ruling(next_state, outputs, build_lines)

    def rule_on_attack(
        self, state: AssaultState, roll: Roll, next_state: AssaultState
    ) -> Ruling[AssaultState]:
        """Return the ruling on an attack that `next_state` follows.

        If it destroys the vehicle, units that have yet to attack get the outputs of no attack.
        """
        index = state.unit_index
        attack, armor = self.compute_totals(state, roll)
        destroyed = attack > armor
        outputs = _build_unit_outputs(
            index, attack_total=attack, vehicle_total=armor, destroyed=destroyed
        )
        if destroyed:
            for waiting_index in state.passed:
                outputs |= _build_unit_outputs(waiting_index, **NO_ATTACK)
        outputs |= self._list_end_outputs(next_state)

        def build_lines() -> Iterable[Line]:
            parts: tuple[tuple[str, int], ...] = (("firepower", self.power[index]),)
            leader = self.get_leader_modifier(state)
            if leader:
                parts = (*parts, ("leader", leader))
            reason = format_margin(attack - armor)
            yield Line(f"{self.units[index].word} attack", roll[:1], parts, attack)
            yield Line("armor", roll[1:], build_bare_part(self.armor), armor, reason)

        return Ruling(next_state, outputs, build_lines)

    def _list_end_outputs(self, next_state: AssaultState) -> dict[str, Any]:
        """Return the outputs of the whole assault if `next_state` is its end, otherwise {}."""
        if next_state.next_step:
            return {}
        destroyed = next_state.destroyed
        return {
            "vehicle_destroyed": destroyed,
            "crew": self.crew_fate if destroyed else NONE,
            "outcome": "destroyed" if destroyed else NONE,
        }


def _build_unit_outputs(index: int, **values: Any) -> dict[str, Any]:
    """Return `values` as outputs of the unit at this index, by path."""
    return {f"units[{index}].{key}": value for key, value in values.items()}


def _compute_power(unit: Unit) -> int:
    """Return the unit's own firepower plus that of its support weapons (HE, or a satchel charge).

    Raises UserError for an MMC without fp; a hero without it has 0.
    """
    default_fp = 0 if unit.type == "hero" else None
    own_fp = unit.number("fp", default_fp)
    return own_fp + sum(unit.numbers.get("sw") or ())


def _get_word(answer: Mapping[str, Any]) -> str:
    """Return the result of one attacker, in words: a failed check, no attack, or its attack."""
    if answer["mc"] == "fail":
        return "fails its morale check"
    if answer["attack_total"] == NONE:
        return "does not attack"
    return "destroys the vehicle" if answer["destroyed"] else "no effect"


# -- only for the speed of odds; the rules end above -------------------------------------------------------------------


def _build_steps_in_turn(fight: Fight) -> dict[str, RuledStep[AssaultState]]:
    """Return steps for odds in which each unit attacks right after its own morale check.

    The odds are the same, because no check depends on another one. The state need not hold who has
    passed, so the cost does not double with every attacker.
    """

    def get_following_state(state: AssaultState) -> AssaultState:
        next_index = state.unit_index + 1
        next_step = "check" if next_index < len(fight.units) else None
        return state._replace(next_step=next_step, unit_index=next_index)

    def check(state: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        if fight.passes(state, roll) and not state.destroyed:
            next_state = state._replace(next_step="attack")
        else:
            next_state = get_following_state(state)
        return fight.rule_on_check(state, roll, next_state)

    def attack(state: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        destroyed = fight.destroys(state, roll)
        next_state = get_following_state(state._replace(helped=True, destroyed=destroyed))
        return fight.rule_on_attack(state, roll, next_state)

    return {
        "check": ruled(fight.get_check_dice, check),
        "attack": ruled(fight.get_attack_dice, attack),
    }
