"""A fight of several rounds, exactly: each begins with what the one before left, until a result
ends it.

The rules of it are data (`rounds` in sequences.yaml); how likely a single round goes from one
situation to the next is counted by whoever asks. Situations may stay or go on, never come back: so
a fight to its end is a sum, not a limit.
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
"""The values that are carried from round to round, in the order of `Rounds.then`."""


class Ending(NamedTuple):
    """A result that ends the fight: what must have come out, by output or carried input; `result`
    is empty where the sequence's own output says it."""

    when: Mapping[str, tuple[Any, ...]]
    result: str = ""


class OutputCondition(NamedTuple):
    """What came out as this output."""

    output: str


class CarriedInput(NamedTuple):
    """What an input is in the next round: `less` or `more` by an output, at `most` another carried
    input, or a value that it `becomes`."""

    less: str = ""
    more: str = ""
    most: str = ""
    becomes: Any = None

    def compute_next(self, value: Any, out: Mapping[str, Any]) -> Any:
        """Its value for the next round, from that of this round and what came out."""
        if isinstance(self.becomes, OutputCondition):
            return out[self.becomes.output]
        if self.becomes is not None:
            return self.becomes
        value = int(value or 0)
        value -= int(out[self.less]) if self.less else 0
        value += int(out[self.more]) if self.more else 0
        return min(value, int(out[self.most])) if self.most else value


class Rounds(NamedTuple):
    """How a sequence goes on: the endings, looked for in this order, and the inputs that are
    carried.
    """

    ends: tuple[Ending, ...]
    then: Mapping[str, CarriedInput]

    def list_deciding_outputs(self, odds_by: str) -> tuple[str, ...]:
        """The outputs that decide how it goes on."""
        carried = (
            name
            for one in self.then.values()
            for name in (
                one.less,
                one.more,
                *(one.becomes if isinstance(one.becomes, OutputCondition) else ()),
            )
            if name
        )
        ended = (name for end in self.ends for name in end.when if name not in self.then)
        return tuple(dict.fromkeys((odds_by, *ended, *carried)))

    def end_round(
        self, was: Situation, out: Mapping[str, Any], odds_by: str
    ) -> tuple[str, Situation]:
        """What a round with these outputs leaves: the result that ends the fight, or "" and the
        next situation.
        """
        known = dict(out)
        for (name, carried), value in zip(self.then.items(), was, strict=True):
            known[name] = carried.compute_next(value, known)
        for end in self.ends:
            if all(known[name] in values for name, values in end.when.items()):
                return end.result or str(out[odds_by]), ()
        return "", tuple(known[name] for name in self.then)


class FightOdds(NamedTuple):
    """The chances of each result after so many rounds, `undecided` among them; those of a fight to
    its end; and how many rounds that takes on average (None where it may go on for ever)."""

    after: dict[str, Fraction]
    decided: dict[str, Fraction]
    average: Fraction | None


Step = Callable[[Situation], Mapping[tuple[str, Situation], Fraction]]
"""Where a round leads from a situation: {(result, next situation): chance}."""


def compute_fight(start: Situation, step: Step, rounds: int) -> FightOdds:
    """The chances of a fight. Raises UserError for more rounds or situations than are counted."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UserError(f"Rounds are 1 to {MOST_ROUNDS}.", option="rounds", code="bad-value")
    steps: dict[Situation, Mapping[tuple[str, Situation], Fraction]] = {}

    def get_step(at: Situation) -> Mapping[tuple[str, Situation], Fraction]:
        if at not in steps:
            if len(steps) >= MOST_SITUATIONS:
                raise _make_too_large_error()
            steps[at] = step(at)
        return steps[at]

    after: dict[str, Fraction] = {}
    live = {start: Fraction(1)}
    for _ in range(rounds):
        further: dict[Situation, Fraction] = {}
        for at, weight in live.items():
            for (result, to), chance in get_step(at).items():
                into: dict[Any, Fraction] = after if result else further
                key = result or to
                into[key] = into.get(key, Fraction(0)) + weight * chance
        live = further
    if live:
        after[UNDECIDED] = sum(live.values(), Fraction(0))
    return FightOdds(after, *_compute_whole_fight(start, get_step))


def _compute_whole_fight(
    start: Situation, known: Step
) -> tuple[dict[str, Fraction], Fraction | None]:
    """The chances of each result of a fight without a last round, and how many rounds it takes
    on average.
    """
    weights = {start: Fraction(1)}
    decided: dict[str, Fraction] = {}
    average: Fraction | None = Fraction(0)
    for at in _sort_situations(start, known):
        ways = known(at)
        stays = ways.get(("", at), Fraction(0))
        if stays == 1:
            decided[UNDECIDED] = decided.get(UNDECIDED, Fraction(0)) + weights[at]
            average = None
            continue
        leaving = weights[at] / (1 - stays)
        average = None if average is None else average + leaving
        for (result, to), chance in ways.items():
            if result:
                decided[result] = decided.get(result, Fraction(0)) + leaving * chance
            elif to != at:
                weights[to] = weights.get(to, Fraction(0)) + leaving * chance
    return decided, average


def _sort_situations(start: Situation, known: Step) -> list[Situation]:
    """All situations, each behind those that lead to it. Raises UserError where they lead back."""
    leads: dict[Situation, list[Situation]] = {}
    rest = [start]
    while rest:
        if (at := rest.pop()) not in leads:
            leads[at] = [to for result, to in known(at) if not result and to != at]
            rest += leads[at]
    try:
        return [*TopologicalSorter(leads).static_order()][::-1]
    except CycleError:
        raise _make_too_large_error() from None


def _make_too_large_error() -> UserError:
    return UserError(
        "So long a fight cannot be counted exactly.",
        hint="Ask for fewer units, or for one round.",
        code="too-large",
    )
