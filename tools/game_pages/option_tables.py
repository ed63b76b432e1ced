"""Options and words of units as tables of two columns, which a phone shows without scrolling."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from bot.rules.inputs.options import Option

HIGHEST = 1_000
"""From here on a limit only keeps out nonsense, so it is not shown."""
NO_BREAK = "\u00a0"
"""A blank at which no line breaks."""
UNITS_AS_EXAMPLE = re.compile(r"(:|, e\.g\.) [^:]*\w=\w[^:]*$")
FROM_THE_ROSTER = re.compile(r"; blank: (from|by) (the|its) (marker|roster|state|unit)$")
MINUS = re.compile(r"(?<![\w=-])-(?=\d)")


def format_options(
    heading: str, options: Iterable[Option], modifiers: Collection[str] = ()
) -> Iterator[str]:
    """Yield a table of options: what to type, and what it means.

    Words that are among the `modifiers`, which a table of the page explains, are left out.
    """
    yield f"| {heading} | |"
    yield "|---|---|"
    for option in options:
        if option.type == "mods" and option.values:
            for word in option.values:
                if word not in modifiers:
                    yield f"| `{word}` † | {format_cell(option.meanings.get(word, ''))} |"
        elif not is_plain_modifier(option, modifiers):
            yield f"| {format_name(option)} | {format_cell(describe_option(option))} |"


def list_modifiers(options: Iterable[Option], modifiers: Collection[str]) -> Iterator[str]:
    """Yield what is typed for each of the `modifiers`, with what it adds: `adjacent` +2."""
    for option in options:
        if option.type == "mods":
            for word in option.values:
                if word in modifiers:
                    yield _format_modifier(word, f"{option.worths.get(word, '')} †")
        elif is_plain_modifier(option, modifiers):
            if option.type == "bool":
                yield _format_modifier(option.name, option.worths.get(option.name, ""))
            for word in option.values:
                worth = option.worths.get(word, "")
                if word != option.default:
                    yield _format_modifier(f"{option.name}={word}", worth)
                elif worth not in ("", "+0"):
                    yield f"**{_format_modifier(f'{option.name}={word}', worth)}**"


def _format_modifier(typed: str, worth: str) -> str:
    """Return what is typed for a modifier with what it adds, on one line."""
    return format_cell(f"`{typed}` {worth}".strip()).replace(" ", NO_BREAK)


def is_plain_modifier(option: Option, modifiers: Collection[str]) -> bool:
    """Return whether an option is a yes or no, or one of some words, of a table of modifiers."""
    return option.name in modifiers and option.type in ("bool", "enum") and not option.is_required


def format_name(option: Option) -> str:
    """Return what is typed for an option: its name, in bold if it is needed, and its limits."""
    name = f"**`{option.name}`**" if option.is_required else f"`{option.name}`"
    return f"{name} {format_limits(option).replace(' ', NO_BREAK)}".strip()


def format_limits(option: Option) -> str:
    """Return the limits of a number, as `-4 to 12`; "" for other options and for a wide range."""
    if option.type not in ("int", "number") or option.min is None:
        return ""
    low = f"{option.min:g}"
    if option.max is None or option.max >= HIGHEST:
        return f"{low} or more" if option.min else ""
    return MINUS.sub("−", f"{low} to {option.max:g}")


def describe_option(option: Option, *, with_values: bool = True) -> str:
    """Return what an option means: its help, its values with their modifiers, and its default."""
    if option.type != "enum" or not with_values:
        default = ""
        help = get_plain_help(option)
        has_default = option.default not in (None, 0, "0", "")
        if option.type in ("int", "number", "units") and has_default:
            default = "" if f"else {option.default}" in help else f", else {option.default}"
        return f"{help}{default}"
    help = get_plain_help(option)
    named = set(re.findall(r"[\w-]+", help))
    if option.default is None and not option.worths and named >= set(option.values):
        return help
    values = []
    for value in option.values:
        word = f"**{value}**" if value == option.default else value
        values.append(f"{word} {option.worths.get(value, '')}".strip())
    mark = " · " if ":" in help else ": "
    return mark.join(filter(None, (help, ", ".join(values))))


def get_plain_help(option: Option) -> str:
    """Return the help of an option without what the page says elsewhere: the modifiers of its words,
    units as an example, which the command above has, and that blanks come from the roster.
    """
    help = option.help
    if option.type == "units":
        help = UNITS_AS_EXAMPLE.sub("", help)
    if option.type == "enum" and option.worths:
        listed = ", ".join(f"{word} {value}" for word, value in option.worths.items())
        help = help.removesuffix(f" ({listed})")
    return FROM_THE_ROSTER.sub("", help)


def format_words(options: Iterable[Option]) -> str:
    """Return options in one sentence: `private`: only you see the answer; ..."""
    return "; ".join(f"`{option.name}`: {option.help}" for option in options)


def format_unit_words(lines: Iterable[str]) -> Iterator[str]:
    """Yield the words of a unit as a table, from lines such as `fp= firepower (0 to 20)`."""
    yield "| word | |"
    yield "|---|---|"
    for line in lines:
        text, only, where = line.partition(" (only in ")
        name, about = _split_unit_word(text)
        yield f"| {name} | {format_cell(f'{about}{only}{where}')} |"


def _split_unit_word(line: str) -> tuple[str, str]:
    """Return what is typed, with the limits of a number, and what it means."""
    number = re.fullmatch(r"(\w+=) (.*?)(?: \(([^()]*)\))?", line)
    if number is None:
        word, _, about = line.partition(": ")
        is_typed = word != "types" and re.fullmatch(r"[\w-]+", word)
        return (f"`{word}`" if is_typed else word), about
    word, about, limits = number.groups()
    if limits is None or limits == "text":
        return f"`{word}`", about
    kind, of, values = limits.partition(" of ")
    if of and kind in ("one", "words"):
        return f"`{word}`", f"{about}: {values}"
    limits = limits.removeprefix("a number from ")
    if limits == "0 to 10000":
        return f"`{word}`", about
    return f"`{word}` {MINUS.sub('−', limits).replace(' ', NO_BREAK)}", about


def format_cell(text: str) -> str:
    """Return a text for a cell, with minus signs that do not break off."""
    return MINUS.sub("−", escape_cell(text))


def escape_cell(text: str) -> str:
    """Return a text for a cell as it is, on one line and without the mark between cells."""
    return text.replace("|", "/").replace("\n", " ").strip()
