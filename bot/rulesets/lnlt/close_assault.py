"""MMCs and heroes assault a vehicle at close quarters."""

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
STAYS = {"attack_total": NONE, "vehicle_total": NONE, "destroyed": False}


class AssaultState(NamedTuple):
    """Which attacker is in hand, who has passed and still attacks, whether the leader's help is
    spent.

    `destroyed` says that the vehicle is gone.
    """

    owes: str | None
    at: int = 0
    passed: tuple[int, ...] = ()
    helped: bool = False
    destroyed: bool = False


def plan(tables: Tables, given: Given) -> Plan[AssaultState]:
    """A close assault on a vehicle. Source: PAC 01, 09 (17.1).

    Raises UserError for passengers outside, and for attackers who are neither MMCs nor heroes.
    """
    units = given.units("attackers")
    if given.flag("outside_passengers"):
        raise UserError(
            "Passengers outside prevent a close assault.",
            hint="Attack them first.",
            code="passenger",
        )
    kinds.refuse_unfit(units)
    for unit in units:
        if unit.type not in kinds.MMC and unit.type != "hero":
            what = f"{unit.word} ({unit.type}) cannot close assault; only MMCs and heroes do."
            raise UserError(what, code="wrong-type")
    helps = given.get_optional("lm_unit")
    if helps is not None and helps > len(units):
        raise UserError(
            f"lm_unit is {helps}, but only {len(units)} attack.", option="lm_unit", code="bad-value"
        )
    fight = Fight(
        units=units,
        morale=tuple(unit.number("morale") for unit in units),
        power=tuple(_compute_power(unit) for unit in units),
        armor=given.int("av"),
        mc_mod=given.int("mc_mod"),
        lm=given.int("lm"),
        helps=helps,
        fate=str(
            tables["crew-fate"](cause="close-assault", vehicle="destroyed", who="crew")["result"]
        ),
    )
    settle = partial(_resolve, units, given.unit("target"))
    start = AssaultState("check")
    in_turn = IndependentParts(
        [IndependentPart(OUTPUTS, lambda: Plan(start, _build_steps_in_turn(fight), settle))]
    )
    return Plan(start, fight.steps(), settle, {"units": []}, apart=lambda _: in_turn)


def _resolve(units: Sequence[Unit], target: Unit | None, out: Mapping[str, Any]) -> Resolution:
    """What became of the vehicle, and of captured weapons."""
    words = tuple((answer["unit"], _get_word(answer)) for answer in out["units"])
    vehicle = "the vehicle" if target is None else target.word
    answers = list(zip(units, out["units"], strict=True))
    if not out["vehicle_destroyed"]:
        attacked = [unit for unit, answer in answers if answer["attack_total"] != NONE]
        kept, lost = resolve_captured_weapons(attacked, works=False)
        return Resolution("the vehicle holds", words, lost, kept, (UnitResult(vehicle, NONE),))
    changes, _ = resolve_captured_weapons(
        [unit for unit, answer in answers if answer["destroyed"]], works=True
    )
    if target is not None:  # and those who ride in it by the roster
        changes += (Change(target.name, set={"state": "destroyed"}),)
        changes += (Change(target.name, set={"state": "eliminated"}, of="in"),)
    fates = (UnitResult(vehicle, "destroyed", "crew killed"),)
    notes = ("The passengers inside are lost with it.",)
    return Resolution("the vehicle is destroyed", words, changes=changes, fates=fates, notes=notes)


