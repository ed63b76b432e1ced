"""The states, markers and conditions of roster units that affect a roll, in the words of its line.

No rule declares them. The roll is played with a few fixed hands of dice, with the roster as it is
and with the roster without conditions. A condition counts if the play without it differs. All
conditions are first removed together, and one by one only if that makes a difference, because most
of them do not count.

A budget limits the plays. Once it is spent, the remaining conditions are not reported.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from bot.game.counter_faces import format_word, say_state
from bot.presentation.derived_inputs import add_derived_inputs, derive_inputs_from_units
from bot.presentation.multi_unit_play import PlannedPlay, plan_plays
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster, RosterUnit, Unit, index_by_name
from bot.rules.sequence.sequence import Play
from bot.rules.text.line import Line
from bot.rules.text.names import join_names
from bot.rulesets.system import Sequence, System
from bot.ui.reply.reply import Reply

HANDS = 12
"""Hands of dice that each condition is tried with. The first difference ends the trial."""
MOST_POINTS = 600
"""The maximum points that all plays of one roll may cost, about 8 ms of processor time.

Each play costs two points, and each die, line and unit of it one.
"""
MOST_CONDITIONS = 12
"""The maximum conditions tried in one roll. The units of a long list share theirs."""
MOST_PLAYS = 4
"""The maximum plays tried of a roll that is made for each unit: those of the first units."""


class Condition(NamedTuple):
    """A marker, a state or a word of an attribute, and the units that have it."""

    kind: str
    word: str
    units: tuple[str, ...]


Group = tuple[Condition, ...]
"""Conditions that are removed together."""


class CountedCondition(NamedTuple):
    """A condition that counts, with the modifiers that the line loses without it.

    `modifiers` holds names and values; it is empty if the condition counts in another way, such as
    by the column of a table. `is_named`: some line of the roll names it in other words. `spoken` is
    the condition as players write it.
    """

    condition: Condition
    modifiers: tuple[tuple[str, int], ...]
    is_named: bool
    spoken: str

    @property
    def text(self) -> str:
        """The modifiers, or the condition itself: `− 4 hesitant`, `shaken`."""
        if not self.modifiers:
            return self.spoken
        texts = []
        for name, value in self.modifiers:
            sign = "+" if value > 0 else chr(0x2212)
            texts.append(f"{sign} {abs(value)} {name}")
        return ", ".join(texts)


def _say(condition: Condition, system: System) -> str:
    """Return a condition as players write it: `top OT` for a marker, state or attribute word."""
    if condition.kind == "state":
        return say_state(condition.word, system)
    words = format_word(condition.word).split()
    return " ".join(part.upper() if len(part) == 2 else part for part in words)


class _FixedDice:
    """A source of dice whose values depend only on the number of the hand."""

    def __init__(self, hand: int) -> None:
        self._random = Random(hand)

    def draw(self, die: Die) -> int | str:
        """Return a face of the die."""
        faces: list[int | str] = [*(die.faces or range(1, die.sides + 1))]
        return self._random.choice(faces)


def find_counted_conditions(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[CountedCondition, ...]:
    """Return the conditions that count, of the roster units that these inputs name; () if none
    does.

    `raw` must not hold inputs derived from units, which may depend on a condition. Raises UserError
    for inputs that the sequence refuses.
    """
    if not any(any(_list_unit_conditions(sequence, unit)) for unit in roster.values()):
        return ()
    plays = _plan_trial_plays(sequence, raw, roster)
    conditions = _list_conditions(sequence, plays, roster)[:MOST_CONDITIONS]
    if not conditions:
        return ()
    budget = _PointBudget(MOST_POINTS)
    base = _Trial(sequence, raw, roster, budget, plays)

    def leave_out(group: Group) -> _Trial:
        return _Trial(sequence, raw, _remove_condition_from_roster(sequence, roster, group), budget)

    trials = _find_different(base, tuple(conditions), leave_out, budget)
    counted = list[CountedCondition]()
    for condition in conditions:
        without = trials.get(condition)
        if without is not None:
            modifiers = base.list_lost_modifiers(without)
            is_named = bool(modifiers) or base.has_lost_words(without)
            spoken = _say(condition, sequence.system)
            counted.append(CountedCondition(condition, modifiers, is_named, spoken))
    return tuple(counted)


def _find_different(
    base: "_Trial",
    conditions: Group,
    leave_out: Callable[[Group], "_Trial"],
    budget: "_PointBudget",
) -> dict[Condition, "_Trial"]:
    """Return the conditions whose removal changes the play of some hand, each with its trial.

    All are removed together. If that makes a difference, each is removed alone, and those that make
    none by themselves stay together. The search ends early if the budget is spent.
    """
    different = dict[Condition, _Trial]()
    singles = dict[Condition, _Trial]()
    group = conditions
    together = leave_out(group)
    if len(group) == 1:
        singles[group[0]] = together
    for hand in range(HANDS):
        if budget.is_spent or not group:
            break
        if not base.differs_from(together, hand, if_refused=True):
            continue
        for condition in group:
            if condition not in singles and not budget.is_spent:
                singles[condition] = leave_out((condition,))
            single = singles.get(condition)
            if single is not None and base.differs_from(single, hand, if_refused=False):
                different[condition] = single
        remaining = tuple(condition for condition in group if condition not in different)
        if remaining and remaining != group:
            together = leave_out(remaining)
        group = remaining
    return different


def _plan_trial_plays(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[PlannedPlay, ...]:
    """Return the plays to try: of a roll that is made for each unit the first four, else one.

    Inputs derived from the units of `roster` are added to `raw`. Raises UserError for refused
    inputs.
    """
    options = add_derived_inputs(raw, derive_inputs_from_units(sequence, raw, roster))
    return plan_plays(sequence, options, roster)[:MOST_PLAYS]


def drop_named_conditions(
    counted: Iterable[CountedCondition], reply: Reply
) -> tuple[CountedCondition, ...]:
    """Return the conditions that no line of the answer names yet."""
    lines = [part for part in reply.lines if isinstance(part, Line)]
    line_modifiers = {name for line in lines for name, _ in line.parts}
    text = reply.format_text().casefold().replace("-", " ")
    unnamed = []
    for counted_condition in counted:
        modifiers = {name for name, _ in counted_condition.modifiers}
        if counted_condition.is_named and not modifiers:
            continue
        is_in_text = counted_condition.condition.word.replace("-", " ") in text
        if not is_in_text and line_modifiers.isdisjoint(modifiers):
            unnamed.append(counted_condition)
    return tuple(unnamed)


def format_counted_conditions(
    counted: Iterable[CountedCondition], system: System, *, before: bool = False
) -> str:
    """Return what counts by unit: `From Rifle: − 2 assault movement. Local is already shaken.`

    `before` puts it in the past, for an answer whose roll may have changed the units.
    """
    harm = system.game["units"].get("hurt", ())
    by_units: dict[tuple[str, ...], list[str]] = {}
    sentences = list[str]()
    for condition in counted:
        if condition.modifiers:
            by_units.setdefault(condition.condition.units, []).append(condition.text)
        else:
            sentences.append(_say_already(condition, harm, before=before))
    summed = [
        f"From {join_names(units)}: {', '.join(dict.fromkeys(texts))}."
        for units, texts in by_units.items()
    ]
    return " ".join((*summed, *dict.fromkeys(sentences)))


def _say_already(one: CountedCondition, harm: Iterable[str], *, before: bool) -> str:
    """Return a condition that counts without a number: `Local 3 was already shaken.`"""
    units = join_names(one.condition.units)
    is_one = len(one.condition.units) == 1
    be, have = _VERBS[is_one, before]
    if one.condition.kind == "state":
        return f"{units} {be} already {one.spoken}."
    if one.condition.kind in harm:
        count = one.condition.word.rpartition(" ")[2]
        name = format_word(one.condition.kind)
        if count == "1":
            name = name.removesuffix("s")
        return f"{units} already {have} {count} {name}."
    return f"Applies to {units}: {one.spoken}."


_VERBS = {
    (True, False): ("is", "has"),
    (False, False): ("are", "have"),
    (True, True): ("was", "had"),
    (False, True): ("were", "had"),
}
"""The verbs *be* and *have* for one unit or several, now and before."""


def _list_conditions(
    sequence: Sequence, plays: Iterable[PlannedPlay], roster: Roster
) -> list[Condition]:
    """Return the conditions of all units in the plays. Units named in the same option that have the
    same condition share one.
    """
    units_by_option: dict[str, dict[str, RosterUnit]] = {}
    for play in plays:
        for option, unit in _list_units_with_options(play):
            roster_unit = roster.get(unit.name.casefold()) if unit.name else None
            if roster_unit is not None:
                units_by_option.setdefault(option, {})[roster_unit.name] = roster_unit
    names_by_condition: dict[tuple[str, str, str], list[str]] = {}
    for option, units in units_by_option.items():
        for roster_unit in units.values():
            for kind, word in _list_unit_conditions(sequence, roster_unit):
                names = names_by_condition.setdefault((option, kind, word), [])
                names.append(roster_unit.name)
    conditions = [
        Condition(kind, word, tuple(names)) for (_, kind, word), names in names_by_condition.items()
    ]
    return list(dict.fromkeys(conditions))


def _list_units_with_options(play: PlannedPlay) -> Iterator[tuple[str, Unit]]:
    """Yield the units of a play with the option that names them."""
    yield from play.given.roster.items()
    for option, units in play.given.lists.items():
        for unit in units:
            yield option, unit


def _list_unit_conditions(sequence: Sequence, unit: RosterUnit) -> Iterator[tuple[str, str]]:
    """Yield the conditions of a unit as (kind, word), such as `("wounds", "wounds 2")`.

    These are its markers, its state (unless game.yaml lists that as `well`), attributes with a word
    as value, and counts of losses and markers. Values printed on the counter are left out.
    """
    game = sequence.system.game["units"]
    words = sequence.system.words["units"]
    for mark in sorted(unit.marks):
        yield "marker", mark
    if unit.state and unit.state not in game.get("well", ()):
        yield "state", unit.state
    counters = (game.get("counters") or {}).values()
    printed = {name for counter in counters for name in counter.get("numbers", ())}
    for key, option in words.keys.items():
        value = unit.numbers.get(key)
        is_marker = key in game.get("hurt", ()) or key.endswith("_markers")
        if value and key not in printed and (option.type == "enum" or is_marker):
            yield key, f"{key} {value}"


def _remove_condition_from_roster(sequence: Sequence, roster: Roster, group: Group) -> Roster:
    """Return the roster with these conditions removed from the units that have them."""
    units = {unit.name: unit for unit in roster.values()}
    for condition in group:
        for name in condition.units:
            units[name] = _unit_without(sequence, units[name], condition)
    return index_by_name(units.values())


def _unit_without(sequence: Sequence, unit: RosterUnit, condition: Condition) -> RosterUnit:
    """Return a copy of the unit without the condition.

    A removed state becomes that of a new unit.
    """
    words = sequence.system.words["units"]
    if condition.kind == "marker":
        return replace(unit, marks=unit.marks - {condition.word})
    if condition.kind == "state":
        return replace(unit, state=words.fresh or words.sound)
    numbers = {key: value for key, value in unit.numbers.items() if key != condition.kind}
    return replace(unit, numbers=numbers)


class _PointBudget:
    """The points that the plays of one roll may still cost."""

    def __init__(self, points: int) -> None:
        self._points = points

    @property
    def is_spent(self) -> bool:
        """Return whether no further play may begin."""
        return self._points <= 0

    def charge_for_plan(self, plays: Iterable[PlannedPlay]) -> None:
        """Subtract the cost of planning the plays."""
        self._points -= 2 + sum(1 for play in plays for _ in _list_units_with_options(play))

    def charge_for_play(self, plays: Iterable[Play]) -> None:
        """Subtract the cost of playing one hand."""
        self._points -= sum(2 + len(played.dice) + len(played.lines) for played in plays)


class _Trial:
    """A roll with one roster, played with fixed hands of dice."""

    def __init__(
        self,
        sequence: Sequence,
        raw: Mapping[str, object],
        roster: Roster,
        budget: _PointBudget,
        plays: tuple[PlannedPlay, ...] = (),
    ) -> None:
        self._sequence = sequence
        self._budget = budget
        self._hands = dict[int, tuple[Play, ...] | None]()
        try:
            self._plays = plays or _plan_trial_plays(sequence, raw, roster)
        except UserError:
            self._plays = ()
        budget.charge_for_plan(self._plays)

    def differs_from(self, other: "_Trial", hand: int, *, if_refused: bool) -> bool:
        """Return whether the other roster gets another sum or result with this hand of dice.

        `if_refused` is the answer if only the other roster's play is refused.
        """
        own = self._play(hand)
        if own is None:
            return False
        changed = other._play(hand)
        if changed is None:
            return if_refused
        own_parts = Counter(_list_line_parts(own))
        if own_parts != Counter(_list_line_parts(changed)):
            return True
        return _collect_results(own) != _collect_results(changed)

    def list_lost_modifiers(self, other: "_Trial") -> tuple[tuple[str, int], ...]:
        """Return the modifiers that `other` lacks, from the first hand that shows some."""
        lost = (_list_lost_modifiers(own, changed) for own, changed in self._pair_plays(other))
        return next(filter(None, lost), ())

    def has_lost_words(self, other: "_Trial") -> bool:
        """Return whether, with the same results, a line has words that `other` lacks."""
        return any(
            _collect_unit_results(own) == _collect_unit_results(changed)
            and not _collect_words(own) <= _collect_words(changed)
            for own, changed in self._pair_plays(other)
        )

    def _pair_plays(self, other: "_Trial") -> Iterator[tuple[tuple[Play, ...], tuple[Play, ...]]]:
        """Yield (plays with the own roster, plays with the roster of `other`) of each hand that
        neither refuses.

        Once the budget is spent, only hands that both have played are left.
        """
        for hand in range(HANDS):
            own = self._play(hand)
            changed = other._play(hand)
            if own is not None and changed is not None:
                yield own, changed

    def _play(self, hand: int) -> tuple[Play, ...] | None:
        """Return the plays with this hand; None if the rules refuse it or the budget is spent."""
        if hand not in self._hands:
            if self._budget.is_spent:
                return None
            self._hands[hand] = self._play_new(hand)
            self._budget.charge_for_play(self._hands[hand] or ())
        return self._hands[hand]

    def _play_new(self, hand: int) -> tuple[Play, ...] | None:
        """Play all plays with this hand. Return None if the rules refuse one or there is none."""
        plays = list[Play]()
        try:
            for planned in self._plays:
                plays.append(self._sequence.play(planned.plan, _FixedDice(hand + 1)))
        except UserError:
            return None
        return tuple(plays) or None


def _list_lost_modifiers(
    own: tuple[Play, ...], other: tuple[Play, ...]
) -> tuple[tuple[str, int], ...]:
    """Return the modifiers in the lines of `own` whose names no line of `other` has.

    They are (name, value), each once. Those with a word or 0 as value are left out.
    """
    parts = dict.fromkeys(_list_line_parts(own))
    names = {name for name, _ in _list_line_parts(other)}
    return tuple(
        (name, value)
        for name, value in parts
        if name not in names and isinstance(value, int) and value
    )


def _list_line_parts(plays: Iterable[Play]) -> Iterator[tuple[str, Any]]:
    """Yield the modifiers in the lines of the plays, as (name, value)."""
    for played in plays:
        for line in played.lines:
            yield from line.parts


def _collect_words(plays: Iterable[Play]) -> set[str]:
    """Return the words of all lines."""
    texts = (f"{line.label} {line.result}" for played in plays for line in played.lines)
    return {word for text in texts for word in re.findall(r"[^\W\d]+", text)}


def _collect_results(plays: Iterable[Play]) -> list[object]:
    """Return what of the plays counts as their result: the outputs of each, and the results of
    units.
    """
    plays = tuple(plays)
    outputs = [{name: repr(value) for name, value in played.out.items()} for played in plays]
    return [outputs, _collect_unit_results(plays)]


def _collect_unit_results(plays: Iterable[Play]) -> list[object]:
    """Return the result of each unit in the plays as (unit, token), without details."""
    return [
        (unit_result.unit, unit_result.token)
        for played in plays
        for unit_result in played.resolution.unit_results
    ]
