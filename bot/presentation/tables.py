"""Replies about tables: a single answer, the card around its cell, and the whole table."""

import re
from collections.abc import Mapping
from typing import Any

from bot.presentation.printed_table import CellPosition, PrintedGrid, get_printed_table
from bot.rules.dice import RolledDie
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.tables.answer_words import describe_answer, format_output_name, format_value
from bot.rules.tables.table import Answer, Table
from bot.rules.text.line import Line
from bot.rules.text.phrase import phrase
from bot.ui.reply.bars import COLUMNS
from bot.ui.reply.parts import Grid, Part, Sheet, Small, Thrown, Whole, measure_width
from bot.ui.reply.reply import Reply

MANY = 12
"""Rows above and below the one that answers if the whole table is too large."""


def build_lookup_reply(
    table: Table,
    given: Mapping[str, Any],
    answer: Answer,
    who: str = "",
    rolled: list[RolledDie] | None = None,
) -> Reply:
    """Build the reply to a look-up.

    It has the result, the dice, the modifiers, the rows of the table around the cell, and doubts.
    `who` is the player who rolled, if dice were `rolled`.
    """
    words = table.words
    dice = {roll.option for roll in table.rolls} if rolled else set()
    inputs = [
        _format_input(name, value, words) for name, value in given.items() if name not in dice
    ]
    has_proper_name = table.title[1:] != table.title[1:].lower()
    name = table.title if has_proper_name else table.title.lower()
    by = ", ".join(filter(None, (who, name, *inputs)))
    lines: list[Line | Thrown | Grid | Whole | Small] = []
    if rolled:
        lines.append(Thrown(tuple(die.value for die in rolled)))
    lines += _build_total_lines(answer, words)
    headline = format_lookup_headline(table, given, answer)
    text = _drop_headline(answer.text, headline)
    if text:
        lines.append(Line(text))
    values = _compute_values(table, given)
    grids = find_answering_grids(table, values)
    for grid, cell in grids:
        rows = crop_around_cell(grid, cell)
        if len(grids) > 1 and grid.heading:
            rows = ((grid.heading, *rows[0][1:]), *rows[1:])
        is_narrow = measure_width(rows) <= COLUMNS
        lines.append(Grid(rows) if is_narrow else Whole((Sheet("", rows),)))
    lines += [Small(doubt.text) for doubt in table.unsure if doubt.concerns(values)]
    return Reply(headline, tuple(lines), by=by)


