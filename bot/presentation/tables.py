"""Tables: the answer of one, the card around its cell, and the whole of it."""

import re
from collections.abc import Mapping
from typing import Any

from bot.presentation.printed_table import PrintedGrid, get_printed_table
from bot.rules.dice import RolledDie
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.tables.answer_words import describe_answer, format_output_name, format_value
from bot.rules.tables.table import Answer, Table
from bot.rules.text.line import Line
from bot.rules.text.phrase import phrase
from bot.ui.reply.bars import COLUMNS
from bot.ui.reply.parts import Grid, Sheet, Small, Thrown, Whole, measure_width
from bot.ui.reply.reply import Reply

MANY = 12
"""Rows above and below the one that answers, where the whole table is too large."""


def build_lookup_reply(
    table: Table,
    given: Mapping[str, Any],
    answer: Answer,
    who: str = "",
    rolled: list[RolledDie] | None = None,
) -> Reply:
    """What a table says, first in one line, then how it was reached, and the card around the
    cell.
    """
    words = table.words
    dice = {roll.option for roll in table.rolls} if rolled else set()
    asked = [_format_input(name, value, words) for name, value in given.items() if name not in dice]
    name = table.title if table.title[1:] != table.title[1:].lower() else table.title.lower()
    by = ", ".join(filter(None, (who, name, *asked)))
    lines: list[Line | Thrown | Grid | Whole | Small] = []
    if rolled:
        lines.append(Thrown(tuple(die.value for die in rolled)))
    lines += _build_total_lines(answer, words)
    headline = format_lookup_headline(table, given, answer)
    if rest := _drop_headline(answer.text, headline):
        lines.append(Line(rest))
    values = _compute_values(table, given)
    grids = find_answering_grids(table, values)
    for grid, place in grids:
        rows = crop_around_cell(grid, place)
        if len(grids) > 1 and grid.heading:
            rows = ((grid.heading, *rows[0][1:]), *rows[1:])
        is_narrow = measure_width(rows) <= COLUMNS
        lines.append(Grid(rows) if is_narrow else Whole((Sheet("", rows),)))
    lines += [Small(doubt.text) for doubt in table.unsure if doubt.concerns(values)]
    return Reply(headline, tuple(lines), by=by)


