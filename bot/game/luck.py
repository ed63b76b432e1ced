"""Luck against expectation, from the log: the rolls that count, their results and their exact odds.

`/game stats`, the story of an ended game, pictures and pages all count rolls with `scan` and
`Tally`, and measure them with `measure`, so their figures agree.

Every roll counts once, with all the choices that belong to it. Dice by hand, undone rolls, rolls
that are still sealed or wait for a choice, rolls without a score and rolls under rules that are
gone do not count as luck.
"""

import json
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import erf, erfc, sqrt
from operator import itemgetter
from typing import Any, NamedTuple, Self, TypeVar

from bot.game.events import (
    OUTCOMES,
    get_event_system,
    get_recorded_units,
    is_continuation,
    is_current,
    merge_choices,
    note_undo,
    split_plays,
)
from bot.game.state import Json, unit_from_json
from bot.game.tracks import fill_track_inputs
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster, index_by_name
from bot.rules.odds.by_unit import index_rows
from bot.rules.odds.odds import Distribution, compute_joint_odds, format_key
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.sequence import OddsRow
from bot.rules.text.line import format_minus
from bot.rules.text.names import format_count
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import LUCK_OF_FIRST, LUCK_OF_UNITS, Sequence

ENOUGH = 30
"""Number of rolls below which nothing is said about luck."""
BUDGET = 30_000
"""Maximum number of states for the odds of one play."""
SAME = 1e-9
"""Maximum difference between equal values that were added up in another order."""
NO_SIDE = "no side"
"""The owner of the luck of a roll that belongs to none of the sides."""
ROLLING = (*OUTCOMES, "sealed")
"""Kinds of events in which dice are rolled; drawing a card is not a roll."""
_SCANNED = tuple(f'"kind":"{kind}"' for kind in (*ROLLING, "undo", "redo"))


class Worth(NamedTuple):
    """The value of a result in points, with the mean and variance of all possible results.

    `at_least` and `more` are the exact chances of at least that value and of a higher one. Both are
    None for a roll of several plays.
    """

    got: float
    mean: float
    variance: float
    at_least: Fraction | None
    more: Fraction | None


@dataclass(frozen=True)
class ScoredRoll:
    """A roll that counts as luck, with the data for its odds.

    `plays` are (inputs, outputs) of each play as canonical JSON. `owner` is the person whose own
    luck it is: whoever rolled it, if it counts for the side that they played. It is "" for a roll
    that counts for another side.
    """

    number: int  # of the event that decided it
    side: str
    system: str
    sequence: str
    plays: tuple[tuple[str, str], ...]
    owner: str = ""

    @cached_property
    def digest(self) -> bytes:
        """A short key, equal for rolls of equal worth."""
        parts = [self.system, self.sequence, *(text for play in self.plays for text in play)]
        return sha256("\n".join(parts).encode("utf-8", "replace")).digest()


@dataclass(frozen=True, slots=True)
class Luck:
    """The summed worth of the rolls of one side or kind."""

    count: int = 0
    worth: float = 0.0
    mean: float = 0.0
    variance: float = 0.0

    def plus(self, worth: Worth) -> Self:
        """Add one roll."""
        return replace(
            self,
            count=self.count + 1,
            worth=self.worth + worth.got,
            mean=self.mean + worth.mean,
            variance=self.variance + worth.variance,
        )

    @property
    def z(self) -> float:
        """Return the standard deviations above expectation."""
        return (self.worth - self.mean) / sqrt(self.variance) if self.variance > 0 else 0.0

    @property
    def sentence(self) -> str:
        """Return `3 points, 2.2 expected, in 1 roll: too few rolls to say.`"""
        noun = "point" if abs(self.worth) == 1 else "points"
        rolls = format_count(self.count, "roll")
        text = f"{format_minus(self.worth)} {noun}, {format_tenth(self.mean)} expected, in {rolls}"
        if self.count < ENOUGH or self.variance <= 0:
            return f"{text}: too few rolls to say."
        word, percent = describe_luck(self.z)
        if not word:
            return f"{text}: about what the odds predict."
        return f"{text}: {word} than {percent} in 100 such games."