def _compute_values(table: Table, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return every value of the answer by name: inputs, derived values and outputs.

    Without the roll that the table needs, only the inputs: as given, else their defaults.
    """
    try:
        return table.answer_with_values(given)[1]
    except UserError:
        pass
    return {
        option.name: clean(option, given[option.name]) if option.name in given else option.default
        for option in table.inputs
    }


def format_lookup_headline(table: Table, given: Mapping[str, Any], answer: Answer) -> str:
    """Return the first line of a look-up: the sentence of the table's `says`, else its outputs."""
    sentence = describe_answer(table, given, answer)
    return sentence[:1].upper() + sentence[1:]


_SENTENCE = re.compile(r"(.+?[.?!])(?=\s[A-Z]|$)", re.DOTALL)


def _drop_headline(text: str, headline: str) -> str:
    """Return a table's free text without the sentences at its start that the headline says."""
    text = text.strip()
    match = _SENTENCE.match(text)
    while match and match[1].rstrip(".").casefold() in headline.casefold():
        text = text[match.end() :].lstrip()
        match = _SENTENCE.match(text)
    return text


def _format_input(name: str, value: object, words: Mapping[str, str]) -> str:
    """Return an input as it was given: `morale 5`, `adjacent`, `good-order squad`; "" for a no."""
    answer = str(value).lower()
    label = format_value(name, words)
    if isinstance(value, bool) or answer in ("yes", "no", "true", "false"):
        return label if answer in ("yes", "true") else ""
    text = format_value(value, words)
    is_number = text.lstrip("−-")[:1].isdigit()
    return f"{label} {text}" if is_number else text


def _build_total_lines(answer: Answer, words: Mapping[str, str]) -> list[Line]:
    """Return the modifiers that count, with one line for each total."""
    totals = dict.fromkeys(part.total for part in answer.parts)
    lines = []
    for total in totals:
        parts = tuple((part.name, part.value) for part in answer.parts if part.total == total)
        value = answer.out.get(total)
        number = value if isinstance(value, int | float) and len(parts) > 1 else None
        label = "counted" if len(totals) == 1 else format_output_name(total, words)
        lines.append(Line(label, (), parts, number))
    return lines


def build_whole_table_reply(
    table: Table, usage: str, given: Mapping[str, Any] | None = None
) -> Reply:
    """Build the private reply with the whole table, or with its inputs if it is a rule in words.

    `given` are the inputs of the look-up that it follows; `usage` is the command for a look-up.
    """
    sheets = get_printed_table(table).sheets
    usage_line = phrase("For a single answer: `{usage}`", usage=usage)
    if not sheets:
        options = [
            Line(option.display_name, result=option.expectation)
            for option in table.inputs
            if option.is_required
        ]
        by = "a rule rather than a grid; it needs"
        return Reply(table.title, (*options, usage_line), by=by, private=True)
    columns = _describe_columns(table)
    by = ", ".join(filter(None, ("the whole table", columns)))
    whole = Whole(sheets, _list_nearby_rows(table, given) if given else ())
    lines: list[Part] = [whole]
    lines += [Small(text) for text in (_format_legend(table), table.notes) if text]
    lines += [Small(doubt.text) for doubt in table.unsure]
    lines.append(Small(table.source))
    if not given:
        lines.append(usage_line)
    return Reply(table.title, tuple(lines), by=by, private=True)


def _describe_columns(table: Table) -> str:
    """Return the edge that the columns of a table go by: `range across`; "" if the table has
    several grids, or its columns no such edge.
    """
    grids = get_printed_table(table).grids
    across = grids[0].across if len(grids) == 1 else ""
    return f"{across} across" if across else ""


def _format_legend(table: Table) -> str:
    """Return the codes of cells with their meanings: `S: suppressed; K: killed`."""
    return "; ".join(f"{code}: {meaning}" for code, meaning in get_printed_table(table).legend)


def _list_nearby_rows(table: Table, given: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the rows around the cell that answers, more of them than a look-up shows; () if no
    grid answers.
    """
    values = _compute_values(table, given)
    grids = find_answering_grids(table, values)
    return crop_around_cell(*grids[0], MANY) if grids else ()


WIDE = 33
"""Characters of a fixed-width line that fit a phone."""
MOST_COLUMNS, AROUND = 9, 2
"""The maximum number of columns, and the rows above and below the one that answers."""
HERE = "▶ "


def find_answering_grids(
    table: Table, values: Mapping[str, Any]
) -> list[tuple[PrintedGrid, CellPosition]]:
    """Return the grids of a table in which `values` find a cell, with its row and column.

    Lists are left out if grids with columns answer, and so is a part that always gives the same.
    """
    grids = []
    for grid in get_printed_table(table).grids:
        cell = grid.find_cell(values) if grid.body is not None else None
        if cell is not None:
            grids.append((grid, cell))
    return [pair for pair in grids if pair[0].column_axis is not None] or grids


def crop_around_cell(
    grid: PrintedGrid, cell: CellPosition, most: int = AROUND
) -> tuple[tuple[str, ...], ...]:
    """Return the heads, rows and columns of `grid` around the row and column of `cell`.

    That cell is marked. There are at most `most` rows above it and below it.
    """
    row, column = cell
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
    """Return the bounds of the columns around `column` that fit a phone.

    Columns are added on the right and on the left in turns, as long as `rows` have room for them.
    """
    lines = (grid.columns, *grid.cells[rows.start : rows.stop])
    widths = [max(map(len, texts)) + 2 for texts in zip(*lines, strict=True)]
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