def _compute_values(table: Table, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return every value behind the answer by name: inputs, derived values and outputs.

    Without the roll that the table needs, only the inputs: as given, else their defaults.
    """
    try:
        return table.answer_with_values(given)[1]
    except UserError:
        pass
    return {
        one.name: clean(one, given[one.name]) if one.name in given else one.default
        for one in table.inputs
    }


def format_lookup_headline(table: Table, given: Mapping[str, Any], answer: Answer) -> str:
    """Return the first line of a look-up: the sentence of the table's `says`, else its outputs."""
    sentence = describe_answer(table, given, answer)
    return sentence[:1].upper() + sentence[1:]


_SENTENCE = re.compile(r"(.+?[.?!])(?=\s[A-Z]|$)", re.DOTALL)


def _drop_headline(text: str, headline: str) -> str:
    """Return a table's free text without the sentences at its start that the headline says."""
    text = text.strip()
    while found := _SENTENCE.match(text):
        if found[1].rstrip(".").casefold() not in headline.casefold():
            break
        text = text[found.end() :].lstrip()
    return text


def _format_input(name: str, value: object, words: Mapping[str, str]) -> str:
    """An input as it was given: `morale 5`, `adjacent`, `good-order squad`; nothing for what
    does not count.
    """
    if isinstance(value, bool) or str(value).lower() in ("yes", "no", "true", "false"):
        return format_value(name, words) if str(value).lower() in ("yes", "true") else ""
    text = format_value(value, words)
    return f"{format_value(name, words)} {text}" if text.lstrip("−-")[:1].isdigit() else text


def _build_total_lines(answer: Answer, words: Mapping[str, str]) -> list[Line]:
    """The modifiers that count, a line for each total that they make up."""
    totals = dict.fromkeys(part.total for part in answer.parts)
    lines = []
    for total in totals:
        parts = tuple((part.name, part.value) for part in answer.parts if part.total == total)
        value = answer.out.get(total)
        number = value if isinstance(value, int | float) and len(parts) > 1 else None
        lines.append(
            Line(
                "counted" if len(totals) == 1 else format_output_name(total, words),
                (),
                parts,
                number,
            )
        )
    return lines


def build_whole_table_reply(
    table: Table, usage: str, given: Mapping[str, Any] | None = None
) -> Reply:
    """The whole of a table, or what it asks for where it is a rule in words; `given` is what was
    looked up in it.
    """
    sheets = get_printed_table(table).sheets
    asks = phrase("For a single answer: `{usage}`", usage=usage)
    if not sheets:
        options = [
            Line(option.display_name, result=option.expectation)
            for option in table.inputs
            if option.is_required
        ]
        return Reply(
            table.title, (*options, asks), by="no grid, but a rule; it asks for", private=True
        )
    across = _describe_columns(table)
    by = ", ".join(filter(None, ("the whole table", across)))
    whole = Whole(sheets, _list_nearby_rows(table, given) if given else ())
    footnotes = [Small(text) for text in (_format_legend(table), table.notes) if text]
    footnotes += [Small(doubt.text) for doubt in table.unsure]
    return Reply(
        table.title,
        (whole, *footnotes, Small(table.source), *(() if given else (asks,))),
        by=by,
        private=True,
    )


def _describe_columns(table: Table) -> str:
    """Return `range across`: what the columns of a table with a single grid go by."""
    grids = get_printed_table(table).grids
    across = grids[0].across if len(grids) == 1 else ""
    return f"{across} across" if across else ""


def _format_legend(table: Table) -> str:
    """Return what the codes of cells mean: `S: suppressed; K: killed`."""
    return "; ".join(f"{code}: {meaning}" for code, meaning in get_printed_table(table).legend)


def _list_nearby_rows(table: Table, given: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the rows around the cell that answers, more of them than a look-up shows."""
    values = _compute_values(table, given)
    grids = find_answering_grids(table, values)
    return crop_around_cell(*grids[0], MANY) if grids else ()


WIDE = 33
"""What a phone shows in a fixed width."""
MOST_COLUMNS, AROUND = 9, 2
"""So many columns at most, and rows above and below the one that answers."""
HERE = "▶ "


def find_answering_grids(
    table: Table, values: Mapping[str, Any]
) -> list[tuple[PrintedGrid, tuple[int, int]]]:
    """Return the grids of a table in which `values` have a place, with its row and column.

    Lists are left out beside grids with columns, and a part that gives always the same.
    """
    grids = []
    for grid in get_printed_table(table).grids:
        place = grid.find_cell(values) if grid.body is not None else None
        if place is not None:
            grids.append((grid, place))
    return [found for found in grids if found[0].column_axis is not None] or grids


def crop_around_cell(
    grid: PrintedGrid, place: tuple[int, int], most: int = AROUND
) -> tuple[tuple[str, ...], ...]:
    """Return the heads, rows and columns of `grid` around the row and column of `place`.

    That cell is marked. There are at most so many rows above it and below it.
    """
    row, column = place
    near = range(max(0, row - most), min(len(grid.rows), row + most + 1))
    low, high = _choose_columns(grid, column, near) if grid.column_axis else (0, len(grid.columns))
    lines = [
        [grid.corner, *grid.columns[low:high]],
        *([grid.rows[index], *grid.cells[index][low:high]] for index in near),
    ]
    for index, line in enumerate(lines, near.start - 1):
        position = column - low + 1
        line[position] = (HERE if index == row else "  ") + line[position]
    return tuple(map(tuple, lines))


def _choose_columns(grid: PrintedGrid, column: int, rows: range) -> tuple[int, int]:
    """Return the columns next to `column` that fit a phone, from its right and left in turns."""
    shown = (grid.columns, *grid.cells[rows.start : rows.stop])
    widths = [max(map(len, texts)) + 2 for texts in zip(*shown, strict=True)]
    heads = (grid.corner, *grid.rows[rows.start : rows.stop])
    room = WIDE - max(map(len, heads)) - widths[column] - len(HERE)
    low = column
    high = column + 1
    is_right = True
    for _ in range(2 * len(widths)):
        following = high if is_right else low - 1
        is_right = not is_right
        is_free = 0 <= following < len(widths) and high - low < MOST_COLUMNS
        if is_free and widths[following] <= room:
            low = min(low, following)
            high = max(high, following + 1)
            room = room - widths[following]
    return low, high