def format_tenth(value: float) -> str:
    """Format a number with one decimal and a true minus sign."""
    return f"{value:.1f}".replace("-", "−")


def describe_luck(z: float) -> tuple[str, str]:
    """Return `("luckier", "97.5")`: luckier than 97.5 of 100 such games, for `z` standard
    deviations.

    Return ("", "") if the result is about what the odds promise.
    """
    below = 50 * (1 + erf(z / sqrt(2)))
    if 20 <= below <= 80:
        return "", ""
    word, share = ("luckier", below) if below > 80 else ("unluckier", 100 - below)
    return word, f"{min(99.9, share):.3g}"


def combine_z(lucks: Iterable[Luck]) -> float:
    """Return the standard deviations above expectation of several lucks together.

    The points of one game are not those of another, so each luck counts by its number of rolls
    (Stouffer's method, weighted by the root of that number). Lucks without variance are left out.
    """
    measured = [luck for luck in lucks if luck.variance > 0]
    if not measured:
        return 0.0
    total = sum(luck.count for luck in measured)
    return sum(sqrt(luck.count) * luck.z for luck in measured) / sqrt(total)


def count_players_per_outlier(z: float) -> int:
    """Return N if chance alone takes one player in N at least `z` standard deviations from
    average, up or down. The number is rounded, and at most a million.
    """
    chance = erfc(abs(z) / sqrt(2))
    return round(1 / max(chance, 1e-6))


def sum_worths(worths: Iterable[Worth]) -> Luck:
    """Add up worths in their order."""
    luck = Luck()
    for worth in worths:
        luck = luck.plus(worth)
    return luck


# -- which rolls count


@dataclass(frozen=True, slots=True)
class Scan:
    """The rolls of one stretch of a log, as `Tally.add` takes them.

    `dice` are pairs: an event with dice, and the event that began its shot. `turned` are the bodies
    of undo and redo events, in order.
    """

    rolls: tuple[ScoredRoll, ...]
    dice: tuple[tuple[int, int], ...]
    turned: tuple[Json, ...]


@dataclass(slots=True)
class Tally:
    """The rolls of a game, collected from its log in order."""

    _rolls: list[ScoredRoll] = field(default_factory=list)
    _dice: list[tuple[int, int]] = field(default_factory=list)
    _undone: set[int] = field(default_factory=set)

    def add(self, scan: Scan) -> None:
        """Add the next stretch of the log."""
        self._rolls += scan.rolls
        self._dice += scan.dice
        for event in scan.turned:
            note_undo(self._undone, event)

    @property
    def total(self) -> int:
        """Return the number of rolls, each shot once, without undone rolls.

        Dice by hand and sealed rolls count too.
        """
        return len({first for number, first in self._dice if number not in self._undone})

    @property
    def rolls_with_score(self) -> list[ScoredRoll]:
        """The rolls that count as luck, in the order of the log."""
        return [roll for roll in self._rolls if roll.number not in self._undone]


def may_count(body: str) -> bool:
    """Return whether `scan` may need an event: an outcome, a sealed roll, an undo or a redo.

    `body` is its stored JSON, which is searched but not parsed.
    """
    return any(kind in body for kind in _SCANNED)


def scan_texts(
    bodies: Iterable[str],
    sides: Many[str],
    opened: Mapping[int, str],
    systems: RuleSets,
    asking: Iterable[str] = (),
) -> Scan:
    """Return the rolls of one stretch of a log, from events in their stored form. See `scan`."""
    return scan(map(json.loads, bodies), sides, opened, systems, map(json.loads, asking))


