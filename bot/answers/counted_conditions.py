"""The states, markers and conditions of roster units that count in a roll, in the words of its line.

Nothing is declared for this: the roll is played with a few fixed hands of dice, once as the roster
is, and once for each condition without it. A condition counts if a play differs.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from bot.answers.defaults import loans, with_filled
from bot.answers.plays import Planned, planned
from bot.interface.reply.reply import Reply
from bot.rules.copies import replace
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.units import Roster, RosterUnit, Unit, by_name
from bot.rules.sequence.sequence import Played
from bot.rules.text.line import Line
from bot.rules.text.names import joined
from bot.systems.system import Sequence

HANDS = 12
"""Hands of dice that each condition is tried with; a difference ends the trial."""
MOST_CONDITIONS = 12
"""Conditions that are tried in one roll; the units of a long list share theirs."""
MOST_PLAYS = 4
"""Units of a roll for each of them that are tried, the first ones."""


class Condition(NamedTuple):
    """A marker, a state or a word of an attribute, and the units that have it."""

    kind: str
    word: str
    units: tuple[str, ...]


class CountedCondition(NamedTuple):
    """A condition that counts, with the modifiers of the line that are gone without it.

    `modifiers` holds names and values; it is empty if the condition counts in another way, such as
    by the column of a table. `is_named`: some line of the roll names it in other words.
    """

    condition: Condition
    modifiers: tuple[tuple[str, int], ...]
    is_named: bool

    @property
    def text(self) -> str:
        """The modifiers, or the condition itself: `− 4 hesitant`, `shaken`."""
        if not self.modifiers:
            return _spoken(self.condition.word)
        signed = [
            f"{'+' if value > 0 else chr(0x2212)} {abs(value)} {name}"
            for name, value in self.modifiers
        ]
        return ", ".join(signed)


def _spoken(word: str) -> str:
    """Return a marker, state or attribute with its word as players write it: `top OT`."""
    words = word.replace("-", " ").replace("_", " ").split()
    return " ".join(part.upper() if len(part) == 2 else part for part in words)


class _FixedDice:
    """A source whose dice follow from the number of the hand."""

    def __init__(self, hand: int) -> None:
        self._random = Random(hand)

    def draw(self, die: Die) -> int | str:
        """Return a face of the die."""
        faces: list[int | str] = [*(die.faces or range(1, die.sides + 1))]
        return self._random.choice(faces)


def find_counted(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster
) -> tuple[CountedCondition, ...]:
    """Return the conditions that count of the roster units which these inputs name.

    `raw` is without what units lend, which may depend on a condition. Raises UserError for inputs
    that the sequence refuses.
    """
    if not any(any(_conditions_of(sequence, unit)) for unit in roster.values()):
        return ()
    plays = _plan(sequence, raw, roster)
    conditions = _list_conditions(sequence, plays, roster)[:MOST_CONDITIONS]
    if not conditions:
        return ()
    base = _Trial(sequence, raw, roster, plays)
    counted = list[CountedCondition]()
    for condition in conditions:
        without = _Trial(sequence, raw, _roster_without(sequence, roster, condition), ())
        if base.differs_from(without):
            modifiers = base.modifiers_gone(without)
            is_named = bool(modifiers) or base.words_gone(without)
            counted.append(CountedCondition(condition, modifiers, is_named))
    return tuple(counted)


def _plan(sequence: Sequence, raw: Mapping[str, object], roster: Roster) -> tuple[Planned, ...]:
    """Return the plays that are tried: for a roll for each unit at most the first four, else one.

    What units of `roster` lend is filled into `raw`. Raises UserError for inputs that are refused.
    """
    options = with_filled(raw, loans(sequence, raw, roster))
    return planned(sequence, options, roster)[:MOST_PLAYS]


def without_named(
    counted: Iterable[CountedCondition], reply: Reply
) -> tuple[CountedCondition, ...]:
    """Return the conditions that no line of the answer names yet."""
    lines = [part for part in reply.lines if isinstance(part, Line)]
    modifiers = {name for line in lines for name, _ in line.parts}
    text = reply.text().casefold().replace("-", " ")
    return tuple(
        one
        for one in counted
        if not (one.is_named and not one.modifiers)
        and modifiers.isdisjoint(name for name, _ in one.modifiers)
        and one.condition.word.replace("-", " ") not in text
    )


def counted_sentence(counted: Iterable[CountedCondition]) -> str:
    """Return what counts by unit: `From Rifle: − 2 assault movement. From Local: + 1 moved.`"""
    by_units: dict[tuple[str, ...], list[str]] = {}
    for one in counted:
        by_units.setdefault(one.condition.units, []).append(one.text)
    return " ".join(
        f"From {joined(units)}: {', '.join(dict.fromkeys(texts))}."
        for units, texts in by_units.items()
    )


def _list_conditions(
    sequence: Sequence, plays: Iterable[Planned], roster: Roster
) -> list[Condition]:
    """Return the conditions of all units that the plays name, alike ones of a list together."""
    units: dict[str, dict[str, RosterUnit]] = {}
    for one in plays:
        for option, unit in _named(one):
            if unit.name and (known := roster.get(unit.name.casefold())) is not None:
                units.setdefault(option, {})[known.name] = known
    have: dict[tuple[str, str, str], list[str]] = {}
    for option, listed in units.items():
        for member in listed.values():
            for kind, word in _conditions_of(sequence, member):
                have.setdefault((option, kind, word), []).append(member.name)
    return list(
        dict.fromkeys(
            Condition(kind, word, tuple(names)) for (_, kind, word), names in have.items()
        )
    )


def _named(play: Planned) -> Iterator[tuple[str, Unit]]:
    """Yield the units of a play with the option that names them."""
    yield from play.given.roster.items()
    for option, units in play.given.lists.items():
        for unit in units:
            yield option, unit


def _conditions_of(sequence: Sequence, unit: RosterUnit) -> Iterator[tuple[str, str]]:
    """Yield the markers, the state and the words of attributes of a unit, each with its kind.

    A number or word that is printed on the counter is no condition.
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


