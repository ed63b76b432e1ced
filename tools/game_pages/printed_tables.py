"""A table of a card on the page of its game: its inputs, its grids, doubts and notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from bot.presentation.printed_table import PrintedGrid, get_printed_table
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean
from bot.rules.tables.table import Table
from bot.ui.common_options import PICTURE, PRIVATE, WHOLE
from bot.ui.reply.parts import Sheet
from tools.game_pages.option_tables import describe_option, escape_cell, format_cell, format_name

SHARED = (PRIVATE.name, PICTURE.name, WHOLE.name)
"""Options of every table, which the page explains once."""
FILLERS = {"a", "an", "and", "the", "is", "in", "of", "it", "or"}
OF_ONE_WORD = re.compile(r"(\w+) == '([\w-]+)'")


def format_printed_table(table: Table, options: Iterable[Option]) -> Iterator[str]:
    """Yield what follows the example of a table: inputs, grids, doubts, legend and notes.

    `options` are those of its command.
    """
    options = [option for option in options if option.name not in SHARED]
    printed = get_printed_table(table)
    sheets = list(printed.sheets)
    rows = table.printed.get("rows") or () if table.modifiers else ()
    modifier_sheet = sheets.pop(0) if rows else None
    typed_words = [_get_typed_words(row, options) for row in rows]
    shown = {word for words in typed_words for word in words}
    inputs = [
        line
        for option in options
        if not _is_typed_in_rows(option, shown)
        for line in _describe_input(option, printed.grids)
    ]
    if inputs:
        yield ""
        yield from inputs
    if modifier_sheet is not None:
        yield from _format_modifiers(modifier_sheet, typed_words, {o.name: o for o in options})
    for grid in printed.grids:
        yield from _format_grid(grid)
    for doubt in table.unsure:
        yield ""
        yield f"Unsure: {doubt.text}."
    legend = list_needed_codes(printed.legend, [c for s in sheets for r in s.rows for c in r])
    if legend:
        yield ""
        yield "; ".join(f"`{code}`: {meaning}" for code, meaning in legend) + "."
    if table.notes:
        yield ""
        yield split_sentences(table.notes)


def split_sentences(text: str) -> str:
    """Return the text with a line for each sentence, so that a change of one shows as one line."""
    return re.sub(r"(?<=[a-z0-9)]\.) (?=[A-Z][a-z])", "\n", text.strip())


def list_needed_codes(
    legend: Iterable[tuple[str, str]], cells: Iterable[str]
) -> list[tuple[str, str]]:
    """Return the codes that are in some cell and say more than they show.

    A series such as DC+1, DC+2, ... is one entry, DC+n.
    """
    words = {word for cell in cells for word in (cell, *re.split(r"[\s,:;]+", cell))}
    series: dict[str, list[tuple[str, str]]] = {}
    for code, meaning in legend:
        if code in words and meaning != "no effect":
            pattern = re.sub(r"\d+", "n", f"{code}\0{meaning}")
            series.setdefault(pattern, []).append((code, meaning))
    entries = []
    for pattern, members in series.items():
        code, meaning = members[0]
        if len(members) > 2:
            code, _, meaning = pattern.partition("\0")
        if meaning not in ("n", code.casefold()):
            entries.append((code, meaning))
    return entries


def _describe_input(option: Option, grids: Collection[PrintedGrid]) -> Iterator[str]:
    """Yield a line about an input, unless the printed table shows what it is and what it takes."""
    is_printed = option.type == "enum" and _is_printed(option, grids)
    explains_words = bool(re.search("[:=]", option.help)) or option.default is not None
    if is_printed and not explains_words:
        return
    text = format_cell(describe_option(option, with_values=not is_printed))
    is_edge = any(option.name in (grid.row_by, grid.column_by) for grid in grids)
    if is_edge and option.type == "int" and text == "the die":
        return
    if text or option.type != "enum":
        yield f"- {format_name(option)}: {text}".removesuffix(": ")


def _is_printed(option: Option, grids: Collection[PrintedGrid]) -> bool:
    """Return whether the heads of the printed table name each value of an input as it is typed."""
    heads: set[str] = set()
    for grid in grids:
        for text in (grid.heading, *grid.rows, *grid.columns):
            heads |= {text, *text.split(", ")}
    named = set()
    for head in heads:
        try:
            named.add(clean(option, head))
        except UserError:
            continue
    return named >= set(option.values)


def _get_typed_words(row: Mapping[str, object], options: Iterable[Option]) -> list[str]:
    """Return what is typed for a modifier: its name, or the words of its condition, of which any
    will do: `cover=light`. None for a modifier that always counts.
    """
    names = {option.name for option in options}
    if row["id"] in names:
        return [str(row["id"])]
    parts = str(row.get("when") or "").split(" or ")
    if found := OF_ONE_WORD.fullmatch(parts[0]):
        return [f"{found[1]}={found[2]}"]
    return parts if names.issuperset(parts) else []


def _is_typed_in_rows(option: Option, shown: Collection[str]) -> bool:
    """Return whether the rows of modifiers show all that can be typed for an input."""
    values = [value for value in option.values if value != option.default]
    in_words = values and all(f"{option.name}={value}" in shown for value in values)
    return option.name in shown or bool(in_words)


def _format_modifiers(
    sheet: Sheet, typed_words: Iterable[list[str]], options: Mapping[str, Option]
) -> Iterator[str]:
    """Yield the modifiers of a card: what to type, what it adds, and what it is for."""
    heads = sheet.rows[0][1:]
    yield ""
    yield f"| type | {' | '.join(heads)} | for |"
    yield "|---" * (len(heads) + 2) + "|"
    for words, (name, *cells) in zip(typed_words, sheet.rows[1:], strict=True):
        option = options.get(words[0]) if len(words) == 1 else None
        typed = format_name(option) if option else ", ".join(f"`{word}`" for word in words)
        about = describe_modifier(name, option.help if option else "")
        yield f"| {typed} | {' | '.join(map(escape_cell, cells))} | {format_cell(about)} |"


def describe_modifier(name: str, help: str) -> str:
    """Return what a modifier is for: its name on the card, and what the help says beyond that."""
    of_name = _list_words(name)
    of_help = _list_words(help)
    if of_help <= of_name:
        return name
    if all(any(word.startswith(start[:5]) for word in of_help) for start in of_name):
        return help
    return f"{name}: {help}"


def _list_words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text.casefold())} - FILLERS


def _format_grid(grid: PrintedGrid) -> Iterator[str]:
    """Yield a part of a table as it is printed, with its heading."""
    yield ""
    if grid.heading:
        yield f"*{grid.heading}*"
        yield ""
    heads, *rows = grid.list_all_rows()
    corner = f"{grid.corner} \\ {grid.across}" if grid.across else grid.corner
    yield "| " + " | ".join(map(escape_cell, (corner, *heads[1:]))) + " |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield "| " + " | ".join(map(escape_cell, row)) + " |"
