"""MMCs and heroes assault a vehicle at close quarters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import Die, d6, dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds import group_sums
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, Step
from bot.rules.tables.table import Tables
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.reasons import against, bare, beside_morale
from bot.systems.lnlt.settling import captured, captured_lost

TWO_DICE = group_sums(2, 6)


@dataclass(frozen=True, slots=True)
class Assault:
    """Which attacker is in hand, who has passed and still attacks, whether the leader's help is spent.

    `destroyed` says that the vehicle is gone.
    """

    owes: str | None
    at: int = 0
    passed: tuple[int, ...] = ()
    helped: bool = False
    destroyed: bool = False


def plan(tables: Tables, given: Given) -> Plan[Assault]:
    """A close assault on a vehicle. Source: PAC 01, 09 (17.1).

    Raises UserError for passengers outside, and for attackers who are neither MMCs nor heroes.
    """
    units = given.units("attackers")
    _check(units, outside=given.flag("outside_passengers"))
    helps = given.maybe("lm_unit")
    if helps is not None and helps > len(units):
        raise UserError(f"lm_unit is {helps}, but only {len(units)} attack.", option="lm_unit", code="bad-value")
    fight = Fight(
        units=units,
        morale=tuple(unit.number("morale") for unit in units),
        power=tuple(_power(unit) for unit in units),
        armor=given.int("av"),
        mc_mod=given.int("mc_mod"),
        lm=given.int("lm"),
        helps=helps,
        fate=str(tables["crew-fate"](cause="close-assault", vehicle="destroyed", who="crew")["result"]),
    )
    target = given.unit("target")

    def settle(out: Mapping[str, Any]) -> Settlement:
        words = tuple((answer["unit"], _word(answer)) for answer in out["units"])
        attacked = [unit for unit, answer in zip(units, out["units"], strict=True) if answer["attack_total"] != NONE]
        vehicle = "the vehicle" if target is None else target.word
        if not out["vehicle_destroyed"]:
            lost, kept = captured_lost(attacked), captured(attacked, works=False)
            return Settlement("the vehicle holds", words, lost, kept, (Fate(vehicle, NONE),))
        winners = [unit for unit, answer in zip(units, out["units"], strict=True) if answer["destroyed"]]
        changes = captured(winners, works=True)
        changes += (Change(target.name, set={"state": "destroyed"}),) if target is not None else ()
        fates = (Fate(vehicle, "destroyed", "crew killed"),)
        notes = ("The passengers inside are lost with it.",)
        return Settlement("the vehicle is destroyed", words, changes=changes, fates=fates, notes=notes)

    odds = Plan(Assault("check"), fight.steps_in_turn(), settle, {"units": []})
    return Plan(Assault("check"), fight.steps(), settle, {"units": []}, focus=lambda _: odds)


@dataclass(frozen=True, slots=True)
class Fight:
    """Who assaults what: everything that the dice do not change.

    `helps` is the position from 1 of the attacker who has the leader's modifier; None: the first one who attacks.
    """

    units: Sequence[Unit]
    morale: tuple[int, ...]
    power: tuple[int, ...]
    armor: int
    mc_mod: int
    lm: int
    helps: int | None
    fate: str

    def steps(self) -> dict[str, Step[Assault]]:
        """As it is played: all check, then those who passed attack one by one."""
        return {
            "check": Step(
                self._ask_check, self._check, self._check_tells, self._check_story, groups=lambda _: TWO_DICE
            ),
            "attack": Step(self._ask_attack, self._attack, self._attack_tells, self._attack_story),
        }

    def steps_in_turn(self) -> dict[str, Step[Assault]]:
        """For odds: each attacks right after its own check, on which no other's check hangs.

        Who has passed then need not be remembered, and the cost does not double with every attacker.
        """
        return {
            "check": Step(self._ask_check, self._check_then_attack, self._check_tells, groups=lambda _: TWO_DICE),
            "attack": Step(self._ask_attack, self._attack_then_check, self._attack_tells),
        }

    def _leads(self, state: Assault) -> int:
        """The leader's modifier in the attack in hand."""
        if self.helps is not None:
            return self.lm if state.at == self.helps - 1 else 0
        return 0 if state.helped else self.lm

    def _passes(self, at: int, roll: Roll) -> bool:
        return sum(roll) + self.mc_mod <= self.morale[at]

    def _destroys(self, state: Assault, roll: Roll) -> bool:
        return roll[0] + self.power[state.at] + self._leads(state) > roll[1] + self.armor

    def _ask_check(self, state: Assault) -> tuple[Die, ...]:
        return dice(2, 6, f"morale check {self.units[state.at].word}")

    def _ask_attack(self, state: Assault) -> tuple[Die, ...]:
        return d6(f"attack {self.units[state.at].word}"), d6("vehicle")

    def _check(self, state: Assault, roll: Roll) -> Assault:
        passed = (*state.passed, state.at) if self._passes(state.at, roll) else state.passed
        if state.at + 1 < len(self.units):
            return Assault("check", state.at + 1, passed)
        return Assault("attack", passed[0], passed[1:]) if passed else Assault(None)

    def _attack(self, state: Assault, roll: Roll) -> Assault:
        if self._destroys(state, roll) or not state.passed:
            return Assault(None, destroyed=self._destroys(state, roll))
        return Assault("attack", state.passed[0], state.passed[1:], helped=True)

    def _check_then_attack(self, state: Assault, roll: Roll) -> Assault:
        if self._passes(state.at, roll) and not state.destroyed:
            return Assault("attack", state.at, (), state.helped)
        return self._next_check(state, helped=state.helped, destroyed=state.destroyed)

    def _attack_then_check(self, state: Assault, roll: Roll) -> Assault:
        return self._next_check(state, helped=True, destroyed=self._destroys(state, roll))

    def _next_check(self, state: Assault, *, helped: bool, destroyed: bool) -> Assault:
        owes = "check" if state.at + 1 < len(self.units) else None
        return Assault(owes, state.at + 1, (), helped, destroyed)

    def _check_tells(self, before: Assault, roll: Roll, after: Assault) -> Outputs:
        at, ok = before.at, self._passes(before.at, roll)
        told: dict[str, Any] = {
            f"units[{at}].unit": self.units[at].word,
            f"units[{at}].mc_total": sum(roll) + self.mc_mod,
            f"units[{at}].mc": "pass" if ok else "fail",
        }
        if not ok or before.destroyed:
            told |= _stays(at)
        return told if after.owes else told | self._ended(destroyed=after.destroyed)

    def _attack_tells(self, before: Assault, roll: Roll, after: Assault) -> Outputs:
        at, destroyed = before.at, self._destroys(before, roll)
        told: dict[str, Any] = {
            f"units[{at}].attack_total": roll[0] + self.power[at] + self._leads(before),
            f"units[{at}].vehicle_total": roll[1] + self.armor,
            f"units[{at}].destroyed": destroyed,
        }
        if destroyed:
            for other in before.passed:
                told |= _stays(other)
        return told if after.owes else told | self._ended(destroyed=after.destroyed)

    def _ended(self, *, destroyed: bool) -> dict[str, Any]:
        return {
            "vehicle_destroyed": destroyed,
            "crew": self.fate if destroyed else NONE,
            "outcome": "destroyed" if destroyed else NONE,
        }

    def _check_story(self, before: Assault, roll: Roll, _after: Assault) -> Iterable[Line]:
        at = before.at
        parts = (("modifier", self.mc_mod),) if self.mc_mod else ()
        total = sum(roll) + self.mc_mod
        yield Line(f"{self.units[at].word} morale", roll, parts, total, beside_morale(total, self.morale[at]))

    def _attack_story(self, before: Assault, roll: Roll, _after: Assault) -> Iterable[Line]:
        at, help_ = before.at, self._leads(before)
        parts = (("firepower", self.power[at]), *([("leader", help_)] if help_ else []))
        yield Line(f"{self.units[at].word} attack", roll[:1], parts, roll[0] + self.power[at] + help_)
        armor = roll[1] + self.armor
        why = against(roll[0] + self.power[at] + help_ - armor)
        yield Line("armor", roll[1:], bare(self.armor), armor, why)


def _check(units: Sequence[Unit], *, outside: bool) -> None:
    if outside:
        raise UserError("Passengers outside prevent a close assault.", hint="Attack them first.", code="passenger")
    kinds.refuse_unfit(units)
    for unit in units:
        if unit.type not in kinds.MMC and unit.type != "hero":
            raise UserError(
                f"{unit.word} ({unit.type}) cannot close assault; only MMCs and heroes do.", code="wrong-type"
            )


def _power(unit: Unit) -> int:
    """Its own firepower and that of its support weapons (HE, or a satchel charge)."""
    return unit.number("fp", 0 if unit.type == "hero" else None) + sum(unit.get("sw") or ())


def _stays(at: int) -> dict[str, Any]:
    return {f"units[{at}].attack_total": NONE, f"units[{at}].vehicle_total": NONE, f"units[{at}].destroyed": False}


def _word(answer: Mapping[str, Any]) -> str:
    if answer["mc"] == "fail":
        return "fails its morale check"
    if answer["attack_total"] == NONE:
        return "does not attack"
    return "destroys the vehicle" if answer["destroyed"] else "no effect"