def scan(
    events: Iterable[Json],
    sides: Many[str],
    opened: Mapping[int, str],
    systems: RuleSets,
    asking: Iterable[Json] = (),
) -> Scan:
    """Return the rolls of one stretch of a log.

    `sides` are those of the game; without sides each person counts alone. `opened` has the contents
    of opened sealed rolls, by event. `asking` are earlier events that choices in this stretch
    continue.
    """
    rolls = list[ScoredRoll]()
    dice = list[tuple[int, int]]()
    turned = list[Json]()
    earlier = {event["number"]: event for event in asking}
    for event in events:
        if event["kind"] in ("undo", "redo"):
            turned.append(event)
        if event["kind"] not in ROLLING:
            continue
        number = event["number"]
        if number in opened:
            event = {**event, **json.loads(opened[number])}
        shot = _list_choice_chain(event, earlier)
        if any(part.get("dice") for part in shot) or event["kind"] == "sealed":
            dice.append((number, shot[-1]["number"]))
        if "asks" in event:  # it counts once its last choice is known
            earlier[number] = event
        elif (roll := _build_scored_roll(shot, sides, earlier, systems)) is not None:
            rolls.append(roll)
    return Scan(tuple(rolls), tuple(dice), tuple(turned))


def _list_choice_chain(event: Json, earlier: Mapping[int, Json]) -> list[Json]:
    """Return an event and those that its choice continues, newest first."""
    chain = [event]
    while is_continuation(chain[-1]) and chain[-1]["event"] in earlier:
        chain.append(earlier[chain[-1]["event"]])
    return chain


def _build_scored_roll(
    shot: Many[Json], sides: Many[str], earlier: Mapping[int, Json], systems: RuleSets
) -> ScoredRoll | None:
    """Return a finished shot as a roll that counts as luck, or None.

    Shots that did not begin with a sequence, without dice, with dice by hand, or without a result
    do not count. `shot` are its events, newest first: the choices, if any, then the event that they
    continue. `earlier` has the events that choices may continue, by number. `sides` are those of
    the game; without sides, the roll belongs to the person.
    """
    is_whole = shot[-1]["kind"] == "sequence"
    by_hand = any(part.get("hand") for part in shot)
    if not is_whole or by_hand or not any(part.get("dice") for part in shot):
        return None
    event = merge_choices(shot[0], earlier)
    if not event.get("out"):  # its dice led to no result
        return None
    if not sides:
        return build_roll(event, event["who"], systems, owner=event["who"])
    side = find_scored_side(event, sides, systems)
    first = shot[-1]
    is_own = bool(side) and side == first["side"]
    return build_roll(event, side, systems, owner=first["who"] if is_own else "")


def build_roll(
    event: Mapping[str, Any], side: str, systems: RuleSets, *, owner: str = ""
) -> ScoredRoll | None:
    """Return the result of `merge_choices` as a roll of this side, and of its `owner`.

    Return None if its results have no score, or if its rules are gone.
    """
    played = get_event_system(event, systems)
    if played is None or not played.get_scores(event["target"]) or not is_current(event, systems):
        return None
    plays = []
    for play in split_plays({**event, "kind": "sequence"}):
        tracks = fill_track_inputs(play.get("read") or {}, played.tracks)
        raw = {**(play.get("inputs") or {}), **event.get("chosen", {}), **tracks}
        units = get_recorded_units(event)
        inputs = json.dumps({"raw": raw, "used": units}, sort_keys=True)
        plays.append((inputs, json.dumps(play.get("out") or {}, sort_keys=True)))
    return ScoredRoll(event["number"], side, played.key, event["target"], tuple(plays), owner)


