"""Table drafts as the YAML of a pack, laid out like the card, so that a proof-reader can compare
the two.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import yaml

from bot.packs.importing.digit_dice import PLACES, is_digit_dice, places_of, sides_of
from bot.packs.importing.figures import Span, find_limits, format_key, get_totals, is_stepped
from bot.packs.importing.table_draft import Cell, Edge, TableDraft, make_name

LONGEST_CODE, MOST_CODES = 14, 40
USUAL = 10
"""The largest modifier of players, unless the rows of the table go further."""
_BARE = re.compile(r"[A-Za-z0-9_.+<>/-][A-Za-z0-9 _.'()+<>/-]*")
_NO_TEXTS = ("yes", "no", "on", "off", "true", "false", "null")
"""The words that YAML reads as something else than a text."""


class TableAxis(NamedTuple):
    """The rows or columns of a table as they are written in YAML."""

    name: str
    """The input or derived figure that the axis goes by."""
    input: str
    """The declaration of that input, "" if it is rolled."""
    keys: list[str]
    heads: str = "heads"
    """The word in the YAML before the keys of columns: `heads`, or `from` for lowest figures."""


def format_yaml(draft: TableDraft, group: str) -> str:
    """Return the text of a table file. `group` is the id of the group that the table is in."""
    return "\n".join(_list_lines(draft, group)) + "\n"


def format_scalar(value: Cell) -> str:
    """Return a text or number as YAML reads it back, in quotation marks if it needs them."""
    if isinstance(value, int):
        return str(value)
    if _BARE.fullmatch(value) and value == value.strip():
        if value[0].isalpha() and value.casefold() not in _NO_TEXTS:
            return value
        try:
            if yaml.safe_load(value) == value:
                return value
        except (yaml.YAMLError, ValueError):
            pass
    return _quote(value)


def _quote(text: object) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list_lines(draft: TableDraft, group: str) -> Iterator[str]:
    """Yield the lines of a table file, from its title to its example."""
    columns = None
    if draft.columns is not None:
        columns = _build_column_axis(draft.columns, draft.outputs)
    column_name = columns.name if columns is not None else ""
    rows = _build_row_axis(draft, (*draft.outputs, column_name))
    yield f"title: {format_scalar(draft.title)}"
    yield f"source: {format_scalar(draft.source)}"
    yield f"group: {group}"
    yield f"kind: {'roll' if draft.dice else 'grid'}"
    yield f"summary: {format_scalar(_format_summary(draft))}"
    if draft.notes:
        yield f"notes: {format_scalar(draft.notes)}"
    yield "inputs:"
    if columns is not None:
        yield f"  {columns.name}: {columns.input}"
    yield from (f"  {line}" for line in _list_row_inputs(draft, rows))
    yield f"outputs: {{{_format_outputs(draft)}}}"
    yield from _list_roll_lines(draft)
    codes = {cell: f"then-{number}" for number, (cell, _) in enumerate(draft.chains, 1)}
    yield from _list_chain_lines(draft, codes)
    yield from _list_read_lines(draft, rows, columns)
    cells = [tuple([codes.get(cell, cell) for cell in row]) for row in draft.cells]
    yield from _list_cell_lines(replace(draft, cells=tuple(cells)), rows.keys)
    yield f"example: {{{', '.join(_list_example_lines(draft, rows, columns))}}}"


def _format_outputs(draft: TableDraft) -> str:
    """Format each output with its kind: `result: int, note: text`."""
    if draft.columns is not None:
        cells_by_output = [[cell for row in draft.cells for cell in row]]
    else:
        cells_by_output = [list(cells) for cells in zip(*draft.cells, strict=True)]
    outputs = dict(zip(draft.outputs, cells_by_output, strict=True))
    return ", ".join(
        f"{name}: {_find_output_kind(cells, draft)}" for name, cells in outputs.items()
    )


def _list_chain_lines(draft: TableDraft, codes: Mapping[Cell, str]) -> Iterator[str]:
    """Yield the `results` of a table: for each of the `codes` that stand for cells, the text of
    the cell and the table that is rolled next. Nothing for a table without chains.

    A cell that is only the name of the next table (`<wind>`) has no text.
    """
    if codes:
        yield "results:"
    for cell, id in draft.chains:
        text = f"{draft.outputs[0]}: {_quote(cell)}, "
        if re.fullmatch(r"<[^<>]+>", str(cell)):
            text = ""
        yield f"  {codes[cell]}: {{{text}table: {id}}}"


def _list_read_lines(
    draft: TableDraft, rows: TableAxis, columns: TableAxis | None
) -> Iterator[str]:
    """Yield the lines that say how the cells are read, up to the cells themselves."""
    yield "read:"
    yield f"  rows: {rows.name}"
    if columns is not None:
        yield f"  columns: {{by: {columns.name}, {columns.heads}: [{', '.join(columns.keys)}]}}"
    outputs = ", ".join(draft.outputs)
    yield f"  gives: {outputs if len(draft.outputs) == 1 else f'[{outputs}]'}"
    if draft.modified or draft.added:
        yield "  off_card: rows"
    yield "  cells:"


def _format_summary(draft: TableDraft) -> str:
    """Format the line of help: the title, and the dice that are rolled."""
    if is_digit_dice(draft.dice):
        places = places_of(draft.dice)
        count = {2: "two", 3: "three"}[len(places)]
        return f"{draft.title}: {count} dice, as {', '.join(places[:-1])} and {places[-1]}."
    if draft.dice:
        return f"{draft.title}: a roll of {draft.dice}."
    return f"{draft.title}: looked up; nothing is rolled."


def _build_row_axis(draft: TableDraft, taken_names: tuple[str, ...]) -> TableAxis:
    """Build the axis of the rows. Rolled rows go by `total` or `roll`, others by their label, or
    by a name like it that is not taken.
    """
    keys = _list_keys(draft.rows)
    if not draft.dice:
        name = make_name(draft.rows.label, "row", taken_names, "_")
        return TableAxis(name, _format_input(draft.rows, draft.rows.label or "the row"), keys)
    has_total = draft.modified or draft.added or is_digit_dice(draft.dice)
    return TableAxis("total" if has_total else "roll", "", keys)


def _list_keys(edge: Edge) -> list[str]:
    """Return the keys of rows or columns as they are written in YAML."""
    if edge.figures:
        return [_format_key(spans) for spans in edge.figures]
    return [format_scalar(word) for word in edge.words]


def _build_column_axis(edge: Edge, outputs: tuple[str, ...]) -> TableAxis:
    """Build the axis of the columns. Figures with gaps between them become lowest figures
    (`from`).
    """
    name = make_name(edge.label, "column", outputs, "_")
    help = edge.label or "the column"
    spans = [span for row in edge.figures for span in row]
    if not spans or not is_stepped(spans):
        return TableAxis(name, _format_input(edge, help), _list_keys(edge))
    lowest = spans[0][0] or 0
    highest = spans[-1][0] or 0
    limits = f"min: {lowest}, max: {_find_figure_beyond(highest)}, clamp: both"
    declaration = f"{{type: int, {limits}, help: {_quote(help)}}}"
    return TableAxis(name, declaration, [str(span[0]) for span in spans], "from")


def _find_figure_beyond(figure: int) -> int:
    """Return a maximum for an input that may go beyond the last figure of the card."""
    return 99 if figure < 99 else figure * 2


def _format_input(edge: Edge, help: str) -> str:
    """Format the declaration of the input that chooses a row or column."""
    quoted_help = _quote(help[:80])
    if edge.words:
        values = ", ".join(map(format_scalar, edge.words))
        return f"{{type: enum, values: [{values}], help: {quoted_help}}}"
    lowest, highest = _find_edge_limits(edge)
    spans = [span for row in edge.figures for span in row]
    is_open_below = any(low is None for low, _ in spans)
    is_open_above = any(high is None for _, high in spans)
    clamp = ""
    if is_open_below and is_open_above:
        clamp = "clamp: both, "
    elif is_open_below:
        clamp = "clamp: low, "
    elif is_open_above:
        clamp = "clamp: high, "
    return f"{{type: int, min: {lowest}, max: {highest}, {clamp}help: {quoted_help}}}"


def _find_edge_limits(edge: Edge) -> tuple[int, int]:
    """Return the lowest and the highest figure of an edge."""
    return find_limits(span for row in edge.figures for span in row)


def _format_key(spans: tuple[Span, ...]) -> str:
    key = ", ".join(format_key(span) for span in spans)
    return f'"{key}"' if "," in key else key


def _list_row_inputs(draft: TableDraft, rows: TableAxis) -> Iterator[str]:
    """Yield the declarations of the inputs that lead to a row: the row itself, or the dice and
    their modifier.
    """
    if not draft.dice:
        yield f"{rows.name}: {rows.input}"
    elif is_digit_dice(draft.dice):
        sides = sides_of(draft.dice)
        for place, number in zip(places_of(draft.dice), ("first", "second", "third"), strict=False):
            yield (
                f"{place}: {{type: int, min: 1, max: {sides}, optional: true, "
                f'help: "the {number} die"}}'
            )
    else:
        lowest_total, highest_total = get_totals(draft.dice)
        if draft.modified:
            lowest, highest = _find_edge_limits(draft.rows)
            least = min(-USUAL, lowest - lowest_total)
            greatest = max(USUAL, highest - highest_total)
            yield f'modifier: {{type: int, min: {least}, max: {greatest}, default: 0, help: "added to the dice"}}'
        limits = f"min: {lowest_total}, max: {highest_total}"
        yield f'roll: {{type: int, {limits}, optional: true, help: "{draft.dice}"}}'


def _list_roll_lines(draft: TableDraft) -> Iterator[str]:
    """Yield the lines `rolls` and `derive`: the dice, and the total that is made of them. Nothing
    if no dice are rolled, and no `derive` if the dice alone are the total.
    """
    if is_digit_dice(draft.dice):
        die = f"1d{sides_of(draft.dice)}"
        rolls = [f"{place}: {{dice: {die}, label: {place}}}" for place in places_of(draft.dice)]
        yield f"rolls: {{{', '.join(rolls)}}}"
        yield f'derive: {{total: "{_total_of_digits(draft.dice)}"}}'
        return
    if not draft.dice:
        return
    yield f"rolls: {{roll: {{dice: {draft.dice}, label: {_quote(draft.title)}}}}}"
    total = "roll"
    if draft.modified:
        total += " + modifier"
    if draft.added:
        sign = "-" if draft.added < 0 else "+"
        total += f" {sign} {abs(draft.added)}"
    if total != "roll":
        yield f"derive: {{total: {total}}}"


def _total_of_digits(dice: str) -> str:
    """Return the formula of the number that dice show, such as `tens * 10 + ones`."""
    places = places_of(dice)
    if dice.endswith("<"):
        return "min(tens, ones) * 10 + max(tens, ones)"
    if dice.endswith(">"):
        return "max(tens, ones) * 10 + min(tens, ones)"
    powers = [10 ** (len(PLACES) - 1 - PLACES.index(place)) for place in places]
    parts = [f"{place} * {power}" for place, power in zip(places[:-1], powers, strict=False)]
    return " + ".join([*parts, places[-1]])


def _find_output_kind(cells: list[Cell], draft: TableDraft) -> str:
    """Return the kind of an output with these cells, as it is declared.

    It is `int`, a list of codes (`[AE, DR]`) if these are short and few, `text`, or `token` for a
    mixture.
    """
    if all(isinstance(cell, int) for cell in cells):
        return "int"
    codes = list(dict.fromkeys(cells))
    if len(codes) <= MOST_CODES and all(len(str(cell)) <= LONGEST_CODE for cell in codes):
        return f"[{', '.join(map(format_scalar, sort_codes(draft, codes)))}]"
    return "text" if all(isinstance(cell, str) for cell in cells) else "token"


def sort_codes(draft: TableDraft, codes: list[Cell]) -> list[Cell]:
    """Return the codes of a table in the order in which they follow each other on it, so that a
    cell out of step is noticed.

    Codes stay as they are if the table has no columns to choose from, if there are fewer than
    three, or if too many neighbors are out of step in any order.
    """
    if draft.columns is None or len(codes) < 3:
        return codes
    best_order = codes
    fewest_steps_back = len(draft.cells) * len(draft.cells[0]) // 4
    for sign in (1, -1):
        order = _sort_by_position(draft, codes, sign)
        steps_back = _count_steps_back(draft, order, sign)
        if steps_back < fewest_steps_back:
            fewest_steps_back = steps_back
            best_order = order
    return best_order


def _sort_by_position(draft: TableDraft, codes: list[Cell], sign: int) -> list[Cell]:
    """Return the codes in the order of their mean position, from the left, and from the top
    (`sign` 1) or from the bottom (-1).
    """
    positions: dict[Cell, list[int]] = {}
    for row_number, row in enumerate(draft.cells):
        for column_number, cell in enumerate(row):
            position = column_number * len(draft.cells) + sign * row_number * len(row)
            positions.setdefault(cell, []).append(position)
    means = {code: sum(numbers) / len(numbers) for code, numbers in positions.items()}
    return sorted(codes, key=means.__getitem__)


def _count_steps_back(draft: TableDraft, order: list[Cell], sign: int) -> int:
    """Return how many neighbors do not follow each other in this order of codes, along rows from
    left to right and along columns downward (`sign` 1) or upward (-1).
    """
    ranks = {code: rank for rank, code in enumerate(order)}
    rows = [[ranks[cell] for cell in row] for row in draft.cells]
    steps_back = 0
    for row in rows:
        steps_back += sum(rank > next_rank for rank, next_rank in pairwise(row))
    for column in zip(*rows, strict=True):
        steps_back += sum(sign * above > sign * below for above, below in pairwise(column))
    return steps_back


def _list_cell_lines(draft: TableDraft, keys: list[str]) -> Iterator[str]:
    """Yield a line for each row, its cells aligned below those of the row above. Columns with a
    cell of 40 characters or more are not aligned.
    """
    key_width = max(map(len, keys)) + 1
    rows = [[format_scalar(cell) for cell in row] for row in draft.cells]
    if len(draft.outputs) == 1 and draft.columns is None:
        for key, row in zip(keys, rows, strict=True):
            yield f"    {key + ':':{key_width}} {row[0]}"
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = [width if width < 40 else 0 for width in widths]
    for key, row in zip(keys, rows, strict=True):
        cells = [f"{cell + ',':{width + 1}}" for cell, width in zip(row, widths, strict=True)]
        line = " ".join(cells).rstrip().rstrip(",")
        yield f"    {key + ':':{key_width}} [{line}]"


def _list_example_lines(
    draft: TableDraft, rows: TableAxis, columns: TableAxis | None
) -> Iterator[str]:
    """Yield inputs that look up a result: the first column, and the first row or lowest dice."""
    if columns is not None and draft.columns is not None:
        yield f"{columns.name}: {_get_first_key(draft.columns)}"
    if is_digit_dice(draft.dice):
        yield ", ".join(f"{place}: 1" for place in places_of(draft.dice))
    elif draft.dice:
        yield f"roll: {get_totals(draft.dice)[0]}"
    else:
        yield f"{rows.name}: {_get_first_key(draft.rows)}"


def _get_first_key(edge: Edge) -> str:
    """Return a value that leads to the first row or column: its word, or one of its figures."""
    if edge.words:
        return format_scalar(edge.words[0])
    low, high = edge.figures[0][0]
    return str(low if low is not None else high)
