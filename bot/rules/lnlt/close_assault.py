"""MMCs and heroes assault a vehicle at close quarters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.chart import Charts
from bot.rules.dice import Die, d6, dice
from bot.rules.errors import UserError
from bot.rules.given import Given
from bot.rules.lnlt import kinds
from bot.rules.lnlt.checks import NONE
from bot.rules.odds import group_sums
from bot.rules.sequence import Change, Line, Plan, Roll, Settlement, Step, Told
from bot.rules.units import Unit


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


def plan(charts: Charts, given: Given) -> Plan[Assault]:
    """A close assault on a vehicle. Source: PAC 01, 09 (17.1).

    Raises UserError for passengers outside, and for attackers who are neither MMCs nor heroes.
    """
    units, av = given.units("attackers"), given.int("av")
    _check(units, outside=given.flag("outside_passengers"))
    morale = [unit.number("morale") for unit in units]
    power = [_power(unit) for unit in units]
    mc_mod, lm, helps = given.int("mc_mod"), given.int("lm"), given.maybe("lm_unit")
    if helps is not None and helps > len(units):
        raise UserError(f"lm_unit is {helps}, but only {len(units)} attack.", option="lm_unit")
    fate = str(charts["crew-fate"](cause="close-assault", vehicle="destroyed", who="crew")["result"])

    def leads(state: Assault) -> int:
        """The leader's modifier in the attack in hand."""
        if helps is not None:
            return lm if state.at == helps - 1 else 0
        return 0 if state.helped else lm

    def passes(at: int, roll: Roll) -> bool:
        return sum(roll) + mc_mod <= morale[at]

    def check(state: Assault, roll: Roll) -> Assault:
        passed = (*state.passed, state.at) if passes(state.at, roll) else state.passed
        if state.at + 1 < len(units):
            return Assault("check", state.at + 1, passed)
        return Assault("attack", passed[0], passed[1:]) if passed else Assault(None)

    def check_tells(before: Assault, roll: Roll, after: Assault) -> Told:
        at, ok = before.at, passes(before.at, roll)
        told: dict[str, Any] = {
            f"units[{at}].unit": units[at].word,
            f"units[{at}].mc_total": sum(roll) + mc_mod,
            f"units[{at}].mc": "pass" if ok else "fail",
        }
        if not ok or before.destroyed:
            told |= _stays(at)
        return told if after.owes else told | _ended(destroyed=after.destroyed)

    def check_story(before: Assault, roll: Roll, _after: Assault) -> Iterable[Line]:
        parts = (("modifier", mc_mod),) if mc_mod else ()
        verdict = f"against morale {morale[before.at]}: {'pass' if passes(before.at, roll) else 'fail'}"
        yield Line(f"{units[before.at].word} morale check", roll, parts, sum(roll) + mc_mod, verdict)

    def destroys(state: Assault, roll: Roll) -> bool:
        return roll[0] + power[state.at] + leads(state) > roll[1] + av

    def attack(state: Assault, roll: Roll) -> Assault:
        if destroys(state, roll) or not state.passed:
            return Assault(None, destroyed=destroys(state, roll))
        return Assault("attack", state.passed[0], state.passed[1:], helped=True)

    def attack_tells(before: Assault, roll: Roll, after: Assault) -> Told:
        at, destroyed = before.at, destroys(before, roll)
        told: dict[str, Any] = {
            f"units[{at}].attack_total": roll[0] + power[at] + leads(before),
            f"units[{at}].vehicle_total": roll[1] + av,
            f"units[{at}].destroyed": destroyed,
        }
        if destroyed:
            for other in before.passed:
                told |= _stays(other)
        return told if after.owes else told | _ended(destroyed=after.destroyed)

    def _ended(*, destroyed: bool) -> dict[str, Any]:
        return {
            "vehicle_destroyed": destroyed,
            "crew": fate if destroyed else NONE,
            "outcome": "destroyed" if destroyed else NONE,
        }

    def attack_story(before: Assault, roll: Roll, _after: Assault) -> Iterable[Line]:
        at, help_ = before.at, leads(before)
        parts = (("firepower", power[at]), *([("leader", help_)] if help_ else []))
        yield Line(f"{units[at].word} attack", roll[:1], parts, roll[0] + power[at] + help_)
        verdict = "higher: destroyed" if destroys(before, roll) else "not higher: no effect"
        yield Line("vehicle", roll[1:], (("armor", av),), roll[1] + av, verdict)

    def ask_check(state: Assault) -> tuple[Die, ...]:
        return dice(2, 6, f"morale check {units[state.at].word}")

    def ask_attack(state: Assault) -> tuple[Die, ...]:
        return d6(f"attack {units[state.at].word}"), d6("vehicle")

    def settle(out: Mapping[str, Any]) -> Settlement:
        target = given.unit("target")
        words = tuple((answer["unit"], _word(answer)) for answer in out["units"])
        if not out["vehicle_destroyed"]:
            return Settlement("the vehicle holds", words)
        changes = (Change(target.name, set={"state": "destroyed"}),) if target is not None else ()
        then = ("The crew and the passengers inside are eliminated.",)
        return Settlement("the vehicle is destroyed", words, then, changes)

    def next_check(state: Assault, *, helped: bool, destroyed: bool) -> Assault:
        owes = "check" if state.at + 1 < len(units) else None
        return Assault(owes, state.at + 1, (), helped, destroyed)

    def check_then_attack(state: Assault, roll: Roll) -> Assault:
        if passes(state.at, roll) and not state.destroyed:
            return Assault("attack", state.at, (), state.helped)
        return next_check(state, helped=state.helped, destroyed=state.destroyed)

    def attack_then_check(state: Assault, roll: Roll) -> Assault:
        return next_check(state, helped=True, destroyed=destroys(state, roll))

    groups = group_sums(2, 6)
    steps: dict[str, Step[Assault]] = {
        "check": Step(ask_check, check, check_tells, check_story, groups=lambda _: groups),
        "attack": Step(ask_attack, attack, attack_tells, attack_story),
    }
    # The checks do not hang on the attacks, so odds may take each attack right after its check: who has passed then
    # need not be remembered, and the cost does not double with every attacker.
    in_turn: dict[str, Step[Assault]] = {
        "check": Step(ask_check, check_then_attack, check_tells, groups=lambda _: groups),
        "attack": Step(ask_attack, attack_then_check, attack_tells),
    }
    odds = Plan(Assault("check"), in_turn, settle, {"units": []})
    return Plan(Assault("check"), steps, settle, {"units": []}, focus=lambda _: odds)


def _check(units: Sequence[Unit], *, outside: bool) -> None:
    if outside:
        raise UserError("Passengers outside prevent a close assault.", hint="Attack them first.")
    kinds.refuse_unfit(units)
    for unit in units:
        if unit.type not in kinds.MMC and unit.type != "hero":
            raise UserError(f"{unit.word} ({unit.type}) cannot close assault; only MMCs and heroes do.")


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
