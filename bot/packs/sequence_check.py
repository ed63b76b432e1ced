"""The check of results and numbers in game.yaml and steps that a sequence or unit cannot have."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bot.game.roster_file import find_scenario
from bot.presentation.headline import get_result_headline
from bot.rules.declared.compile_context import get_stated_type, list_output_words
from bot.rules.dice import Die, Source
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.proof.fair import Stream
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.play_once import list_choice_branches, play_sequence
from bot.rulesets.system import SCENARIOS, Sequence, System

TRIED = 12
"""Rolls of an example that are tried, besides its lowest and its highest dice."""
NOT_A_FAULT = ("too-large", "blank-cell")
"""Refusals of dice that are no fault of the steps."""
NUMBERED = "number"
"""Stands for the results of odds by a number."""
NOTHING = "none"
"""The result of a unit to which nothing happens; every sequence may have it."""


class SteadyDice:
    """A dice source in which all dice show their lowest face, or all their highest."""

    def __init__(self, *, is_high: bool) -> None:
        self._is_high = is_high

    def draw(self, die: Die) -> int | str:
        """Return the face that a die shows."""
        if die.sides == 0:  # a card whose place is known
            return 1
        return die.value(die.sides if self._is_high else 1)


def list_first_line_questions(sequence: Sequence, row: str) -> Iterator[str]:
    """Yield a question if the answers of a sequence begin without a result, and one about results
    of units that game.yaml has no words for.

    It is for sequences without `results` in game.yaml. `row` begins each question.
    """
    has_result = False
    tokens = dict[str, None]()
    for source in _list_sources():
        try:
            play = play_sequence(sequence, sequence.add_default_choices(sequence.example), source)
        except UserError:
            continue
        tokens |= dict.fromkeys(result.token for result in play.resolution.unit_results)
        if get_result_headline(play.resolution, play.out, sequence.system):
            has_result = True
    if not has_result and not tokens:
        yield f"{row}: no step has a headline, so its answers start without a result"
    if tokens and isinstance(sequence.system, PackSystem):
        words = ", ".join(tokens)
        yield (
            f"{row}: game.yaml has no wording for {words}: add it under results: {sequence.id}, "
            f'such as {next(iter(tokens))}: {{says: "{{}} ..."}}'
        )


def _list_sources() -> list[Source]:
    """Return the dice that examples are tried with, the same each time."""
    sources: list[Source] = [SteadyDice(is_high=False), SteadyDice(is_high=True)]
    return sources + [Stream(bytes([number]) * 32, "check", number) for number in range(TRIED)]


def find_bad_dice(sequence: Sequence) -> UserError | None:
    """Return the error of dice of the example that come to no result; None if all have one.

    The same dice are tried each time: the lowest, the highest, and a few others, with each option
    of a choice. The errors of a formula are not caught.
    """
    sources = _list_sources()
    for _, inputs in list_choice_branches(sequence, sequence.example):
        for source in sources:
            try:
                play_sequence(sequence, inputs, source)
            except UserError as error:
                if error.code not in NOT_A_FAULT:
                    return error
    return None


def list_strange_results(system: System) -> Iterator[str]:
    """Yield a fault for each result in `scores` and `odds` that its sequence cannot have. Sequences
    without declared steps are not checked.
    """
    game = system.own_game if isinstance(system, PackSystem) else system.game
    for part in ("scores", "odds"):
        for id, results in (game.get(part) or {}).items():
            sequence = system.sequences.get(id)
            if sequence is None or sequence.declaration is None:
                continue
            row = f"{system.id}/game.yaml, row {part} {id}"
            kinds = sequence.declaration.result_kinds()
            yield from _list_strange(list(_list_results(results)), sequence, kinds, row)


def _list_strange(
    words: Collection[str], sequence: Sequence, kinds: Collection[Any], row: str
) -> Iterator[str]:
    """Yield a fault for each of the words that is no result of outputs of these kinds.

    NOTHING is always one, and nothing is a fault if an output may be any word. Results without any
    output are one fault. `row` is the file and row that the faults begin with.
    """
    if words and not kinds:
        yield f"{row}: the sequence has no odds_by, so it has no results"
        return
    possible_results = set[str]()
    for kind in kinds:
        results = _find_possible_results(kind, sequence.system)
        if results is None:
            return
        possible_results |= results
    for word in words:
        is_number = NUMBERED in possible_results and word.lstrip("-").isdecimal()
        if not is_number and word not in {*possible_results, NOTHING}:
            hint = _make_hint(word, possible_results)
            yield f"{row} {word}: {sequence.id} has no such result. {hint}"


def _list_results(part: Any) -> Iterator[str]:
    """Yield the results in `{result: score}` or `{question: [result, ...]}`."""
    for key, value in part.items() if isinstance(part, Mapping) else ():
        if isinstance(value, list):
            yield from map(str, value)
        elif isinstance(value, str):
            yield value
        else:
            yield str(key)


def _make_hint(word: str, possible_results: Iterable[str]) -> str:
    """Return a result that the word may have been meant for, or else the list of all results."""
    results = {*possible_results}
    words = sorted(results - {NUMBERED})
    suggestion = did_you_mean(word, words)
    if suggestion:
        return suggestion
    if NUMBERED in results:
        words.append("whole numbers")
    return f"Its results are {', '.join(words)}."


def _find_possible_results(kind: object, system: System) -> set[str] | None:
    """Return the results that an output of this kind may be; None if any word may be one.

    A number has the only result NUMBERED, and yes or no has four: true, false, yes and no.
    """
    if isinstance(kind, str) and kind in system.lists:
        return set(map(str, system.lists[kind]))
    type_ = get_stated_type(kind)
    if type_ == "number":
        return {NUMBERED}
    if type_ == "bool":
        return {"true", "false", "yes", "no"}
    return list_output_words(kind) or None


def list_dead_brings(system: System) -> Iterator[str]:
    """Yield a fault for each `brings` of an input that no unit can ever answer: it names no input
    with one unit, or nothing that a unit has.
    """
    ids: Iterable[str] = system.sequences
    if isinstance(system, PackSystem):
        ids = system.list_own_sequences()
    for id in ids:
        sequence = system.sequences[id]
        for option in sequence.inputs:
            problem = _describe_dead_brings(option, sequence) if option.brings else ""
            if problem:
                row = f"{system.id}/sequences.yaml, row {id} inputs {option.name}"
                yield f"{row}: brings {option.brings}: {problem}"


def _describe_dead_brings(option: Option, sequence: Sequence) -> str:
    """Return why no unit can bring the value of an option, "" if one can."""
    holder_name, _, keys = option.brings.partition(".")
    holders = {
        entry.name: entry.type for entry in sequence.inputs if entry.type in ("unit", "units")
    }
    types = ["unit"]
    if sequence.declaration is None:  # a sequence in Python counts the flags of a list itself
        types.append("units")
    if holders.get(holder_name) not in types:
        if holder_name in holders:
            return (
                f"{holder_name} is a list of units, and `brings` only works with an input of type unit. "
                f"A step can read the value instead: has(unit, '{keys or option.name}') for a flag or marker, "
                f"unit.{keys or option.name} for a number"
            )
        return f"there is no input {holder_name} with a unit. {did_you_mean(holder_name, holders)}".rstrip()
    names = _list_unit_words(option, sequence.system)
    for key in re.split(r"[|+]", keys):
        if key not in names:
            hint = did_you_mean(key, names) or f"It has {', '.join(sorted(names)) or 'none'}."
            kind = "attribute"
            if option.type == "bool":
                kind = "flag, marker, state or type"
            return f"a unit has no {kind} {key}. {hint}"
    return ""


def _list_unit_words(option: Option, system: System) -> set[str]:
    """Return the names after the dot of `brings` that some unit can answer for this option."""
    words = system.words["units"]
    if option.type != "bool":
        return {*words.keys, "type", "state"}
    state_flags = [flag for flags in words.states.values() for flag in flags]
    markers = (system.game.get("units") or {}).get("markers") or ()
    own_words = {*words.types, *words.flags, *words.known_states, *words.states}
    return own_words | {*state_flags, *words.marks, *words.marks.values(), *markers}


def list_lost_additions(system: PackSystem) -> Iterator[str]:
    """Yield a question for each number of units that steps add to, and that no unit has.

    Only a pack whose game has scenarios is asked: without one nobody knows what units have.
    """
    games = [game for game in (system, system.parent or system.base) if game is not None]
    units = [
        unit
        for game in games
        for name in game.list_files(SCENARIOS)
        for unit in find_scenario(game, name).units.values()
    ]
    if not units:
        return
    known_keys = {key for unit in units for key in unit.numbers}
    known_keys |= system.words["units"].defaults.keys()
    for id in system.list_own_sequences():
        declaration = system.sequences[id].declaration
        added_keys = declaration.numbers_added_to if declaration is not None else ()
        for key in sorted(set(added_keys) - known_keys):
            yield (
                f"{system.id}/sequences.yaml, row {id}: it adds to {key}, which no unit in any scenario has: "
                f"give the attribute a starting value (default: 0), or nothing is added"
            )
