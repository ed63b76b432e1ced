"""The meanings and values of the words of a sequence, for help, forms and docs. They are read from
the tables themselves.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from bot.rules.inputs.options import Option
from bot.rules.inputs.units import UnitWords
from bot.rules.sequence.sequence import ACTOR
from bot.rules.tables.table import Table
from bot.rulesets.system import Sequence, System
from bot.ui.spec import CommandSpec


def explain_options(sequence: Sequence) -> tuple[Option, ...]:
    """Return the inputs of a sequence, with the value that each flag and word has in its tables of
    modifiers: `+2, target adjacent`.
    """
    tables = [sequence.system.readable_tables[id] for id in sequence.modifiers]
    if not tables:
        return sequence.inputs
    return tuple(_explain_option(option, tables) for option in sequence.inputs)


def describe_choices(sequence: Sequence) -> Iterator[str]:
    """Yield a sentence for each choice in the middle of a sequence: the side that is asked, the
    options, and the one that counts without an answer. None if the game never asks.
    """
    if not sequence.system.may_ask:
        return
    for choice in sequence.choices.values():
        side = "the side that acts" if choice.chooser == ACTOR else f"the side of {choice.chooser}"
        options = " or ".join(", ".join(choice.options).rsplit(", ", 1))
        yield (
            f"Partway through, {side} may have to choose ({choice.name}): {options}. "
            f"After two days without an answer, it's {choice.default}."
        )


def ask_side_by_name(option: Option) -> Option:
    """Return an option for side a or b of a card as a game asks for it: by the name of a side, and
    optional. Any other option stays as it is.
    """
    if option.complete != "side":
        return option
    return replace(
        option,
        type="str",
        values=(),
        optional=True,
        help=f"{option.help}; blank: as set in the game",
    )


def _explain_option(option: Option, tables: Iterable[Table]) -> Option:
    """Return a flag, enum or list of modifiers with the values of its words in its help and in
    `worths`; any other option as it is.
    """
    if option.type == "bool":
        return _explain_flag(option, tables)
    if option.type == "enum":
        return _explain_enum(option, tables)
    if option.type == "mods":
        return _explain_modifiers(option, tables)
    return option


def _explain_flag(option: Option, tables: Iterable[Table]) -> Option:
    """Return a flag with its value before its help."""
    value = _format_values(tables, option.name, True)
    brief = _prefix_value(value, option.brief) if option.brief else ""
    worths = {option.name: value} if value else {}
    return replace(option, help=_prefix_value(value, option.help), brief=brief, worths=worths)


def _explain_enum(option: Option, tables: Iterable[Table]) -> Option:
    """Return an enum with the values of its words.

    A word that adds nothing is shown as +0, unless it is the default.
    """
    values = {word: _format_values(tables, option.name, word) for word in option.values}
    worths = {word: value for word, value in values.items() if value}
    has_default_without_value = option.default in option.values and option.default not in worths
    if worths and not has_default_without_value:
        worths = {word: value or "+0" for word, value in values.items()}
    listed = ", ".join(f"{word} {value}" for word, value in worths.items())
    help = f"{option.help} ({listed})" if listed else option.help
    return replace(option, help=help, worths=worths)


def _explain_modifiers(option: Option, tables: Iterable[Table]) -> Option:
    """Return a list of modifiers with the value of each word, before its meaning: its own one, or
    else the help of the tables' input.
    """
    values = {word: _format_values(tables, word, True) for word in option.values}
    meanings = {}
    for word, value in values.items():
        text = _prefix_value(value, _find_help(tables, word))
        if text:
            meanings[word] = text
    for word, meaning in option.meanings.items():
        meanings[word] = _prefix_value(values.get(word, ""), meaning)
    worths = {word: value for word, value in values.items() if value}
    return replace(option, meanings=meanings, worths=worths)


def _prefix_value(value: str, text: str) -> str:
    """Return a text with the value before it: `+2, target adjacent`. Either may be empty."""
    return f"{value}, {text}" if value and text else value or text


def _find_help(tables: Iterable[Table], name: str) -> str:
    """Return the help of the first input with this name, or ""."""
    inputs = (option for table in tables for option in table.inputs)
    return next((option.help for option in inputs if option.name == name), "")


def _format_values(tables: Iterable[Table], name: str, value: object) -> str:
    """Return what the input `name`, set to `value`, adds in these tables; several values if the
    tables differ: `+1 / +2`; "" if it adds nothing in any of them.
    """
    values = dict.fromkeys(format_modifier_value(table, name, value) for table in tables)
    return " / ".join(filter(None, values))


def format_modifier_value(table: Table, name: str, value: object) -> str:
    """Return what the input `name` of a table of modifiers adds if only it is set, to `value`:
    `+2`, `defense -1`, or "" for nothing or an unknown input. Of a number it is what 1 adds,
    whatever `value` is.

    Required inputs get sample values. If the value depends on a single one, it is given for each of
    these: `spot +4, shoot -4`; "" if it depends on several.
    """
    option = next((option for option in table.inputs if option.name == name), None)
    if option is None or not table.modifiers:
        return ""
    if option.type == "enum" and value not in option.values:
        return ""
    if option.type in ("int", "number"):
        value = 1
    required = [other for other in table.inputs if other.is_required and other is not option]
    values_by_base = _compute_values_by_base(table, required, option, value)
    if len(set(values_by_base.values())) == 1:
        return next(iter(values_by_base.values()))
    if len(required) != 1:
        return ""
    return ", ".join(f"{label} {added or '+0'}" for label, added in values_by_base.items())


def _compute_values_by_base(
    table: Table, required: list[Option], option: Option, value: object
) -> dict[str, str]:
    """Return what a value of an input adds, for each combination of sample values of the required
    inputs; the keys are these values in words.
    """
    names = [other.name for other in required]
    values_by_base = {}
    for words in product(*map(_list_sample_values, required)):
        base = dict(zip(names, words, strict=True))
        label = " ".join(map(str, words))
        values_by_base[label] = _compute_added_values(table, base, option, value)
    return values_by_base


def _list_sample_values(option: Option) -> tuple[object, ...]:
    """Return sample values of a required input: all its words, or the least number."""
    return option.values or (option.min or 0,)


def _compute_added_values(
    table: Table, base: Mapping[str, object], option: Option, value: object
) -> str:
    """Return what a value of an input adds to each total of a table; "" for nothing. `base` are the
    values of the required inputs.

    The first total goes without its name: `+2`, or `+2 defense -1`. Only rows count that some other
    value of the input changes.
    """
    if option.type == "int":
        alternatives: tuple[object, ...] = (0, value)
    else:
        alternatives = option.values or (False, True)
    rows_by_value = {
        other: _compute_parts(table, base, {option.name: other})
        for other in dict.fromkeys((value, *alternatives))
    }
    sums: dict[str, float] = {}
    for key, added in rows_by_value[value].items():
        if any(rows.get(key) != added for rows in rows_by_value.values()):
            _, total = key
            sums[total] = sums.get(total, 0) + added
    totals = [name for name, kind in table.outputs.items() if kind == "int"]
    pieces = []
    for index, total in enumerate(totals):
        change = sums.get(total, 0)
        if change:
            label = "" if index == 0 else total.removesuffix("_mod").replace("_", " ") + " "
            pieces.append(f"{label}{change:+g}")
    return " ".join(pieces)


def _compute_parts(
    table: Table, base: Mapping[str, object], inputs: Mapping[str, object]
) -> dict[tuple[str, str], float]:
    """Return {(row, total): number} of what each row of a table of modifiers adds."""
    return {(part.id, part.total): part.value for part in table(**base, **inputs).parts}


def format_unit_words(words: UnitWords) -> tuple[str, ...]:
    """Return lines with all that a list of units may contain: types, numbers with their limits,
    flags, states and counts.
    """
    lines = [f"types: {', '.join(words.types)}"]
    for name, option in words.keys.items():
        if option.type == "mods":
            limits = option.expectation if option.values else "3 or 3,2"
        else:
            limits = option.expectation.removeprefix("a whole number from ")
        lines.append(f"{name}= {option.help} ({limits})")
    lines += [f"{name}: {text}" for name, text in words.flags.items()]
    for name, flags in words.states.items():
        if name not in words.flags:
            lines.append(f"{name}: the state {' and '.join(flags)}")
    if words.sound:
        lines.append(f"{words.sound}: without any of these states, whatever the roster says")
    if words.repeat:
        lines.append(f"{words.repeat}= how many of them, as in {words.types[0]} {words.repeat}=3")
    if words.bare:
        lines.append(f"a number alone: that many of type {words.bare}")
    lines.append("-word or word=no: turns off a flag that a roster unit has")
    return tuple(lines)


def group_unit_lists(options: Iterable[Option]) -> dict[str, list[str]]:
    """Return the names of the options that take a list of units, by the kind of list in the game's
    file.
    """
    names_by_list: dict[str, list[str]] = {}
    for option in options:
        if option.type == "units":
            names_by_list.setdefault(option.units or "units", []).append(option.name)
    return names_by_list


def format_all_unit_words(game: System) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (title, lines) for each kind of unit list in a game; the title has its options and
    sequences.

    With several kinds, the lines that all of them share come first, as "every list".
    """
    options: dict[str, dict[str, None]] = {}
    sequences: dict[str, dict[str, None]] = {}
    for sequence in game.sequences.values():
        for name, option_names in group_unit_lists(sequence.inputs).items():
            options.setdefault(name, {}).update(dict.fromkeys(option_names))
            sequences.setdefault(name, {})[sequence.id] = None
    lines_by_list = {name: format_unit_words(game.words[name]) for name in options}
    if len(lines_by_list) == 1:
        for name, lines in lines_by_list.items():
            yield ", ".join(options[name]), lines
        return
    all_lines = list(lines_by_list.values())
    first_lines = all_lines[0] if all_lines else ()
    shared = [line for line in first_lines if all(line in lines for lines in all_lines)]
    if shared:
        yield "every list", tuple(shared)
    for name, lines in lines_by_list.items():
        title = f"{', '.join(options[name])} of {', '.join(sequences[name])}"
        yield title, tuple(line for line in lines if line not in shared)


