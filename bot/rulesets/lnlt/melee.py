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
CHARTED = 60  # the highest firepower in the table; above it the card's rule (ratio rounded up) is computed
RATIOS = ("1-3", "1-2", "2-3", "1-1", "3-2", "2-1", "3-1", "4-1", BEST_ODDS)
VERDICTS = {
    (False, False): "none",
    (True, False): "defenders",
    (False, True): "attackers",
    (True, True): "both",
}
"""The outcome, by (the defenders are eliminated, the attackers are eliminated)."""
OVERRUN = {
    "attack_total": NONE,
    "defenders_eliminated": True,
    "counter_total": NONE,
    "attackers_eliminated": False,
    "outcome": "defenders",
}
"""Outputs if all defenders are shaken and are eliminated without a roll."""
COUNTED = 4  # from so many units on the first line counts the lost, so that its second half must name the sides
HEADLINES = {
    "none": "nobody is eliminated",
    "defenders": "the defenders are eliminated",
    "attackers": "the attackers are eliminated",
    "both": "both sides are eliminated",
}


class Melee(NamedTuple):
    """A melee, part-way through: the step that is next, and if the attackers' roll has killed."""

    next_step: str | None
    killed: bool = False


@dataclass(frozen=True, slots=True)
class MeleeAttack:
    """One side's attack.

    - `fp`, `target_fp`: its firepower, and that of the units that it attacks.
    - `printed_odds`, `odds`: the odds before and after the shift for a hero.
    - `kill`: the lowest total that kills; None if the side does not roll.
    - `lm`: the leader's modifier of the roll.
    """

    fp: int
    target_fp: int
    odds: str
    kill: int | None
    lm: int
    printed_odds: str = ""

    def kills(self, roll: Roll) -> bool:
        """Return whether the roll + LM reaches the kill number."""
        return self.kill is not None and sum(roll) + self.lm >= self.kill

    def line(self, label: str, roll: Roll) -> Line:
        """Return the line of the roll in the answer."""
        parts = (("leader", self.lm),) if self.lm else ()
        reason = "without firepower" if self.kill is None else f"kills on {self.kill}+"
        return Line(label, roll, parts, sum(roll) + self.lm, reason)


@dataclass(frozen=True, slots=True)
class MeleeFight:
    """Both attacks of a melee. `attack_targets` and `counter_targets` are the units that they kill.

    With `no_roll` all defenders are shaken and are eliminated without a roll.
    """

    attackers: Sequence[Unit]
    defenders: Sequence[Unit]
    attack_targets: Sequence[Unit]
    counter_targets: Sequence[Unit]
    attack: MeleeAttack
    counter: MeleeAttack
    no_roll: bool

    def rule_on_attack(self, _: Melee, roll: Roll) -> Ruling[Melee]:
        """Rule on the attackers' roll; the defenders strike back in any case."""
        killed = self.attack.kills(roll)
        outputs = {"attack_total": sum(roll) + self.attack.lm, "defenders_eliminated": killed}
        next_state = Melee("counter", killed)
        return Ruling(next_state, outputs, lambda: [self.attack.line("attack", roll)])

    def rule_on_counter(self, state: Melee, roll: Roll) -> Ruling[Melee]:
        """Rule on the defenders' roll, which decides the outcome."""
        killed = self.counter.kills(roll)
        outputs = {
            "counter_total": sum(roll) + self.counter.lm,
            "attackers_eliminated": killed,
            "outcome": VERDICTS[state.killed, killed],
        }
        return Ruling(Melee(None), outputs, lambda: [self.counter.line("counterattack", roll)])

    def build_opening(self) -> dict[str, Any]:
        """Return the outputs that are known before the dice: firepower, odds and kill numbers."""
        attack = self.attack
        counter = self.counter
        opening: dict[str, Any] = {
            "attack_fp": attack.fp,
            "defense_fp": attack.target_fp,
            "attack_odds": attack.odds,
            "attack_kill": NONE if attack.kill is None else attack.kill,
            "counter_fp": counter.fp,
            "counter_against": counter.target_fp,
            "counter_odds": counter.odds,
            "counter_kill": NONE if counter.kill is None else counter.kill,
        }
        if self.no_roll:
            opening |= OVERRUN
        return opening

    def resolve(self, out: Mapping[str, Any]) -> Resolution:
        """Return the result: the units of both sides that are eliminated."""
        lost_units: list[Unit] = []
        if out["defenders_eliminated"]:
            lost_units += self.defenders if self.no_roll else self.attack_targets
        if out["attackers_eliminated"]:
            lost_units += self.counter_targets
        outcome = str(out["outcome"])
        return Resolution(
            HEADLINES[outcome],
            tuple([(unit.word, "eliminated") for unit in lost_units]),
            changes=tuple(
                [Change(unit.name, set={"state": "eliminated"}) for unit in lost_units if unit.name]
            ),
            unit_results=tuple([UnitResult(unit.word, "eliminated") for unit in lost_units]),
            cause=_describe_cause(outcome, self.attackers, self.defenders),
            notes=() if self.no_roll else _describe_odds(self.attack, self.counter),
        )


