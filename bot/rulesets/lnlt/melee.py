"""Melee: both sides attack each other in the same hex, and casualties are removed after both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.rules.dice import make_dice
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
    Plan,
    Resolution,
    Roll,
    Ruling,
    UnitResult,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.checks import NONE
from bot.rulesets.lnlt.kinds import read_positions

ATTACK = make_dice(2, 6, "attack")
COUNTER = make_dice(2, 6, "counterattack")
BEST_ODDS = "5-1"
CHARTED = 60  # the table takes no more; beyond it the card's rule, the ratio rounded up, is worked out here
RATIOS = ("1-3", "1-2", "2-3", "1-1", "3-2", "2-1", "3-1", "4-1", BEST_ODDS)
VERDICTS = {
    (False, False): "none",
    (True, False): "defenders",
    (False, True): "attackers",
    (True, True): "both",
}
OVERRUN = {
    "attack_total": NONE,
    "defenders_eliminated": True,
    "counter_total": NONE,
    "attackers_eliminated": False,
    "outcome": "defenders",
}
COUNTED = 4  # from so many units on the first line counts the lost, so that its second half must name the sides
HEADLINES = {
    "none": "nobody is eliminated",
    "defenders": "the defenders are eliminated",
    "attackers": "the attackers are eliminated",
    "both": "both sides are eliminated",
}


class Melee(NamedTuple):
    """Whose attack is owed, and whether the attackers' has killed."""

    owes: str | None
    killed: bool = False


@dataclass(frozen=True, slots=True)
class MeleeAttack:
    """One side's attack: its firepower, the firepower it goes for, the odds after the shift, kill
    number and LM.

    `printed` are the odds before a hero shifts them.
    """

    fp: int
    against: int
    odds: str
    kill: int | None
    lm: int
    printed: str = ""

    def kills(self, roll: Roll) -> bool:
        """Return whether the 2d6 reach the kill number."""
        return self.kill is not None and sum(roll) + self.lm >= self.kill

    def line(self, label: str, roll: Roll) -> Line:
        """The line of the answer."""
        parts = (("leader", self.lm),) if self.lm else ()
        verdict = "without firepower" if self.kill is None else f"kills on {self.kill}+"
        return Line(label, roll, parts, sum(roll) + self.lm, verdict)


def plan(tables: Tables, given: Given) -> Plan[Melee]:
    """Melee between `attackers` and `defenders`. Source: PAC 07 (8.0). Raises UserError for
    vehicles.
    """
    attackers = given.units("attackers")
    defenders = given.units("defenders")
    kinds.refuse_unfit((*attackers, *defenders))
    for unit in (*attackers, *defenders):
        if not kinds.is_man(unit):
            hint = phrase("`/lnlt close-assault` is for vehicles.")
            raise UserError(
                f"{unit.word} ({unit.type}) takes no part in melee.", hint=hint, code="wrong-type"
            )
    chosen = read_positions(given.word("attack_targets"), len(defenders), option="attack_targets")
    countered = read_positions(
        given.word("counter_targets"), len(attackers), option="counter_targets"
    )
    fights_on = given.flag("shaken_fight")
    overrun = all(kinds.is_shaken(unit) for unit in defenders) and not fights_on
    fp = _sum_firepower(attackers)
    facing = _sum_firepower([defenders[at] for at in chosen], shaken=fights_on)
    attack = _build_attack(tables, attackers, fp, facing, none=overrun)
    fp = _sum_firepower(defenders, shaken=fights_on)
    facing = _sum_firepower(attackers[at] for at in countered)
    counter = _build_attack(tables, defenders, fp, facing, none=overrun)

    def attacks(_: Melee, roll: Roll) -> Ruling[Melee]:
        killed = attack.kills(roll)
        told = {"attack_total": sum(roll) + attack.lm, "defenders_eliminated": killed}
        return Ruling(Melee("counter", killed), told, lambda: [attack.line("attack", roll)])

    def strikes_back(now: Melee, roll: Roll) -> Ruling[Melee]:
        killed = counter.kills(roll)
        told = {
            "counter_total": sum(roll) + counter.lm,
            "attackers_eliminated": killed,
            "outcome": VERDICTS[now.killed, killed],
        }
        return Ruling(Melee(None), told, lambda: [counter.line("counterattack", roll)])

    def resolve(out: Mapping[str, Any]) -> Resolution:
        gone = [defenders[at] for at in (range(len(defenders)) if overrun else chosen)]
        lost = gone if out["defenders_eliminated"] else []
        lost = lost + ([attackers[at] for at in countered] if out["attackers_eliminated"] else [])
        changes = tuple(
            Change(unit.name, set={"state": "eliminated"}) for unit in lost if unit.name
        )
        return Resolution(
            HEADLINES[out["outcome"]],
            tuple((unit.word, "eliminated") for unit in lost),
            (),
            changes,
            tuple(UnitResult(unit.word, "eliminated") for unit in lost),
            by=_describe_cause(str(out["outcome"]), attackers, defenders),
            notes=() if overrun else _describe_odds(attack, counter),
        )

    opening: dict[str, Any] = {}  # what is known of both attacks before the dice
    for name, against, one in (
        ("attack", "defense_fp", attack),
        ("counter", "counter_against", counter),
    ):
        opening |= {f"{name}_fp": one.fp, against: one.against, f"{name}_odds": one.odds}
        opening[f"{name}_kill"] = NONE if one.kill is None else one.kill
    opening |= OVERRUN if overrun else {}
    steps = {"attack": ruled(ATTACK, attacks), "counter": ruled(COUNTER, strikes_back)}
    lines = (Line("defenders", result="all of them shaken, no roll"),) if overrun else ()
    return Plan(Melee(None if overrun else "attack"), steps, resolve, opening, lines=lines)


