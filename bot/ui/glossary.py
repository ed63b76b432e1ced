"""What the words of a sequence mean and are worth: for help, forms and docs, read from the
tables themselves.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from bot.rules.inputs.options import Option
from bot.rules.inputs.units import UnitWords
from bot.rules.sequence.sequence import ACTOR
from bot.rules.tables.table import Table
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import Sequence, System
from bot.ui.spec import CommandSpec


def explain_options(sequence: Sequence) -> tuple[Option, ...]:
    """The options of a sequence, each flag and word with what its table of modifiers adds: `+2,
    target adjacent`.
    """
    tables = [sequence.system.readable_tables[id] for id in sequence.modifiers]
    return (
        tuple(_explain_option(option, tables) for option in sequence.inputs)
        if tables
        else sequence.inputs
    )


def describe_choices(sequence: Sequence) -> Iterator[str]:
    """A sentence for each choice in its middle: who is asked, the options, and what counts where
    nobody answers.
    """
    for choice in sequence.choices.values() if sequence.system.may_ask else ():
        who = "the side that acts" if choice.who == ACTOR else f"the side of {choice.who}"
        options = " or ".join(", ".join(choice.options).rsplit(", ", 1))
        yield f"In the middle {who} may be asked ({choice.name}): {options}. After two days it is {choice.otherwise}."


def ask_side_by_name(option: Option) -> Option:
    """An option that a card fills with side a or b, as a game asks for it: by the name of a
    side, or not at all.
    """
    if option.complete != "side":
        return option
    return replace(
        option,
        type="str",
        values=(),
        optional=True,
        help=f"{option.help}; left out: as the game has it",
    )


def _explain_option(option: Option, tables: Iterable[Table]) -> Option:
    if option.type == "bool":
        worth = _format_values(tables, option.name, True)
        brief = option.brief and _prefix_value(worth, option.brief)
        worths = {option.name: worth} if worth else {}
        return replace(option, help=_prefix_value(worth, option.help), brief=brief, worths=worths)
    if option.type == "enum":
        worths = {
            word: worth
            for word in option.values
            if (worth := _format_values(tables, option.name, word))
        }
        if worths and option.default not in set(option.values) - set(worths):
            # no default that adds nothing
            worths = {word: worths.get(word, "+0") for word in option.values}
        shown = ", ".join(f"{word} {worth}" for word, worth in worths.items())
        return replace(
            option, help=f"{option.help} ({shown})" if shown else option.help, worths=worths
        )
    if option.type == "mods":
        worths = {
            word: worth for word in option.values if (worth := _format_values(tables, word, True))
        }
        said = {
            word: _prefix_value(worths.get(word, ""), _find_help(tables, word))
            for word in option.values
        }
        own = {
            word: _prefix_value(worths.get(word, ""), text)
            for word, text in option.meanings.items()
        }
        return replace(
            option,
            meanings={**{word: text for word, text in said.items() if text}, **own},
            worths=worths,
        )
    return option


def _prefix_value(worth: str, text: str) -> str:
    return f"{worth}, {text}" if worth and text else worth or text


def _find_help(tables: Iterable[Table], name: str) -> str:
    return next(
        (option.help for table in tables for option in table.inputs if option.name == name), ""
    )


def _format_values(tables: Iterable[Table], name: str, value: object) -> str:
    """What a word adds by these tables; one after the other where they differ."""
    found = dict.fromkeys(
        worth for table in tables if (worth := format_modifier_value(table, name, value))
    )
    return " / ".join(found)


def format_modifier_value(table: Table, name: str, value: object) -> str:
    """What an input of a table of modifiers adds when it alone has this value: `+2`, `defense -1`,
    or nothing.

    Where the table asks for more before it answers, what it adds for each: `spot +4, shoot -4`.
    """
    option = next((option for option in table.inputs if option.name == name), None)
    if (
        option is None
        or not table.modifiers
        or (option.type == "enum" and value not in option.values)
    ):
        return ""
    asked = [other for other in table.inputs if other.is_required and other is not option]
    given = 1 if option.type in ("int", "number") else value
    bases = [
        dict(zip([other.name for other in asked], words, strict=True))
        for words in product(*map(_list_sample_values, asked))
    ]
    each = {
        " ".join(map(str, base.values())): _compute_added_values(table, base, option, given)
        for base in bases
    }
    if len(set(each.values())) == 1:
        return next(iter(each.values()))
    return (
        ", ".join(f"{words} {worth or '+0'}" for words, worth in each.items())
        if len(asked) == 1
        else ""
    )


def _list_sample_values(option: Option) -> tuple[object, ...]:
    """Values that a needed input may have: all words, or the least number."""
    return option.values or (option.min or 0,)


def _compute_added_values(
    table: Table, base: Mapping[str, object], option: Option, value: object
) -> str:
    """What this value adds to each total: the rows of the table that are there because of this
    input, and no others.
    """
    others = option.values or (False, True) if option.type != "int" else (0, value)
    rows = {
        other: _compute_parts(table, base, {option.name: other})
        for other in {value: None, **dict.fromkeys(others)}
    }
    own = [
        at
        for at, adds in rows[value].items()
        if any(parts.get(at) != adds for parts in rows.values())
    ]
    totals = [name for name, kind in table.outputs.items() if kind == "int"]
    changes = [(name, sum(rows[value][at] for at in own if at[1] == name)) for name in totals]
    return " ".join(
        f"{change:+g}"
        if name == totals[0]
        else f"{name.removesuffix('_mod').replace('_', ' ')} {change:+g}"
        for name, change in changes
        if change
    )


def _compute_parts(
    table: Table, base: Mapping[str, object], given: Mapping[str, object]
) -> dict[tuple[str, str], float]:
    """What each row of a table of modifiers adds to which total."""
    return {(part.id, part.total): part.value for part in table(**base, **given).parts}


def format_unit_words(words: UnitWords) -> tuple[str, ...]:
    """What may be in a unit list, in lines: types, numbers with their limits, flags, states,
    counts.
    """
    lines = [f"types: {', '.join(words.types)}"]
    for name, option in words.keys.items():
        several = option.expectation if option.values else "3 or 3,2"
        limits = (
            several
            if option.type == "mods"
            else option.expectation.removeprefix("a whole number from ")
        )
        lines.append(f"{name}= {option.help} ({limits})")
    lines += [f"{name}: {text}" for name, text in words.flags.items()]
    joined = ((name, flags) for name, flags in words.states.items() if name not in words.flags)
    lines += [f"{name}: the state {' and '.join(flags)}" for name, flags in joined]
    if words.sound:
        lines.append(f"{words.sound}: without any of these states, whatever the roster says")
    if words.repeat:
        lines.append(
            f"{words.repeat}= how many of the same, as in {words.types[0]} {words.repeat}=3"
        )
    if words.bare:
        lines.append(f"a number alone: so many of type {words.bare}")
    lines.append("-word or word=no: leaves out a flag that a roster unit brings")
    return tuple(lines)


def group_unit_lists(options: Iterable[Option]) -> dict[str, list[str]]:
    """The options that take a list of units, by the name of the game's list."""
    found: dict[str, list[str]] = {}
    for option in options:
        if option.type == "units":
            found.setdefault(option.units or "units", []).append(option.name)
    return found