def _roster_without(sequence: Sequence, roster: Roster, condition: Condition) -> Roster:
    """Return the roster whose units of the condition do not have it."""
    words = sequence.system.words["units"]
    units = dict[str, RosterUnit]()
    for unit in roster.values():
        if unit.name not in condition.units:
            units[unit.name] = unit
        elif condition.kind == "marker":
            units[unit.name] = replace(unit, marks=unit.marks - {condition.word})
        elif condition.kind == "state":
            units[unit.name] = replace(unit, state=words.fresh or words.sound)
        else:
            numbers = {key: it for key, it in unit.numbers.items() if key != condition.kind}
            units[unit.name] = replace(unit, numbers=numbers)
    return by_name(units.values())


class _Trial:
    """A roll played with fixed hands of dice by one roster."""

    def __init__(
        self,
        sequence: Sequence,
        raw: Mapping[str, object],
        roster: Roster,
        plays: tuple[Planned, ...],
    ) -> None:
        self._sequence = sequence
        self._hands = dict[int, tuple[Played, ...] | None]()
        try:
            self._plays = plays or _plan(sequence, raw, roster)
        except UserError:
            self._plays = ()

    def differs_from(self, other: "_Trial") -> bool:
        """Return whether some hand of dice leads to another sum or result."""
        return any(
            Counter(_parts(own)) != Counter(_parts(changed)) or _results(own) != _results(changed)
            for own, changed in self._pairs(other)
        )

    def modifiers_gone(self, other: "_Trial") -> tuple[tuple[str, int], ...]:
        """Return the modifiers that `other` lacks, by the first hand that shows some."""
        gone = (_modifiers_gone(own, changed) for own, changed in self._pairs(other))
        return next(filter(None, gone), ())

    def words_gone(self, other: "_Trial") -> bool:
        """Return whether a line has words that `other` lacks, with a hand of the same results."""
        return any(
            _fates(own) == _fates(changed) and not _words(own) <= _words(changed)
            for own, changed in self._pairs(other)
        )

    def _pairs(self, other: "_Trial") -> Iterator[tuple[tuple[Played, ...], tuple[Played, ...]]]:
        """Yield what both play with each hand that neither refuses."""
        for hand in range(HANDS):
            own = self._play(hand)
            changed = other._play(hand)
            if own is not None and changed is not None:
                yield own, changed

    def _play(self, hand: int) -> tuple[Played, ...] | None:
        """Return the plays with this hand; None if the rules refuse it."""
        if hand not in self._hands:
            try:
                self._hands[hand] = (
                    tuple(
                        self._sequence.play(one.plan, _FixedDice(hand + 1)) for one in self._plays
                    )
                    or None
                )
            except UserError:
                self._hands[hand] = None
        return self._hands[hand]


def _modifiers_gone(
    own: tuple[Played, ...], other: tuple[Played, ...]
) -> tuple[tuple[str, int], ...]:
    """Return the modifiers of the lines of `own` whose names do not stand in `other`, each once."""
    parts = dict.fromkeys(_parts(own))
    names = {name for name, _ in _parts(other)}
    return tuple(
        (name, value)
        for name, value in parts
        if name not in names and isinstance(value, int) and value
    )


def _parts(plays: Iterable[Played]) -> Iterator[tuple[str, Any]]:
    for played in plays:
        for line in played.lines:
            yield from line.parts


def _words(plays: Iterable[Played]) -> set[str]:
    """Return the words of all lines."""
    texts = (f"{line.label} {line.result}" for played in plays for line in played.lines)
    return {word for text in texts for word in re.findall(r"[^\W\d]+", text)}


def _results(plays: Iterable[Played]) -> list[object]:
    """Return what the odds may be of: outputs and the results of units."""
    plays = tuple(plays)
    outputs = [{name: repr(value) for name, value in played.out.items()} for played in plays]
    return [outputs, _fates(plays)]


def _fates(plays: Iterable[Played]) -> list[object]:
    return [(fate.unit, fate.token) for played in plays for fate in played.settlement.fates]
