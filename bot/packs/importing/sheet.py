"""A table out of cells: the first row heads, the first column has totals, weights or words.

Nothing is changed silently: each guess is a question, and a heading that names dice gives a table
that is rolled, or an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from bot.game.roster_sheet import has_columns_of_roster
from bot.packs.importing.blocks import CellBlock, cut_text, is_dice_head, list_left_out_notes
from bot.packs.importing.dice_of_rows import RowDice, roll_rows
from bot.packs.importing.digit_dice import is_digit_dice, places_of, sides_of
from bot.packs.importing.figures import (
    find_covered_range,
    find_dice,
    find_named_dice,
    is_ordinal,
    is_rising,
    is_stepped,
    is_thousands,
    normalize_figures,
    read_figures,
    remove_dice,
)
from bot.packs.importing.headings import (
    Headings,
    build_word_edge,
    check_dates_of_rows,
    read_columns,
    read_headings,
)
from bot.packs.importing.note_marks import ask_about_note_marks
from bot.packs.importing.spreadsheet_dates import is_date, read_date_spans
from bot.packs.importing.table_draft import (
    LOOKS_LIKE_ROSTER,
    NOTHING,
    Cell,
    Edge,
    TableDraft,
    clean_text,
    clean_title,
    make_import_error,
    make_name,
    read_all_readable,
)
from bot.packs.importing.weights import (
    assign_spans,
    has_die,
    has_sum_row,
    is_chance_heading,
    is_weight_heading,
    last_digit,
    parts_of_rounded,
    read_percents,
    read_weights,
)
from bot.packs.importing.zeros import find_die_from_zero
from bot.rules.text.ditto import fill_dittos
from bot.rules.text.normalize import comparison_key
from bot.rules.text.plain import remove_invisible
from bot.rules.text.sum_words import is_sum_word

SOURCE = "a spreadsheet"
EMPTY = f": the cell is empty, and read as {NOTHING}"
_MOST_EMPTY = 3
_SIGNED = re.compile(r"[-+\u2212\u2013]\s?\d")
_WHOLE = re.compile(r"[-+]?\d{1,9}")
_CORNER = re.compile(r"(?<!\s)\s*+[\\|/]\s*")
_DICE_AT_END = re.compile(r"(?<!\s)\s*+\(\s*+\d{0,2}[dw]\d{1,4}\s*+\)$", re.IGNORECASE)
_ROLL = re.compile(r"\b(?:rolls?|die|dice|total|score|throw|wurf|würfel)\b|%", re.IGNORECASE)
_FAILED = re.compile(r"#(?:ref|n/a|name|value|div/0|num|null|spill)[!?]?|#{4,}", re.IGNORECASE)
_SCIENTIFIC = re.compile(r"\d(?:[.,]\d+)?E[+-]?\d{1,3}", re.IGNORECASE)
_REMARKS = re.compile(
    r"(?:remark|note|comment)s?|bemerkung(?:en)?|anmerkung(?:en)?|remarques?|notas?", re.IGNORECASE
)
_STARTS = ("start", "from", "min", "minimum", "low", "lower", "lowest", "begin", "von")
_ENDS = ("end", "to", "max", "maximum", "high", "upper", "highest", "until", "bis")


@dataclass(slots=True)
class _SheetGrid:
    """A table as it is typed: the heading of its rows, the headings of its columns and rows, and
    its cells.
    """

    corner: str
    tops: list[str]
    keys: list[str]
    cells: list[list[str]]
    title: str
    questions: list[str]
    has_results: bool = False
    """Whether the columns are known to be results of a row."""


def read_sheets(text: str, name: str) -> tuple[list[TableDraft], list[str]]:
    """Return the tables of a text with cells, and what to say about the rest of it. Raises
    UserError for a text without any.
    """
    cut = cut_text(text)
    is_only = len(cut.blocks) == 1
    drafts, faults = read_all_readable(cut.blocks, lambda block: read_block(block, name, is_only))
    return drafts, [*list_left_out_notes(cut.left_out), *cut.questions, *faults]


def read_block(block: CellBlock, name: str, is_only: bool = True) -> TableDraft:
    """Return the table of some cells; `name` is its title if nothing better is. Raises
    UserError.
    """
    grid = _read_grid(block)
    title = _clean_title(grid.title)
    if not title:
        title = name if is_only or len(grid.tops) > 1 else remove_dice(grid.tops[0])
    return replace(_build_draft(grid, name), title=clean_title(title))


def _clean_title(title: str) -> str:
    """Return a title without the dice that it names before or behind its words."""
    bare = _DICE_AT_END.sub("", title)
    return (remove_dice(bare) if is_dice_head(bare) else bare).strip(" :")


def _read_grid(block: CellBlock) -> _SheetGrid:
    """Return the cells of a block by what they are. Raises UserError for cells that are none."""
    questions = list[str]()
    rows = fill_dittos(_join_continued_rows(block, questions), questions)
    behind = [[*row[1:], row[0]] for row in rows]
    if _is_headless(rows):
        rows = _add_headings(rows, questions)
    elif len(rows[0]) == 2 and _is_headless(behind):
        rows = _add_headings(behind, questions)
    elif read_figures(rows[0][0]) or is_date(rows[0][0]):
        questions.append(f"its first row ({_quote(rows[0])}) is read as the headings")
    heads = [
        clean_text(head, f"The heading of column {number}", 100 if number else 1_000)
        for number, head in enumerate(rows[0])
    ]
    if len(heads) < 2 or len(rows) < 2:
        raise make_import_error(
            "The sheet has no cells beside its headings.",
            "Its first row and first column are headings.",
        )
    keys = [
        clean_text(row[0], f"The heading of row {number}", 100)
        for number, row in enumerate(rows[1:], 1)
    ]
    cells = [list(row[1:]) for row in rows[1:]]
    grid = _SheetGrid(heads[0], heads[1:], keys, cells, block.title, questions)
    _leave_out_remarks(grid)
    _leave_out_last_sum(grid)
    _join_start_and_end(grid)
    _bring_rolls_forward(grid)
    return grid


def _join_continued_rows(block: CellBlock, questions: list[str]) -> list[list[str]]:
    """Return the rows of a table that is rolled with the second lines of their cells: a line
    without figures that fills some of the cells above it belongs to them, which is asked about.
    """
    head, *others = block.rows
    if not find_named_dice(f"{head[0]} {block.title}"):
        return block.rows
    rows = [head]
    joined = list[str]()
    for row in others:
        above = rows[-1]
        if _is_continued(row, above) and len(rows) > 1:
            rows[-1] = [f"{cell} {more}".strip() for cell, more in zip(above, row, strict=True)]
            joined += [cell for cell in row if cell]
        else:
            rows.append(row)
    if joined:
        questions.append(f"read as more of the row above: {', '.join(joined[:3])[:60]}")
    return rows


def _is_continued(row: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether a row has no heading, some empty cells, and nothing below an empty cell."""
    filled = [number for number, cell in enumerate(row) if cell]
    return (
        bool(filled)
        and not row[0]
        and len(filled) < len(row) - 1
        and all(above[number] for number in filled)
    )


