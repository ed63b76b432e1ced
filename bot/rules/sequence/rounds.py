"""Exact odds of a fight of several rounds: each round starts from the situation that the previous
one left, until a result ends the fight.

The rules of the rounds are data (`rounds` in sequences.yaml). The caller computes the chances of a
single round. A fight may stay in a situation or leave it, but never returns to it: so a fight to its
end is a finite sum, not a limit.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from bot.rules.errors import UserError

UNDECIDED = "undecided"
MOST_ROUNDS = 20
MOST_SITUATIONS = 500
Situation = tuple[Any, ...]
"""The values that are carried from round to round, in the order of `Rounds.carried_inputs`."""


class Ending(NamedTuple):
    """A result that ends the fight, if each output or carried input of `when` has one of its values.

    If `result` is empty, the sequence's own odds output is the result.
    """

    when: Mapping[str, tuple[Any, ...]]
    result: str = ""


class OutputCondition(NamedTuple):
    """The value of a carried input that is a copy of an output."""

    output: str


class CarriedInput(NamedTuple):
    """The rule for the value of an input in the next round.

    It goes down by the output `less`, up by the output `more`, and is at most the carried input
    `most`; or it `becomes` a fixed value or an output.
    """

    less: str = ""
    more: str = ""
    most: str = ""
    becomes: Any = None

    def compute_next(self, value: Any, out: Mapping[str, Any]) -> Any:
        """Return the value for the next round, from that of this round and the outputs `out`."""
        if isinstance(self.becomes, OutputCondition):
            return out[self.becomes.output]
        if self.becomes is not None:
            return self.becomes
        value = int(value or 0)
        if self.less:
            value -= int(out[self.less])
        if self.more:
            value += int(out[self.more])
        if self.most:
            value = min(value, int(out[self.most]))
        return value

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs that the next value depends on."""
        names = [name for name in (self.less, self.more) if name]
        if isinstance(self.becomes, OutputCondition):
            names.append(self.becomes.output)
        return names


class Rounds(NamedTuple):
    """The rules of a fight: the endings, checked in this order, and the inputs that are carried
    from round to round.
    """

    endings: tuple[Ending, ...]
    carried_inputs: Mapping[str, CarriedInput]

    def list_deciding_outputs(self, odds_by: str) -> tuple[str, ...]:
        """Return the outputs that decide how the fight goes on, each once."""
        names = [odds_by]
        for ending in self.endings:
            names += [name for name in ending.when if name not in self.carried_inputs]
        for carried in self.carried_inputs.values():
            names += carried.list_outputs()
        return tuple(dict.fromkeys(names))

    def end_round(
        self, situation: Situation, out: Mapping[str, Any], odds_by: str
    ) -> tuple[str, Situation]:
        """Return (result, ()) if these outputs end the fight, else ("", next situation)."""
        current = dict(out)
        for (name, carried), value in zip(self.carried_inputs.items(), situation, strict=True):
            current[name] = carried.compute_next(value, current)
        for ending in self.endings:
            if all(current[name] in values for name, values in ending.when.items()):
                return ending.result or str(out[odds_by]), ()
        return "", tuple(current[name] for name in self.carried_inputs)


class FightOdds(NamedTuple):
    """The odds of a fight.

    `after` are the chances of each result after the given number of rounds, including `undecided`.
    `decided` are those of a fight to its end, and `average` is its mean number of rounds (None if
    it may go on for ever).
    """

    after: dict[str, Fraction]
    decided: dict[str, Fraction]
    average: Fraction | None


Step = Callable[[Situation], Mapping[tuple[str, Situation], Fraction]]
"""A function that returns the outcomes of one round: {(result, next situation): chance}."""


def compute_fight(start: Situation, step: Step, rounds: int) -> FightOdds:
    """Compute the chances of a fight. Raises UserError for too many rounds or situations."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UserError(
            f"A fight can have 1 to {MOST_ROUNDS} rounds.", option="rounds", code="bad-value"
        )
    steps: dict[Situation, Mapping[tuple[str, Situation], Fraction]] = {}

    def get_step(situation: Situation) -> Mapping[tuple[str, Situation], Fraction]:
        if situation not in steps:
            if len(steps) >= MOST_SITUATIONS:
                raise _make_too_large_error()
            steps[situation] = step(situation)
        return steps[situation]

    chances: dict[str, Fraction] = {}
    live = {start: Fraction(1)}
    for _ in range(rounds):
        further: dict[Situation, Fraction] = {}
        for situation, weight in live.items():
            for (result, next_situation), chance in get_step(situation).items():
                into: dict[Any, Fraction] = chances if result else further
                key = result or next_situation
                into[key] = into.get(key, Fraction(0)) + weight * chance
        live = further
    if live:
        chances[UNDECIDED] = sum(live.values(), Fraction(0))
    return FightOdds(chances, *_compute_whole_fight(start, get_step))


def _compute_whole_fight(
    start: Situation, get_step: Step
) -> tuple[dict[str, Fraction], Fraction | None]:
    """Return the chances of each result of a fight to its end, and its mean number of rounds
    (None if it may go on for ever).
    """
    weights = {start: Fraction(1)}
    decided: dict[str, Fraction] = {}
    average: Fraction | None = Fraction(0)
    for situation in _sort_situations(start, get_step):
        outcomes = get_step(situation)
        stays = outcomes.get(("", situation), Fraction(0))
        if stays == 1:
            decided[UNDECIDED] = decided.get(UNDECIDED, Fraction(0)) + weights[situation]
            average = None
            continue
        leaving = weights[situation] / (1 - stays)
        if average is not None:
            average += leaving
        for (result, next_situation), chance in outcomes.items():
            if result:
                decided[result] = decided.get(result, Fraction(0)) + leaving * chance
            elif next_situation != situation:
                weights[next_situation] = (
                    weights.get(next_situation, Fraction(0)) + leaving * chance
                )
    return decided, average


def _sort_situations(start: Situation, get_step: Step) -> list[Situation]:
    """Return all situations, each after those that lead to it. Raises UserError for a cycle."""
    leads: dict[Situation, list[Situation]] = {}
    pending = [start]
    while pending:
        situation = pending.pop()
        if situation not in leads:
            leads[situation] = [
                to for result, to in get_step(situation) if not result and to != situation
            ]
            pending += leads[situation]
    try:
        return [*TopologicalSorter(leads).static_order()][::-1]
    except CycleError:
        raise _make_too_large_error() from None


def _make_too_large_error() -> UserError:
    return UserError(
        "The odds of a fight this long cannot be computed exactly.",
        hint="Ask for fewer units, or for one round.",
        code="too-large",
    )