ADD = ("unit", "add")
EDIT = ("unit", "edit")
SET_TRACK = ("track", "set")
MOST = 2
"""Maximum number of a unit's numbers in an example."""


def build_example(spec: CommandSpec, game: System | None, side: str = "") -> str:
    """Return the example of a command. Those that set a track or units have one for the `game` that
    is played, if there is one; other commands have their own example. A unit is added to `side`, which is
    written as it must be typed.
    """
    if game is None:
        return spec.example
    if spec.path == SET_TRACK and game.tracks:
        track = next(iter(game.tracks.values()))
        return f"/track set {track.example}"
    if spec.path not in (ADD, EDIT) or spec.system:
        return spec.example
    unit_type = game.words["units"].types[0]
    name = f"{unit_type.replace('-', ' ').capitalize()} 1"
    numbers = _list_example_numbers(game)
    if spec.path == ADD:
        side_words = [side] if side else []
        return " ".join([f'/unit add "{name}" {unit_type}', *side_words, *numbers])
    state = next(iter(game.game["units"].get("states") or ()), "")
    return f'/unit edit "{name}" {f"state={state}" if state else " ".join(numbers)}'


def _list_example_numbers(game: System) -> list[str]:
    """Return up to MOST numbers of a unit, as `key=value`, from the examples of a game's
    sequences.
    """
    keys = game.words["units"].keys
    numbers = dict[str, str]()
    for sequence in game.sequences.values():
        for option in sequence.inputs:
            if option.type != "units":
                continue
            text = str(sequence.example.get(option.name) or "")
            for word in text.replace(";", " ").split():
                key, _, value = word.partition("=")
                if value and key in keys:
                    numbers.setdefault(key, word)
    return list(numbers.values())[:MOST]