def _leave_out_remarks(grid: _SheetGrid) -> None:
    """Leave a last column of remarks out of columns of figures, which choose a result."""
    if len(grid.tops) < 3 or not _REMARKS.fullmatch(grid.tops[-1]):
        return
    if not read_headings(grid.tops[:-1]).figures:
        return
    top = grid.tops.pop()
    remarks = [row.pop() for row in grid.cells]
    texts = "; ".join(
        f"{key}: {text}" for key, text in zip(grid.keys, remarks, strict=True) if text
    )
    grid.questions.append(f"column {top[:20]} is left out ({texts[:120]})")


def _is_headless(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is one of the rows that are rolled, not the headings: its
    figures and those of the others have no gap between them.
    """
    keys = read_date_spans([row[0] for row in rows])
    spans = [span for key in keys for span in key]
    return len(rows) > 1 and bool(spans) and find_covered_range(spans) is not None


def _add_headings(rows: list[list[str]], questions: list[str]) -> list[list[str]]:
    first = _quote(rows[0])
    if len(rows[0]) != 2:
        raise make_import_error(
            f"The first row ({first}) has figures as the others have: the headings are missing.",
            "Write a row of headings above it.",
        )
    questions.append(f"it has no headings: its first row ({first}) is read as a row")
    return [["", "result"], *rows]


def _quote(row: Sequence[str]) -> str:
    return ", ".join(cell for cell in row if cell)[:40]


def _join_start_and_end(grid: _SheetGrid) -> None:
    """Make row headings such as `1 to 3` of two columns such as `from` and `to`, in `grid` itself.

    It stays as it is if a cell is no single figure, or if neither figures nor headings give dice.
    """
    every = [grid.corner, *grid.tops]
    column = _find_start_column(every)
    if column < 0 or len(every) < 3:
        return
    rows = [[key, *row] for key, row in zip(grid.keys, grid.cells, strict=True)]
    starts = [row[column] for row in rows]
    ends = [row[column + 1] or row[column] for row in rows]
    if not all(_is_single_figure(cell) for cell in (*starts, *ends)):
        return
    keys = [f"{start} to {end}" for start, end in zip(starts, ends, strict=True)]
    if not _find_dice(read_headings(keys)) and not any(map(find_named_dice, (*every, grid.title))):
        return
    grid.keys = keys
    grid.tops = [*every[:column], *every[column + 2 :]]
    grid.cells = [[*row[:column], *row[column + 2 :]] for row in rows]
    grid.corner = ""
    grid.has_results = True


def _find_start_column(heads: Sequence[str]) -> int:
    """Return the number of the column whose heading is a start, and the next one an end; else -1."""
    words = [_get_last_word(head) for head in heads]
    for number, (start, end) in enumerate(pairwise(words)):
        if start in _STARTS and end in _ENDS:
            return number
    return -1


def _get_last_word(heading: str) -> str:
    words = re.findall(r"[^\W\d_]+", normalize_figures(heading).replace("_", " "))
    return words[-1] if words else ""


def _is_single_figure(cell: str) -> bool:
    spans = read_figures(cell)
    return len(spans) == 1 and spans[0][0] == spans[0][1]


def _bring_rolls_forward(grid: _SheetGrid) -> None:
    """Put the one column that says how rows are rolled first: its heading names dice, weights or
    chances, and the first column has words.
    """
    if (
        find_named_dice(grid.corner)
        or _is_weighted(grid.corner)
        or read_headings(grid.keys).figures
    ):
        return
    _leave_out_same_weights(grid)
    fitting = [
        number
        for number, top in enumerate(grid.tops)
        if (is_dice_head(top) and _are_figures([row[number] for row in grid.cells]))
        or (_is_weighted(top) and _are_weights([row[number] for row in grid.cells]))
    ]
    fitting = fitting or _find_columns_of_100(grid)
    if len(fitting) != 1:
        _ask_about_weights(grid)
        return
    column = fitting[0]
    _ask_about_weight_among_others(grid, column)
    keys = [row[column] for row in grid.cells]
    grid.cells = [
        [key, *row[:column], *row[column + 1 :]]
        for key, row in zip(grid.keys, grid.cells, strict=True)
    ]
    corner = grid.tops[column]
    grid.tops = [grid.corner, *grid.tops[:column], *grid.tops[column + 1 :]]
    grid.corner = corner
    grid.keys = keys
    grid.has_results = True


def _find_columns_of_100(grid: _SheetGrid) -> list[int]:
    """Return the numbers of the columns of percentages that add up to 100, whatever heads them."""
    columns = [
        read_percents([row[number] for row in grid.cells]) for number in range(len(grid.tops))
    ]
    return [
        number
        for number, chances in enumerate(columns)
        if len(chances) > 2 and (sum(chances) == 100 or sum(chances[:-1]) == chances[-1] == 100)
    ]


def _leave_out_same_weights(grid: _SheetGrid) -> None:
    """Leave out a column of chances that says the same as a column of weights, which is asked
    about.
    """
    weights = [number for number, top in enumerate(grid.tops) if is_weight_heading(top)]
    chances = [number for number, top in enumerate(grid.tops) if is_chance_heading(top)]
    if len(weights) != 1 or len(chances) != 1 or not _are_in_step(grid, weights[0], chances[0]):
        return
    same = grid.tops.pop(chances[0])
    for row in grid.cells:
        row.pop(chances[0])
    kept = next(top for top in grid.tops if is_weight_heading(top))
    grid.questions.append(f"column {same[:20]} says the same as {kept[:20]}: left out")


def _are_in_step(grid: _SheetGrid, *columns: int) -> bool:
    """Return whether two columns of numbers are as large to each other in every row."""
    cells = [[row[number] for row in grid.cells] for number in columns]
    first, second = (read_percents(column) or read_weights(column) for column in cells)
    if not first or not second or 0 in first:
        return False
    ratios = {number / other for other, number in zip(first, second, strict=True)}
    return len(ratios) == 1


def _is_weighted(heading: str) -> bool:
    return is_weight_heading(heading) or is_chance_heading(heading)


def _are_figures(cells: Sequence[str]) -> bool:
    return bool(read_headings(cells).figures or read_percents(cells))


def _are_weights(cells: Sequence[str]) -> bool:
    return bool(read_weights(cells) or read_percents(cells))


def _ask_about_weights(grid: _SheetGrid) -> None:
    """Ask about columns that are called Weight or Chance and do not choose the row."""
    for number, top in enumerate(grid.tops):
        if _is_weighted(top) and any(_has_digit(row[number]) for row in grid.cells):
            is_full = _are_weights([row[number] for row in grid.cells])
            way = "leave the other one out" if is_full else "write a number into each of its cells"
            grid.questions.append(
                f"column {top[:20]} is read as a result: if it says how often a row comes up, {way}"
            )


def _ask_about_weight_among_others(grid: _SheetGrid, column: int) -> None:
    """Ask about a column of weights if a row has more than one result beside it."""
    top = grid.tops[column]
    if len(grid.tops) > 1 and (_is_weighted(top) or not is_dice_head(top)):
        grid.questions.append(
            f"column {top[:20]} is read as how often each row comes up: or is it a result?"
        )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


# -- the table


def _build_draft(grid: _SheetGrid, name: str) -> TableDraft:
    _check_filled(grid)
    _leave_out_sum(grid)
    cells = _read_cells(grid)
    if weighed := _build_weights_draft(grid, cells):
        return weighed
    if has_columns_of_roster([grid.corner, *grid.tops]):
        grid.questions.insert(0, LOOKS_LIKE_ROSTER)
    corner = [part.strip() for part in _CORNER.split(grid.corner, maxsplit=1)]
    said = " ".join((grid.corner, grid.title))
    keys = grid.keys
    down = read_headings(keys)
    tops, across = read_columns(grid.tops, grid.questions)
    if _is_of_pairs(find_named_dice(said), down, across):
        return _build_pairs_draft(grid, cells, find_named_dice(said))
    if _is_turned(down, across, corner, said):
        keys, tops = tops, keys
        down, across = across, down
        cells = [list(column) for column in zip(*cells, strict=True)]
        corner = [*corner, ""][1::-1]
    labels = [*corner, "", ""][:2]
    if down.figures and _is_counted_in_order(keys, said, name):
        rolled = RowDice("", rows=down.figures)
        ordinal = next(key for key in keys if is_ordinal(key))
        grid.questions.append(f"nothing is rolled, as {ordinal[:20]} is an ordinal")
    else:
        rolled = roll_rows(down, said, name, grid.questions) if down.figures else RowDice("")
    _check_rolled(rolled, keys, said)
    _ask_about_dice(rolled.dice, said, labels[0], grid.questions)
    if rolled.rows:
        rows = Edge(_add_measure(labels[0], down.measure), figures=tuple(rolled.rows))
    else:
        rows = build_word_edge(keys, labels[0], "row", grid.questions)
        _ask_about_words(keys, labels[0], grid.questions)
        _ask_about_modifiers(cells, grid.questions)
    columns, outputs = _read_columns(grid, tops, across, labels[1], cells)
    return TableDraft(
        "",
        SOURCE,
        rows,
        tuple(map(tuple, cells)),
        rolled.dice,
        rolled.added,
        modified=rolled.is_modified,
        columns=columns,
        outputs=outputs,
        questions=tuple(dict.fromkeys(grid.questions)),
    )


def _is_counted_in_order(keys: Sequence[str], said: str, name: str) -> bool:
    """Return whether rows are ordinals, such as turns, and nothing names dice."""
    return any(map(is_ordinal, keys)) and not find_named_dice(said) and not find_named_dice(name)


def _add_measure(label: str, measure: str) -> str:
    """Return what rows are, with the measure of their figures: `Range (m)`."""
    return f"{label} ({measure})" if label and measure else label or measure


def _check_filled(grid: _SheetGrid) -> None:
    """Raise UserError for a table without any result."""
    if not any(any(cell for cell in row) for row in grid.cells):
        raise make_import_error(
            "All results of the table are empty.",
            "Its first row and first column are headings; the results are the other cells.",
        )


def _is_turned(down: Headings, across: Headings, corner: Sequence[str], said: str) -> bool:
    """Return whether the totals of the dice are at the top: only columns are figures, or the
    corner says so (`Odds / 2d6`).
    """
    if not across.figures:
        return False
    if len(corner) == 2 and find_named_dice(corner[1]) and not find_named_dice(corner[0]):
        return True
    if find_named_dice(said):
        return not down.figures
    return not _find_dice(down) and bool(_find_dice(across))


def _find_dice(headings: Headings) -> str:
    """Return the dice whose totals headings are, "" for none and for words."""
    flat = sorted(headings.flat, key=lambda span: span[0] or 0)
    if not flat or headings.measure or not is_rising(flat):
        return ""
    return find_dice(flat) or find_die_from_zero(flat)


def _check_rolled(rolled: RowDice, keys: Sequence[str], said: str) -> None:
    """Raise UserError for a heading that names dice if no row can be rolled."""
    dice = find_named_dice(said)
    if rolled.dice or not dice:
        return
    what = f"The heading says {dice.removeprefix('1')}"
    check_dates_of_rows(keys, what)
    unread = [key or "an empty one" for key in keys if not read_figures(key)] or list(keys)
    more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
    raise make_import_error(
        f"{what}, but these rows are no totals of dice: "
        f"{', '.join(key[:30] for key in unread[:3])}{more}.",
        "Write figures such as 2-4, 5 to 9, 10+, or take the dice out of the heading.",
    )


def _ask_about_dice(dice: str, said: str, label: str, questions: list[str]) -> None:
    """Ask about rows that are rolled though their heading is a word such as Turn."""
    if dice and label and not find_named_dice(said) and not _ROLL.search(label):
        questions.append(
            f"its heading ({label[:20]}) names no dice: read as {dice}, whose totals its rows are"
        )


def _ask_about_modifiers(cells: Sequence[Sequence[Cell]], questions: list[str]) -> None:
    """Ask whether looked-up numbers with signs are modifiers, which are added up."""
    texts = [str(cell) for row in cells for cell in row if cell != NOTHING]
    signed = [text for text in texts if _SIGNED.match(text)]
    if len(texts) > 1 and len(signed) == len(texts):
        questions.append(
            f"{', '.join(signed[:3])[:60]} look like modifiers: a table of them has kind: modifiers"
        )


def _ask_about_words(keys: Sequence[str], label: str, questions: list[str]) -> None:
    """Ask about rows that are not rolled although some are figures, or the heading says Roll."""
    words = [key for key in keys if not read_figures(key)]
    if 2 * len(words) <= len(keys) and words:
        questions.append(
            f"nothing is rolled, as these rows are no figures: {', '.join(words[:3])[:60]}"
        )
    elif _ROLL.search(label):
        questions.append(f"nothing is rolled, though the heading says {label[:20]}")


def _build_weights_draft(grid: _SheetGrid, cells: list[list[Cell]]) -> TableDraft | None:
    """Return the table of rows with weights or percentages; None for other rows. Raises
    UserError for weights that are none.
    """
    weights = _read_row_weights(grid)
    if not weights:
        return None
    dice, spans = assign_spans(weights, grid.title or grid.corner)
    taken = [row for row, weight in zip(cells, weights, strict=True) if weight]
    if len(taken) < len(cells):
        grid.questions.append(f"{len(cells) - len(taken)} rows of weight 0 are left out")
    return TableDraft(
        "",
        SOURCE,
        Edge("", figures=tuple((span,) for span in spans)),
        tuple(map(tuple, taken)),
        dice,
        outputs=tuple(_make_different(grid.tops)),
        questions=tuple(dict.fromkeys(grid.questions)),
    )


def _leave_out_last_sum(grid: _SheetGrid) -> None:
    """Leave a last row called Total out if it cannot be rolled, has no weight, or has the sums of
    its columns; ask about any other. Rows of weights with a sum are left to `_leave_out_sum`.
    """
    last_row = [grid.keys[-1], *grid.cells[-1]]
    if len(grid.keys) < 3 or not any(map(is_sum_word, last_row)):
        return
    weighted = _find_weight_columns(grid)
    if any(column[-1] for column in weighted):
        return
    is_named_so = is_sum_word(grid.keys[-1])
    is_rolled = bool(read_headings(grid.keys[:-1]).figures)
    label = next(cell for cell in last_row if is_sum_word(cell))
    if weighted or (is_named_so and (is_rolled or _are_sums(grid.cells))):
        grid.keys.pop()
        grid.cells.pop()
        grid.questions.append(f'the last row, "{label[:20]}", is left out as a sum')
    elif is_named_so:
        grid.questions.append(f'the last row ("{label[:20]}") is read as a row: or is it a sum?')


def _find_weight_columns(grid: _SheetGrid) -> list[list[str]]:
    """Return the columns that have weights or chances in all rows but the last."""
    heads = [grid.corner, *grid.tops]
    columns = [grid.keys, *(list(column) for column in zip(*grid.cells, strict=True))]
    headed = [column for head, column in zip(heads, columns, strict=True) if _is_weighted(head)]
    return [column for column in headed if _are_weights(column[:-1])]


def _are_sums(cells: Sequence[Sequence[str]]) -> bool:
    """Return whether each cell of the last row is the sum of those above it, or empty."""
    filled = [column for column in zip(*cells, strict=True) if column[-1]]
    return bool(filled) and all(map(_ends_with_sum, filled))


def _ends_with_sum(column: Sequence[str]) -> bool:
    numbers = read_weights(column)
    return bool(numbers) and sum(numbers[:-1]) == numbers[-1]


def _leave_out_sum(grid: _SheetGrid) -> None:
    """Leave the last row out of a table of weights if it is the sum of the others."""
    weights = read_percents(grid.keys) or read_weights(grid.keys)
    if not (_is_weighted(grid.corner) or read_percents(grid.keys)):
        return
    labels = [next(filter(None, row), "") for row in grid.cells]
    is_bare_sum = len(weights) > 2 and not labels[-1] and sum(weights[:-1]) == weights[-1]
    if has_sum_row(labels, weights) or is_bare_sum:
        sum_of_rows = grid.keys.pop()
        grid.cells.pop()
        row = f'the row "{labels[-1][:20]}"' if labels[-1] else "the last row"
        grid.questions.append(f"{row} is left out: {sum_of_rows} is the sum of the others")
    elif weights and is_sum_word(labels[-1]):
        grid.questions.append(
            f'the last row ("{labels[-1][:20]}") is read as a result, as its {grid.keys[-1]} is '
            f"not the sum of the others"
        )


def _read_row_weights(grid: _SheetGrid) -> list[Fraction]:
    """Return the weights or percentages of the rows, [] if their headings are neither. Raises
    UserError for a column of weights with something else in it.
    """
    percents = read_percents(grid.keys)
    weights = read_weights(grid.keys)
    if not percents and not _is_weighted(grid.corner):
        return []
    _check_weights(grid)
    if weights and (commas := [key for key in grid.keys if "," in key]):
        grid.questions.append(f"{', '.join(commas[:3])} are read as decimals: the comma is a point")
    if is_weight_heading(grid.corner):
        return percents or weights
    if percents:
        return _chances_of(percents, grid)
    is_of_one = 0 < sum(weights) < 2
    scale = 100 if is_of_one else 1
    return _chances_of([weight * scale for weight in weights], grid, scale)


def _chances_of(chances: list[Fraction], grid: _SheetGrid, scale: int = 1) -> list[Fraction]:
    """Return chances in percent that add up to 100; those that were rounded as the faces of a die,
    which is asked about. They were typed as parts of 100 / `scale`. Raises UserError for others.
    """
    total = sum(chances)
    if not chances or (total == 100 and has_die(chances)):
        return chances
    if parts := parts_of_rounded(chances, scale * last_digit(grid.keys)):
        grid.questions.append(
            f"{', '.join(grid.keys[:3])} are read as rounded: {', '.join(map(str, parts[:6]))} "
            f"of {sum(parts)}"
        )
        return list(map(Fraction, parts))
    if total == 100:
        return chances
    raise make_import_error(
        f"The chances of the rows add up to {float(total):g}%, not to 100%.",
        "Write ranges such as 01-40, or head the column Weight.",
    )


def _check_weights(grid: _SheetGrid) -> None:
    """Raise UserError if some rows below `Weight` have a weight and others do not, or if all have
    a figure that is none.
    """
    if read_percents(grid.keys) or read_weights(grid.keys):
        return
    wrong = [key for key in grid.keys if not _are_weights([key])]
    is_mixed = len(wrong) < len(grid.keys)
    if is_mixed and not wrong:
        raise make_import_error(
            f"Some cells below {grid.corner[:30]} have a % and others have none."
        )
    if is_mixed or any(map(is_thousands, wrong)):
        raise make_import_error(
            f"The heading says {grid.corner[:30]}, but {wrong[0][:20] or 'an empty cell'} is no "
            f"weight.",
            "Write numbers such as 3 or 2.5 into all of its cells.",
        )


def _is_of_pairs(dice: str, down: Headings, across: Headings) -> bool:
    """Return whether rows and columns are the two dice of d66, d44 or d88."""
    if not is_digit_dice(dice) or len(places_of(dice)) != 2:
        return False
    faces = [(face, face) for face in range(1, sides_of(dice) + 1)]
    return down.flat == faces and across.flat == faces


def _build_pairs_draft(grid: _SheetGrid, cells: list[list[Cell]], dice: str) -> TableDraft:
    """Return the table of two dice, tens by row and ones by column."""
    faces = range(1, sides_of(dice) + 1)
    pairs = [(tens * 10 + ones, tens * 10 + ones) for tens in faces for ones in faces]
    return TableDraft(
        "",
        SOURCE,
        Edge("", figures=tuple((pair,) for pair in pairs)),
        tuple((cell,) for row in cells for cell in row),
        dice,
        questions=tuple(dict.fromkeys(grid.questions)),
    )


def _read_columns(
    grid: _SheetGrid, tops: list[str], across: Headings, label: str, cells: list[list[Cell]]
) -> tuple[Edge | None, tuple[str, ...]]:
    """Return the columns to choose from, or None and the names of the results of a row."""
    if len(tops) == 1:
        return None, (make_name(tops[0], "result", between="_"),)
    if grid.has_results or (_are_results(tops, cells) and not across.figures):
        outputs = tuple(_make_different(tops))
        if not grid.has_results:
            grid.questions.append(
                f"{', '.join(outputs)[:80]} are read as results of one row, not as columns to choose from"
            )
        return None, outputs
    falls = find_covered_range(across.flat) is not None and is_rising(across.flat[::-1])
    if across.figures and (falls or is_rising(across.flat)):
        columns = Edge(label, figures=across.figures)
        if _is_from(columns):
            grid.questions.append(
                "its columns are read as 'from this figure on'; with `to` they go up to it"
            )
        return columns, ("result",)
    return build_word_edge(tops, label, "column", grid.questions), ("result",)


def _is_from(edge: Edge) -> bool:
    """Return whether columns are single figures that rise with gaps between them: 1, 4, 8, 12+."""
    return is_stepped([span for spans in edge.figures for span in spans])


def _are_results(tops: list[str], cells: list[list[Cell]]) -> bool:
    """Return whether columns are results of their own: what is in one is not in the next, or one
    has numbers alone.
    """
    if any(char.isdigit() for top in tops for char in top) or not all(
        any(map(str.isalpha, top)) for top in tops
    ):
        return False
    columns = [
        {cell for row in cells for cell in row[column : column + 1] if cell != NOTHING}
        for column in range(len(tops))
    ]
    kinds = {
        2 * sum(isinstance(cell, int) for cell in column) > len(column)
        for column in columns
        if column
    }
    if len(kinds) > 1:
        return True
    shared = [bool(left & right) for left, right in pairwise(columns)]
    return not any(shared) and kinds != {True}


def _make_different(tops: Sequence[str]) -> list[str]:
    names: list[str] = []
    for top in tops:
        names.append(make_name(top, "result", names, "_"))
    return names


# -- cells


def _read_cells(grid: _SheetGrid) -> list[list[Cell]]:
    """Return the cells as results; empty ones, and those that a spreadsheet may have changed, are
    asked about.
    """
    cells = [
        [
            _read_cell(cell, f"row {key[:20]}, column {top[:20] or number}", grid.questions)
            for number, (cell, top) in enumerate(zip(row, grid.tops, strict=True), 1)
        ]
        for key, row in zip(grid.keys, grid.cells, strict=True)
    ]
    _join_empty_cells(grid.questions)
    results = list(dict.fromkeys(cell for row in cells for cell in row))
    ask_about_note_marks(results, grid.questions)
    dashes = _ask_about_texts([cell for cell in results if isinstance(cell, str)], grid.questions)
    return [[NOTHING if cell in dashes else cell for cell in row] for row in cells]


def _join_empty_cells(questions: list[str]) -> None:
    """Make one question of those about more than a few empty cells, in `questions` itself."""
    empty = [question for question in questions if question.endswith(EMPTY)]
    if len(empty) <= _MOST_EMPTY:
        return
    places = "; ".join(question.removesuffix(EMPTY) for question in empty[:_MOST_EMPTY])
    first = questions.index(empty[0])
    questions[:] = [question for question in questions if question not in empty]
    more = len(empty) - _MOST_EMPTY
    questions.insert(first, f"empty cells are read as {NOTHING}: {places} and {more} more")


def _ask_about_texts(texts: Sequence[str], questions: list[str]) -> list[str]:
    """Ask about results that look alike, and return those that are dashes, if there are several."""
    dashes = [text for text in texts if comparison_key(text) == "-"]
    _ask_about_spellings([text for text in texts if text not in dashes], questions)
    if len(dashes) < 2:
        return []
    questions.append(f"{', '.join(dashes)} are read as one result, {NOTHING}")
    return dashes


def _ask_about_spellings(texts: Sequence[str], questions: list[str]) -> None:
    """Ask about results that look alike, such as those that differ in capitals alone."""
    spellings: dict[str, list[str]] = {}
    for text in texts:
        spellings.setdefault(comparison_key(text), []).append(text)
    for alike in spellings.values():
        if len(alike) > 1:
            questions.append(f"{' and '.join(alike)[:60]} are two results: the same, or not?")


def _read_cell(text: str, place: str, questions: list[str]) -> Cell:
    result = clean_text(text, place[:1].upper() + place[1:])
    if remove_invisible(text) != text:
        questions.append(f"{place}: signs that nobody sees are left out of {result[:20]}")
    if not result:
        questions.append(f"{place}{EMPTY}")
        return NOTHING
    if is_date(result):
        questions.append(f"{place}: {result[:20]} looks like a date that a spreadsheet made of it")
    elif _FAILED.fullmatch(result):
        questions.append(f"{place}: {result[:20]} is an error of the spreadsheet")
    elif _SCIENTIFIC.fullmatch(result):
        questions.append(f"{place}: {result[:20]} may be a number that a spreadsheet made of it")
    is_whole = _WHOLE.fullmatch(result) and not result.startswith("+")
    return int(result) if is_whole and str(int(result)) == result else result