def find_scored_side(event: Mapping[str, Any], sides: Many[str], systems: RuleSets) -> str:
    """Return the side whose luck a sequence is: usually the side of the units that act.

    If no unit acts, it is their opponent, since nobody is lucky to suffer a casualty. A sequence
    may say otherwise, see `luck` in sequences.yaml. If that names no single side, it is the side
    that rolled, or "".
    """
    used = event.get("used", ())
    acting = event.get("acting", ())
    luck = _get_declared_luck(event, systems)
    event_side: str = event["side"]
    if luck == LUCK_OF_FIRST:
        acting_units = used[:1]
    else:
        acting_units = [unit for unit in used if unit["name"] in acting]
    unit_sides = {unit.get("side", "") for unit in acting_units or used} - {""}
    if len(unit_sides) != 1:
        return event_side
    (side,) = unit_sides
    if acting_units or luck == LUCK_OF_UNITS:
        return str(side)
    if len(sides) != 2 or (event_side and event_side != side):
        return event_side
    # the other side rolled for these units
    return next(name for name in sides if name != side)


def _get_declared_luck(event: Mapping[str, Any], systems: RuleSets) -> str:
    """Return the `luck` of an event's sequence; "" if it has none, or is unknown."""
    system = get_event_system(event, systems)
    if system is None or event["target"] not in system.sequences:
        return ""
    return system.sequences[event["target"]].luck


# -- what a roll was worth


def measure(roll: ScoredRoll, systems: RuleSets) -> Worth | None:
    """Return the worth of a roll, summed over its plays.

    Plays that cannot be measured, such as those that today's tables refuse, are left out. Return
    None if no play is left.
    """
    sequence = _find_sequence(roll, systems)
    if sequence is None:
        return None
    worths = list[Worth]()
    for inputs, out in roll.plays:
        worth = _compute_play_worth(sequence, inputs, out)
        if worth is not None:
            worths.append(worth)
    if len(worths) == 1:
        return worths[0]
    if not worths:
        return None
    total = sum_worths(worths)
    return Worth(total.worth, total.mean, total.variance, None, None)


def worth_to_json(worth: Worth) -> Json:
    """Return a worth as plain values, which `worth_from_json` reads back."""
    plain: Json = {"got": worth.got, "mean": worth.mean, "var": worth.variance}
    if worth.at_least is not None and worth.more is not None:
        plain |= {"least": str(worth.at_least), "more": str(worth.more)}
    return plain


def worth_from_json(plain: Json) -> Worth:
    """Read a worth back from plain values."""
    at_least, more = (Fraction(plain[key]) if key in plain else None for key in ("least", "more"))
    return Worth(plain["got"], plain["mean"], plain["var"], at_least, more)


def measure_all(rolls: Iterable[ScoredRoll], systems: RuleSets) -> list[Worth | None]:
    """Measure several rolls."""
    return [measure(roll, systems) for roll in rolls]


def _find_sequence(roll: ScoredRoll, systems: RuleSets) -> Sequence | None:
    """Return the sequence of a roll, None if its rules are gone."""
    try:
        return systems.find(roll.system).find_sequence(roll.sequence)
    except UserError:
        return None


def _compute_play_worth(sequence: Sequence, inputs: str, out: str) -> Worth | None:
    """Return the worth of a recorded play by today's tables.

    Return None if they refuse its inputs, or if no possible result has a score. `inputs` and `out`
    are the recorded inputs and outputs, as JSON.
    """
    try:
        values: Json = json.loads(inputs)
        roster = index_by_name(unit_from_json(unit) for unit in values["used"])
        return compute_worth(sequence, values["raw"], roster, json.loads(out))
    except UserError:
        return None  # the tables of today refuse its inputs


def compute_worth(sequence: Sequence, raw: Json, roster: Roster, out: Json) -> Worth | None:
    """Return the worth of the outputs of one play; None if no possible result has a score.

    Raise UserError for inputs that the sequence refuses, and if the odds need too many states.
    """
    scores = sequence.system.get_scores(sequence.id)
    if not scores:
        return None
    chances, played = _compute_chances(sequence, raw, roster, out)
    if not _has_score(scores, chances):
        return None
    values = [(_sum_scores(scores, key), chance) for key, chance in chances.items()]
    mean = sum(value * float(chance) for value, chance in values)
    variance = sum((value - mean) ** 2 * float(chance) for value, chance in values)
    got = _sum_scores(scores, played)
    at_least = sum((chance for value, chance in values if value >= got - SAME), Fraction(0))
    more = sum((chance for value, chance in values if value > got + SAME), Fraction(0))
    return Worth(got, mean, variance, at_least, more)


