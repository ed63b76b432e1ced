"""Lines that begin with a unit, such as `Brandt fires at Able`: the command that was probably meant."""

from collections import Counter
from collections.abc import Iterator, Mapping

from bot.game.roster import sort_units
from bot.game.state import Game
from bot.presentation.unit_reasons import find_acting_option, find_reason
from bot.rules.errors import UserError
from bot.rules.inputs.options import TARGETS, Option
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.normalize import comparison_key, word_key
from bot.rules.text.phrase import phrase
from bot.rulesets.system import FIRES, Sequence, System, is_lost
from bot.ui.registry import Registry
from bot.ui.typing.command_text import tokenize, without_slash
from bot.ui.typing.roster_example import write_roster_example

MAX_NAME_WORDS = 4
"""Maximum number of words of a unit's name at the beginning of a line."""
MAX_UNITS_TRIED = 30
"""Units of a side that are tried as targets, or in the place of a unit that cannot act."""
MAX_WORDS = 20
"""Words of a line that are looked at."""


def hint_unit_first(
    error: UserError, text: str, game: Game, system: System, commands: Registry
) -> None:
    """Say in `error` that a command does not begin with a unit, if the line does.

    The hint has a command that this unit can do, with the verb and the target of the line if they
    are known, and with example values for whatever else it needs; or else its card.
    """
    words = _list_words(text)
    units = [unit for unit in sort_units(game.units.values()) if not is_lost(unit, system)]
    units_by_key = _index_names(units)
    unit, count = _find_unit(words, units_by_key)
    if unit is None:
        return
    rest = words[count:]
    own_units = [other for other in units if other.side == unit.side]
    other_units = [other for other in units if other.side != unit.side]
    candidates = [*_list_named_units(rest, units_by_key), *other_units[:MAX_UNITS_TRIED]]
    candidates += own_units[:MAX_UNITS_TRIED]
    line = _write_command(unit, rest, candidates, system, commands) or f"unit show {unit.handle}"
    error.message = f"{unit.name} is a unit; a command begins with what it does."
    error.hint = phrase("For example: `/{line}`", line=line)


def _list_words(text: str) -> list[str]:
    """Return the first words of a line; a quoted name is one. [] for a line that cannot be read."""
    try:
        tokens = tokenize(without_slash(text))
    except UserError:
        return []
    return [token.value.strip(",.!") for token in tokens[:MAX_WORDS] if not token.key]


def _index_names(units: list[RosterUnit]) -> dict[str, RosterUnit]:
    """Return the units by handle, by name, and by the last word of a name if it is of one unit."""
    units_by_key = dict[str, RosterUnit]()
    last_words = Counter(_get_last_word(unit) for unit in units)
    for unit in units:
        word = _get_last_word(unit)
        if last_words[word] == 1:
            units_by_key.setdefault(word, unit)
    for unit in units:
        units_by_key[comparison_key(unit.name)] = unit
        units_by_key[unit.handle] = unit
    return units_by_key


def _get_last_word(unit: RosterUnit) -> str:
    return comparison_key(unit.name).rpartition(" ")[2]


def _find_unit(
    words: list[str], units_by_key: Mapping[str, RosterUnit]
) -> tuple[RosterUnit | None, int]:
    """Return the unit that the words begin with, and how many of them name it; None if none does."""
    for count in range(min(MAX_NAME_WORDS, len(words)), 0, -1):
        unit = units_by_key.get(comparison_key(" ".join(words[:count])))
        if unit is not None:
            return unit, count
    return None, 0


def _write_command(
    unit: RosterUnit,
    rest: list[str],
    units: list[RosterUnit],
    system: System,
    commands: Registry,
) -> str:
    """Return a command of the game that has a unit do what the `rest` of the line says; "" for none.

    `units` are those that may take part, the likeliest targets first.

    A squad that cannot act itself is replaced by the first of its men that can, and a man by the
    squad they belong to.
    """
    related = [other for other in units if unit.name in other.numbers.values()]
    related += [other for other in units if other.name in unit.numbers.values()]
    for sequence in _rank_sequences(rest, system):
        option = find_acting_option(sequence)
        spec = commands.get((system.id, sequence.id))
        if option is None or spec is None:
            continue
        for actor in (unit, *related):
            if not _fits(sequence, option, actor):
                continue
            targets = _list_targets(sequence, actor, units)
            line = write_roster_example(spec, commands, [actor, *targets], actor.side)
            if line:
                return line.removeprefix("/")
    return ""


def _fits(sequence: Sequence, option: Option, unit: RosterUnit) -> bool:
    """Return whether a unit can be in an option of a sequence, as far as the roster says."""
    likely = {*option.likely}
    is_likely = not likely or not likely.isdisjoint({unit.type, unit.state, *unit.marks, "own"})
    return is_likely and find_reason(sequence, option, unit) is None


def _list_targets(
    sequence: Sequence, actor: RosterUnit, units: list[RosterUnit]
) -> list[RosterUnit]:
    """Return the first of these units that can be a target of the actor, in a list; [] for none."""
    option = next((option for option in sequence.inputs if option.part == TARGETS), None)
    if option is None or option.type not in ("unit", "units"):
        return []
    for unit in units:
        if unit.side != actor.side and _fits(sequence, option, unit):
            return [unit]
    return []


def _list_named_units(
    words: list[str], units_by_key: Mapping[str, RosterUnit]
) -> Iterator[RosterUnit]:
    """Yield the units that are named anywhere in the words."""
    index = 0
    while index < len(words):
        unit, count = _find_unit(words[index:], units_by_key)
        if unit is not None:
            yield unit
        index += count or 1


def _rank_sequences(words: list[str], system: System) -> list[Sequence]:
    """Return the sequences that a word of the line names or does, best first; [] if none does.

    A word is the sequence's id, part of it, or its verb; any word for firing means all that fire.
    An id with more parts in the line goes first.
    """
    stems = {stem for word in words for stem in _list_stems(word)}
    is_firing = not stems.isdisjoint(verb.casefold() for verb in FIRES)
    ranks = dict[str, int]()
    for id, sequence in system.sequences.items():
        matches = stems.intersection(id.split("-"))
        if matches:
            ranks[id] = -len(matches)
        elif sequence.verb.casefold() in stems:
            ranks[id] = 0
        elif is_firing and sequence.verb in FIRES:
            ranks[id] = 1
    return [system.sequences[id] for id in sorted(ranks, key=lambda id: ranks[id])]


def _list_stems(word: str) -> Iterator[str]:
    """Yield a word and what it may be a form of: `fires`, `fire`; `rallies`, `rally`."""
    key = word_key(word)
    yield key
    for ending, replacements in (
        ("ies", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
    ):
        if key.endswith(ending):
            for replacement in replacements:
                yield key.removesuffix(ending) + replacement