@dataclass(frozen=True, slots=True)
class Fight:
    """Who assaults what: everything that the dice do not change.

    `helps` is the position from 1 of the attacker who has the leader's modifier; None: the first
    one who attacks.
    """

    units: Sequence[Unit]
    morale: tuple[int, ...]
    power: tuple[int, ...]
    armor: int
    mc_mod: int
    lm: int
    helps: int | None
    fate: str

    def steps(self) -> dict[str, RuledStep[AssaultState]]:
        """All check, then those who passed attack one by one."""
        return {
            "check": ruled(self.dice_to_check, self.check),
            "attack": ruled(self.dice_to_attack, self.attack),
        }

    def dice_to_check(self, now: AssaultState) -> tuple[Die, ...]:
        """The dice of a morale check."""
        return make_dice(2, 6, f"morale check {self.units[now.at].word}")

    def dice_to_attack(self, now: AssaultState) -> tuple[Die, ...]:
        """The dice of an attack."""
        return d6(f"attack {self.units[now.at].word}"), d6("vehicle")

    def passes(self, now: AssaultState, roll: Roll) -> bool:
        """2d6 + modifier at or under morale."""
        return sum(roll) + self.mc_mod <= self.morale[now.at]

    def get_leader_modifier(self, now: AssaultState) -> int:
        """The leader's modifier in the attack in hand."""
        if self.helps is not None:
            return self.lm if now.at == self.helps - 1 else 0
        return 0 if now.helped else self.lm

    def destroys(self, now: AssaultState, roll: Roll) -> bool:
        """1d6 + firepower + leader higher than 1d6 + armor."""
        return roll[0] + self.power[now.at] + self.get_leader_modifier(now) > roll[1] + self.armor

    def check(self, now: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        """The morale check of one unit; the last one is followed by the attacks of all who
        passed.
        """
        passed = (*now.passed, now.at) if self.passes(now, roll) else now.passed
        if now.at + 1 < len(self.units):
            return self.rule_on_check(now, roll, AssaultState("check", now.at + 1, passed))
        return self.rule_on_check(
            now,
            roll,
            AssaultState("attack", passed[0], passed[1:]) if passed else AssaultState(None),
        )

    def attack(self, now: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        """The attack of one unit, the last if it destroys the vehicle."""
        destroyed = self.destroys(now, roll)
        if destroyed or not now.passed:
            return self.rule_on_attack(now, roll, AssaultState(None, destroyed=destroyed))
        return self.rule_on_attack(
            now, roll, AssaultState("attack", now.passed[0], now.passed[1:], helped=True)
        )

    def rule_on_check(
        self, now: AssaultState, roll: Roll, after: AssaultState
    ) -> Ruling[AssaultState]:
        """The ruling on a morale check that is followed by `after`."""
        at = now.at
        word = self.units[now.at].word
        ok = self.passes(now, roll)
        total = sum(roll) + self.mc_mod
        told = _build_unit_outputs(at, unit=word, mc_total=total, mc="pass" if ok else "fail")
        told |= {} if ok and not now.destroyed else _build_unit_outputs(at, **STAYS)
        parts = (("modifier", self.mc_mod),) if self.mc_mod else ()
        why = compare_with_morale(total, self.morale[at])
        return Ruling(
            after,
            told | self._list_end_outputs(after),
            lambda: [Line(f"{word} morale", roll, parts, total, why)],
        )

    def rule_on_attack(
        self, now: AssaultState, roll: Roll, after: AssaultState
    ) -> Ruling[AssaultState]:
        """The ruling on an attack that is followed by `after`."""
        at = now.at
        power = self.power[now.at]
        leader = self.get_leader_modifier(now)
        destroyed = self.destroys(now, roll)
        attack = roll[0] + power + leader
        armor = roll[1] + self.armor
        told = _build_unit_outputs(
            at, attack_total=attack, vehicle_total=armor, destroyed=destroyed
        )
        for other in now.passed if destroyed else ():
            told |= _build_unit_outputs(other, **STAYS)

        def story() -> Iterable[Line]:
            parts = (("firepower", power), *((("leader", leader),) if leader else ()))
            yield Line(f"{self.units[at].word} attack", roll[:1], parts, attack)
            yield Line(
                "armor", roll[1:], build_bare_part(self.armor), armor, format_margin(attack - armor)
            )

        return Ruling(after, told | self._list_end_outputs(after), story)

    def _list_end_outputs(self, after: AssaultState) -> dict[str, Any]:
        """What is known once nobody attacks any more."""
        if after.owes:
            return {}
        crew, outcome = (self.fate, "destroyed") if after.destroyed else (NONE, NONE)
        return {"vehicle_destroyed": after.destroyed, "crew": crew, "outcome": outcome}


def _build_unit_outputs(at: int, **told: Any) -> dict[str, Any]:
    """The outputs of the unit at this place."""
    return {f"units[{at}].{key}": value for key, value in told.items()}


def _compute_power(unit: Unit) -> int:
    """Its own firepower and that of its support weapons (HE, or a satchel charge)."""
    return unit.number("fp", 0 if unit.type == "hero" else None) + sum(unit.numbers.get("sw") or ())


def _get_word(answer: Mapping[str, Any]) -> str:
    if answer["mc"] == "fail":
        return "fails its morale check"
    if answer["attack_total"] == NONE:
        return "does not attack"
    return "destroys the vehicle" if answer["destroyed"] else "no effect"


# -- what follows is speed; the rules end here -------------------------------------------------------------------------


def _build_steps_in_turn(fight: Fight) -> dict[str, RuledStep[AssaultState]]:
    """For odds: each attacks right after its own check, on which no other's check hangs.

    Who has passed then need not be remembered, and the cost does not double with every attacker.
    """

    def get_following_state(now: AssaultState) -> AssaultState:
        return now._replace(owes="check" if now.at + 1 < len(fight.units) else None, at=now.at + 1)

    def check(now: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        attacks = fight.passes(now, roll) and not now.destroyed
        return fight.rule_on_check(
            now, roll, now._replace(owes="attack") if attacks else get_following_state(now)
        )

    def attack(now: AssaultState, roll: Roll) -> Ruling[AssaultState]:
        destroyed = fight.destroys(now, roll)
        return fight.rule_on_attack(
            now, roll, get_following_state(now._replace(helped=True, destroyed=destroyed))
        )

    return {
        "check": ruled(fight.dice_to_check, check),
        "attack": ruled(fight.dice_to_attack, attack),
    }