def format_all_unit_words(game: System) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each unit list of a game, called by options and sequences, and its words; what all lists
    share comes first.
    """
    options: dict[str, dict[str, None]] = {}
    sequences: dict[str, dict[str, None]] = {}
    for sequence in game.sequences.values():
        for name, taking in group_unit_lists(sequence.inputs).items():
            options.setdefault(name, {}).update(dict.fromkeys(taking))
            sequences.setdefault(name, {})[sequence.id] = None
    lines = {name: format_unit_words(game.words[name]) for name in options}
    if len(lines) == 1:
        yield from ((", ".join(options[name]), found) for name, found in lines.items())
        return
    shared = [
        line
        for line in next(iter(lines.values()), ())
        if all(line in other for other in lines.values())
    ]
    if shared:
        yield "every list", tuple(shared)
    for name, found in lines.items():
        called = f"{', '.join(options[name])} of {', '.join(sequences[name])}"
        yield called, tuple(line for line in found if line not in shared)


ADD = ("unit", "add")
EDIT = ("unit", "edit")
SET_TRACK = ("track", "set")
MOST = 2
"""Numbers of a unit that an example shows."""


def build_example(spec: CommandSpec, played: str) -> str:
    """The example of a command, with a unit of the system that is played; its own where none is."""
    game = get_systems().get(played)
    if game is not None and spec.path == SET_TRACK and game.tracks:
        return f"/track set {next(iter(game.tracks.values())).example}"
    if game is None or spec.path not in (ADD, EDIT) or spec.system:
        return spec.example
    kind = game.words["units"].types[0]
    name = f"{kind.replace('-', ' ').capitalize()} 1"
    if spec.path == ADD:
        return " ".join([f'/unit add "{name}" {kind}', *_list_example_numbers(game)])
    state = next(iter(game.game["units"].get("states") or ()), "")
    return f'/unit edit "{name}" {f"state={state}" if state else " ".join(_list_example_numbers(game))}'


def _list_example_numbers(game: System) -> list[str]:
    """Numbers of a unit, as the examples of its sequences have them."""
    keys = game.words["units"].keys
    found = dict[str, str]()
    for sequence in game.sequences.values():
        for option in sequence.inputs:
            if option.type != "units":
                continue
            for word in str(sequence.example.get(option.name) or "").replace(";", " ").split():
                key, _, value = word.partition("=")
                if value and key in keys:
                    found.setdefault(key, word)
    return list(found.values())[:MOST]