def _has_score(scores: Mapping[str, float], chances: Distribution) -> bool:
    """Return whether a possible result has a score. "none" alone does not count."""
    for key in chances:
        for word in key:
            if _get_head_word(word) in scores and str(word) != "none":
                return True
    return False


def _sum_scores(scores: Mapping[str, float], words: Iterable[object]) -> float:
    """Return the summed scores of result words."""
    return sum(scores.get(_get_head_word(word), 0.0) for word in words)


def _get_head_word(word: object) -> str:
    """Return the part of a result word that has a score: `wound-1` of `wound-1, suppressed`."""
    return str(word).partition(",")[0]  # `wound-1, suppressed` is worth its wound


def _compute_chances(
    sequence: Sequence, raw: Json, roster: Roster, out: Json
) -> tuple[Distribution, list[str]]:
    """Return the exact chances of all results that count together, and the actual results.

    All targets of a list count together if their odds can be counted together, otherwise the first
    one alone. Raise UserError.
    """
    plan = sequence.plan(sequence.read_inputs(sequence.add_default_choices(raw), roster))
    rows = index_rows(plan, sequence.odds_by)
    if all("[" in row.paths[0] for row in rows.values()):
        try:
            chances = compute_joint_odds(plan, [*rows], rows, budget=BUDGET)
            played = [_read_result(row, out) for row in rows.values()]
            played[0] = _find_value(out, sequence.odds_by) if played[0] is None else played[0]
            return chances, [str(format_key(word)) for word in played]
        except TooManyStates:
            pass
    chances = compute_joint_odds(plan, [sequence.odds_by], budget=BUDGET)
    return chances, [str(format_key(_find_value(out, sequence.odds_by)))]


def _read_result(row: OddsRow, out: Json) -> Any:
    """Return the row's result in finished outputs, None if it has none."""
    values: dict[str, Any] = {}
    for path in row.paths:
        value = _find_value(out, path)
        if value is not None:
            values[path] = value
    return row.read(values)


def _find_value(out: Json, path: str) -> Any:
    """Return the value at a path of the outputs, None if it is absent."""
    value: Any = out
    for piece in path.replace("]", "").replace("[", ".").split("."):
        if isinstance(value, list) and piece.isdecimal() and int(piece) < len(value):
            value = value[int(piece)]
        elif isinstance(value, dict) and piece in value:
            value = value[piece]
        else:
            return None
    return value


# -- which of them are worth telling

T = TypeVar("T")


def rank_by_chance(
    worths: Iterable[tuple[T, Worth]],
) -> tuple[list[tuple[T, Fraction]], list[tuple[T, Fraction]]]:
    """Return the successes and the failures among some rolls, each with its chance.

    The least likely come first. A success is worth more than the mean, a failure less; a roll of
    just the mean is neither. The chance of a success is that of as much or more, of a failure that
    of as little or less. Rolls of several plays have no chance of their own and are left out.
    """
    successes = list[tuple[T, Fraction]]()
    failures = list[tuple[T, Fraction]]()
    for roll, worth in worths:
        if worth.at_least is None or worth.more is None or worth.variance <= 0:
            continue
        if worth.got > worth.mean + SAME:
            successes.append((roll, worth.at_least))
        if worth.got < worth.mean - SAME:
            failures.append((roll, 1 - worth.more))
    by_chance = itemgetter(1)
    return sorted(successes, key=by_chance), sorted(failures, key=by_chance)