def plan(tables: Tables, inputs: Given) -> Plan[Melee]:
    """Plan a melee between `attackers` and `defenders`. Source: PAC 07 (8.0).

    Raises UserError for vehicles, and for targets that are no positions in the list.
    """
    attackers = inputs.units("attackers")
    defenders = inputs.units("defenders")
    _check_units((*attackers, *defenders))
    attack_targets = _select_targets(inputs, "attack_targets", defenders)
    counter_targets = _select_targets(inputs, "counter_targets", attackers)
    shaken_fight = inputs.flag("shaken_fight")
    all_are_shaken = all(kinds.is_shaken(unit) for unit in defenders)
    no_roll = all_are_shaken and not shaken_fight
    attack_fp = _sum_firepower(attackers)
    defense_fp = _sum_firepower(attack_targets, with_shaken=shaken_fight)
    attack = _build_attack(tables, attackers, attack_fp, defense_fp, no_roll=no_roll)
    counter_fp = _sum_firepower(defenders, with_shaken=shaken_fight)
    counter_defense_fp = _sum_firepower(counter_targets)
    counter = _build_attack(tables, defenders, counter_fp, counter_defense_fp, no_roll=no_roll)
    fight = MeleeFight(
        attackers=attackers,
        defenders=defenders,
        attack_targets=attack_targets,
        counter_targets=counter_targets,
        attack=attack,
        counter=counter,
        no_roll=no_roll,
    )
    steps = {
        "attack": ruled(ATTACK, fight.rule_on_attack),
        "counter": ruled(COUNTER, fight.rule_on_counter),
    }
    start = Melee("attack")
    lines: tuple[Line, ...] = ()
    if no_roll:
        start = Melee(None)
        lines = (Line("defenders", result="all of them shaken, no roll"),)
    return Plan(start, steps, fight.resolve, fight.build_opening(), lines=lines)


def _check_units(units: Sequence[Unit]) -> None:
    """Raise UserError for a unit that is out of play, listed twice, or no man."""
    kinds.refuse_unfit(units)
    for unit in units:
        if not kinds.is_man(unit):
            problem = f"{unit.word} ({unit.type}) cannot take part in melee."
            hint = phrase("`/lnlt close-assault` is for vehicles.")
            raise UserError(problem, hint=hint, code="wrong-type")


def _select_targets(inputs: Given, option: str, units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Return the units at the positions typed in `option`, or all units if it is empty."""
    indices = read_positions(inputs.word(option), len(units), option=option)
    return tuple([units[index] for index in indices])


def _sum_firepower(units: Iterable[Unit], *, with_shaken: bool = False) -> int:
    """Return the firepower of all units, +1 for each M superscript, and all support weapons.

    Shaken units add nothing, unless their nation lets them fight on (`with_shaken`). Raises
    UserError for an MMC without fp.
    """
    total = 0
    for unit in units:
        if with_shaken or not kinds.is_shaken(unit):
            default_fp = 0 if unit.type in kinds.SMC else None
            total += unit.number("fp", default_fp)
            total += "m" in unit.flags
            total += sum(unit.numbers.get("sw") or ())
    return total


def _build_attack(
    tables: Tables, side: Sequence[Unit], fp: int, target_fp: int, *, no_roll: bool
) -> MeleeAttack:
    """Return the attack of `side` with firepower `fp` on units with `target_fp`.

    It cannot kill if `no_roll` is set or `fp` is 0. A hero shifts the odds.
    """
    lm = max(map(kinds.get_leadership, side), default=0)
    if no_roll or not fp:
        return MeleeAttack(fp, target_fp, NONE, None, lm)
    printed_odds = _get_printed_odds(tables, fp, target_fp)
    has_hero = any(unit.type == "hero" for unit in side)
    kill = tables["melee-kill"](odds=printed_odds, hero=has_hero)
    return MeleeAttack(fp, target_fp, str(kill["odds_used"]), int(kill["kill"]), lm, printed_odds)


def _get_printed_odds(tables: Tables, fp: int, target_fp: int) -> str:
    """Return the odds of `fp` against `target_fp` as printed; the best odds against 0.

    Source: PAC 07.
    """
    if not target_fp:
        return BEST_ODDS
    if max(fp, target_fp) <= CHARTED:
        return str(tables["melee-odds"](attack=fp, defense=target_fp)["odds"])
    for odds in RATIOS:
        attack, defense = map(int, odds.split("-"))
        if fp * defense <= target_fp * attack:
            return odds
    return BEST_ODDS


def _describe_cause(outcome: str, attackers: Sequence[Unit], defenders: Sequence[Unit]) -> str:
    """Return the second half of the first line: the side without a loss, or both sides."""
    attacker_names = _format_side(attackers)
    defender_names = _format_side(defenders)
    if outcome == "both":
        is_small = len(attackers) + len(defenders) < COUNTED
        return "both attacks kill" if is_small else f"{attacker_names} against {defender_names}"
    if outcome == "none":
        verb = "fights" if len(attackers) == 1 else "fight"
        return f"{attacker_names} {verb} {defender_names}"
    winner_names = attacker_names if outcome == "defenders" else defender_names
    return f"no loss to {winner_names}"


def _format_side(side: Sequence[Unit]) -> str:
    """Format the units of a side: `US Squad 1`, or `the squad` for the only one without a name."""
    words = [unit.word for unit in side]
    labels: list[str] = []
    for unit in side:
        needs_article = not unit.name and words.count(unit.word) == 1
        labels.append(f"the {unit.word}" if needs_article else unit.word)
    return join_names(labels)


def _describe_odds(attack: MeleeAttack, counter: MeleeAttack) -> tuple[str, ...]:
    """Return the note with the firepower and odds of both attacks, or () if neither can kill."""
    phrases: list[str] = []
    for side_attack in (attack, counter):
        if side_attack.kill is None:
            continue
        text = (
            f"{side_attack.fp} against {side_attack.target_fp} firepower"
            f" is {side_attack.printed_odds}"
        )
        if side_attack.printed_odds != side_attack.odds:
            text += f", with a hero {side_attack.odds}"
        phrases.append(text)
    return (f"{'; '.join(phrases)}.",) if phrases else ()