def _sum_firepower(units: Iterable[Unit], *, shaken: bool = False) -> int:
    """Their own firepower, +1 with the M superscript, and all their support weapons.

    Shaken units add nothing, unless their nation lets them fight on (`shaken`).
    """
    return sum(
        unit.number("fp", 0 if unit.type in kinds.SMC else None)
        + ("m" in unit.flags)
        + sum(unit.numbers.get("sw") or ())
        for unit in units
        if shaken or not kinds.is_shaken(unit)
    )


def _build_attack(
    tables: Tables, side: Sequence[Unit], fp: int, facing: int, *, none: bool
) -> MeleeAttack:
    """The attack of a side with this firepower against that of its targets; `none` where it
    comes to no fight.
    """
    lm = max(map(kinds.get_leadership, side), default=0)
    if none or not fp:
        return MeleeAttack(fp, facing, NONE, None, lm)
    odds = _get_printed_odds(tables, fp, facing)
    kill = tables["melee-kill"](odds=odds, hero=any(unit.type == "hero" for unit in side))
    return MeleeAttack(fp, facing, str(kill["odds_used"]), int(kill["kill"]), lm, odds)


def _get_printed_odds(tables: Tables, fp: int, facing: int) -> str:
    """The printed odds of one firepower against another, best against none. Source: PAC 07."""
    if not facing:
        return BEST_ODDS
    if max(fp, facing) <= CHARTED:
        return str(tables["melee-odds"](attack=fp, defense=facing)["odds"])
    for odds in RATIOS:
        attack, defense = map(int, odds.split("-"))
        if fp * defense <= facing * attack:
            return odds
    return BEST_ODDS


def _describe_cause(outcome: str, attackers: Sequence[Unit], defenders: Sequence[Unit]) -> str:
    """Who came out of it, or who fought whom."""
    ours, theirs = map(_format_side, (attackers, defenders))
    if outcome == "both":
        few = len(attackers) + len(defenders) < COUNTED
        return "both attacks kill" if few else f"{ours} against {theirs}"
    if outcome == "none":
        return f"{ours} {'fights' if len(attackers) == 1 else 'fight'} {theirs}"
    return f"no loss to {ours if outcome == 'defenders' else theirs}"


def _format_side(side: Sequence[Unit]) -> str:
    """The units of a side; one that was typed without a name is `the squad`."""
    words = [unit.word for unit in side]
    return join_names(
        unit.word if unit.name or words.count(unit.word) > 1 else f"the {unit.word}"
        for unit in side
    )


def _describe_odds(attack: MeleeAttack, counter: MeleeAttack) -> tuple[str, ...]:
    """The odds of both attacks, from whose firepower and with which shift."""
    said = [
        f"{assault.fp} against {assault.against} firepower is {assault.printed}"
        + (f", with a hero {assault.odds}" if assault.printed != assault.odds else "")
        for assault in (attack, counter)
        if assault.kill is not None
    ]
    return (f"{'; '.join(said)}.",) if said else ()
