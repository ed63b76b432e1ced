"""Tables out of cells: the first row has headings, the first column has totals, weights or words.

Nothing is changed silently: each guess is added, as a question in words, to the questions that are
shown with the table. A heading that names dice gives a table that is rolled, or an error.
"""

import re
from collections.abc import Collection, Sequence
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
    find_precision,
    find_rounded_faces,
    has_die,
    has_sum_row,
    is_chance_heading,
    is_weight_heading,
    read_percents,
    read_weights,
)
from bot.packs.importing.zeros import find_die_from_zero
from bot.rules.text.ditto import fill_dittos
from bot.rules.text.normalize import comparison_key
from bot.rules.text.plain import remove_invisible
from bot.rules.text.sum_words import is_sum_word

SOURCE = "a spreadsheet"
EMPTY = f": the cell is empty and is read as {NOTHING}"
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
    """A table as it is typed: the heading of its rows (`corner`), the headings of its columns
    (`tops`) and of its rows (`keys`), and its cells, a list for each row.
    """

    corner: str
    tops: list[str]
    keys: list[str]
    cells: list[list[str]]
    title: str
    questions: list[str]
    has_results: bool = False
    """True if the columns are known to be results of a row, none of them to be chosen."""

    def get_column(self, number: int) -> list[str]:
        """Return the cells of a column, counted from 0, without its heading."""
        return [row[number] for row in self.cells]


def read_sheets(text: str, name: str) -> tuple[list[TableDraft], list[str]]:
    """Return the tables of a text with cells, and remarks on the lines and tables that are left
    out. Raises UserError for a text without any table.
    """
    cut = cut_text(text)
    is_only = len(cut.blocks) == 1
    drafts, faults = read_all_readable(cut.blocks, lambda block: read_block(block, name, is_only))
    return drafts, [*list_left_out_notes(cut.left_out), *cut.questions, *faults]


def read_block(block: CellBlock, name: str, is_only: bool = True) -> TableDraft:
    """Return the table of a block of cells.

    A block without a title is called `name`, or as its only column if it is one of several
    blocks. Raises UserError if the cells are no table.
    """
    grid = _read_grid(block)
    title = _clean_title(grid.title)
    if not title:
        title = name if is_only or len(grid.tops) > 1 else remove_dice(grid.tops[0])
    return replace(_build_draft(grid, name), title=clean_title(title))


def _clean_title(title: str) -> str:
    """Return a title without the dice that it names before or after its words."""
    bare = _DICE_AT_END.sub("", title)
    if is_dice_head(bare):
        bare = remove_dice(bare)
    return bare.strip(" :")


def _read_grid(block: CellBlock) -> _SheetGrid:
    """Return the headings and cells of a block.

    Headings that are missing are added; remarks and sums are left out; the figures or weights
    that choose a row are made the headings of the rows. Raises UserError for a block without cells.
    """
    questions = list[str]()
    rows = fill_dittos(_join_continued_rows(block, questions), questions)
    rows_with_key_last = [[*row[1:], row[0]] for row in rows]
    if _is_headless(rows):
        rows = _add_headings(rows, questions)
    elif len(rows[0]) == 2 and _is_headless(rows_with_key_last):
        rows = _add_headings(rows_with_key_last, questions)
    elif read_figures(rows[0][0]) or is_date(rows[0][0]):
        questions.append(f"its first row ({_quote(rows[0])}) is read as headings")
    heads = [
        clean_text(head, f"The heading of column {number}", 100 if number else 1_000)
        for number, head in enumerate(rows[0])
    ]
    if len(heads) < 2 or len(rows) < 2:
        raise make_import_error(
            "The sheet has no cells apart from its headings.",
            "The first row and first column are read as headings.",
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
    """Return the rows of a table that is rolled, each joined with the rows below that continue its
    cells. This adds a question.

    A row continues the one above if it has no heading and fills some of the cells above. Rows stay
    as they are if neither their heading nor the title names dice.
    """
    head, *body = block.rows
    if not find_named_dice(f"{head[0]} {block.title}"):
        return block.rows
    rows = [head]
    joined = list[str]()
    for row in body:
        above = rows[-1]
        if len(rows) > 1 and _is_continued(row, above):
            rows[-1] = [f"{cell} {below}".strip() for cell, below in zip(above, row, strict=True)]
            joined += [cell for cell in row if cell]
        else:
            rows.append(row)
    if joined:
        questions.append(f"read as part of the row above: {', '.join(joined[:3])[:60]}")
    return rows


def _is_continued(row: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether a row continues the one above: it has no heading, some empty cells, and
    nothing below an empty cell.
    """
    filled = [number for number, cell in enumerate(row) if cell]
    return (
        bool(filled)
        and not row[0]
        and len(filled) < len(row) - 1
        and all(above[number] for number in filled)
    )


def _leave_out_remarks(grid: _SheetGrid) -> None:
    """Leave out a last column that is headed Remarks or the like, in `grid` itself.

    This adds a question. The column stays unless the headings of the others, at least two, are
    figures, which choose a result.
    """
    if len(grid.tops) < 3 or not _REMARKS.fullmatch(grid.tops[-1]):
        return
    if not read_headings(grid.tops[:-1]).figures:
        return
    top = grid.tops.pop()
    remarks = [row.pop() for row in grid.cells]
    keyed_remarks = zip(grid.keys, remarks, strict=True)
    texts = "; ".join(f"{key}: {remark}" for key, remark in keyed_remarks if remark)
    grid.questions.append(f"column {top[:20]} is left out ({texts[:120]})")


def _is_headless(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is one of the rows that are rolled, not the headings: all rows
    begin with figures, and these have no gap between them.
    """
    keys = read_date_spans([row[0] for row in rows])
    spans = [span for key in keys for span in key]
    return len(rows) > 1 and bool(spans) and find_covered_range(spans) is not None


def _add_headings(rows: list[list[str]], questions: list[str]) -> list[list[str]]:
    """Return rows of two cells below a row of headings, which adds a question. Raises UserError for
    rows of more cells.
    """
    quoted_row = _quote(rows[0])
    if len(rows[0]) != 2:
        raise make_import_error(
            f"The first row ({quoted_row}) has numbers like the others: the headings are missing.",
            "Put a row of headings above it.",
        )
    questions.append(f"it has no headings: its first row ({quoted_row}) is read as results")
    return [["", "result"], *rows]


def _quote(row: Sequence[str]) -> str:
    return ", ".join(cell for cell in row if cell)[:40]


def _join_start_and_end(grid: _SheetGrid) -> None:
    """Make row headings such as `1 to 3` of two columns such as `from` and `to`, in `grid` itself.

    It stays as it is if a cell is no single figure, or if neither figures nor headings give dice.
    """
    heads = [grid.corner, *grid.tops]
    column = _find_start_column(heads)
    if column < 0 or len(heads) < 3:
        return
    rows = [[key, *row] for key, row in zip(grid.keys, grid.cells, strict=True)]
    starts = [row[column] for row in rows]
    stops = [row[column + 1] or row[column] for row in rows]
    if not all(_is_single_figure(cell) for cell in (*starts, *stops)):
        return
    keys = [f"{start} to {stop}" for start, stop in zip(starts, stops, strict=True)]
    has_named_dice = any(map(find_named_dice, (*heads, grid.title)))
    if not has_named_dice and not _find_dice(read_headings(keys)):
        return
    grid.keys = keys
    grid.tops = [*heads[:column], *heads[column + 2 :]]
    grid.cells = [[*row[:column], *row[column + 2 :]] for row in rows]
    grid.corner = ""
    grid.has_results = True


def _find_start_column(heads: Sequence[str]) -> int:
    """Return the number of the first column whose heading is a start (`from`) if the next one is
    an end (`to`); -1 if there is none.
    """
    words = [_get_last_word(head) for head in heads]
    for number, (word, next_word) in enumerate(pairwise(words)):
        if word in _STARTS and next_word in _ENDS:
            return number
    return -1


def _get_last_word(heading: str) -> str:
    words = re.findall(r"[^\W\d_]+", normalize_figures(heading).replace("_", " "))
    return words[-1] if words else ""


def _is_single_figure(cell: str) -> bool:
    spans = read_figures(cell)
    return len(spans) == 1 and spans[0][0] == spans[0][1]


def _bring_rolls_forward(grid: _SheetGrid) -> None:
    """Make the one column that says how rows are rolled the headings of the rows, in `grid` itself.
    The old headings become the first column of results.

    It stays as it is if the rows have figures or weights already, or if none or several columns
    could be meant; columns of weights add questions then.
    """
    if find_named_dice(grid.corner) or _is_weighted(grid.corner):
        return
    if read_headings(grid.keys).figures:
        return
    _leave_out_same_weights(grid)
    columns = _find_roll_columns(grid) or _find_columns_of_100(grid)
    if len(columns) != 1:
        _ask_about_weights(grid)
        return
    column = columns[0]
    _ask_about_weight_among_others(grid, column)
    keys = grid.get_column(column)
    grid.cells = [
        [key, *row[:column], *row[column + 1 :]]
        for key, row in zip(grid.keys, grid.cells, strict=True)
    ]
    corner = grid.tops[column]
    grid.tops = [grid.corner, *grid.tops[:column], *grid.tops[column + 1 :]]
    grid.corner = corner
    grid.keys = keys
    grid.has_results = True


def _find_roll_columns(grid: _SheetGrid) -> list[int]:
    """Return the numbers of the columns that are headed by dice and have figures, or that are
    headed by Weight or Chance and have those.
    """
    columns = list[int]()
    for number, top in enumerate(grid.tops):
        cells = grid.get_column(number)
        is_rolled = is_dice_head(top) and _are_figures(cells)
        is_weighted = _is_weighted(top) and _are_weights(cells)
        if is_rolled or is_weighted:
            columns.append(number)
    return columns


def _find_columns_of_100(grid: _SheetGrid) -> list[int]:
    """Return the numbers of the columns of percentages that add up to 100, whatever their heading
    is. The last cell may be the sum of the others.
    """
    columns = list[int]()
    for number in range(len(grid.tops)):
        chances = read_percents(grid.get_column(number))
        if len(chances) < 3:
            continue
        has_sum = sum(chances[:-1]) == chances[-1] == 100
        if has_sum or sum(chances) == 100:
            columns.append(number)
    return columns


def _leave_out_same_weights(grid: _SheetGrid) -> None:
    """Leave out the column of chances if it says the same as the column of weights.

    This changes `grid` itself and adds a question. Nothing happens unless there is just one of
    each.
    """
    weights = [number for number, top in enumerate(grid.tops) if is_weight_heading(top)]
    chances = [number for number, top in enumerate(grid.tops) if is_chance_heading(top)]
    if len(weights) != 1 or len(chances) != 1:
        return
    if not _are_in_step(grid, weights[0], chances[0]):
        return
    chance_top = grid.tops.pop(chances[0])
    for row in grid.cells:
        row.pop(chances[0])
    weight_top = next(top for top in grid.tops if is_weight_heading(top))
    grid.questions.append(f"column {chance_top[:20]} repeats {weight_top[:20]} and is left out")


def _are_in_step(grid: _SheetGrid, *columns: int) -> bool:
    """Return whether the numbers of two columns have the same ratio in every row.

    It is False if a column is no weights or percentages, or if the first has a 0.
    """
    cells = [grid.get_column(number) for number in columns]
    weights, chances = (read_percents(column) or read_weights(column) for column in cells)
    if not weights or not chances or 0 in weights:
        return False
    ratios = {chance / weight for weight, chance in zip(weights, chances, strict=True)}
    return len(ratios) == 1


def _is_weighted(heading: str) -> bool:
    return is_weight_heading(heading) or is_chance_heading(heading)


def _are_figures(cells: Sequence[str]) -> bool:
    return bool(read_headings(cells).figures or read_percents(cells))


def _are_weights(cells: Sequence[str]) -> bool:
    return bool(read_weights(cells) or read_percents(cells))


def _ask_about_weights(grid: _SheetGrid) -> None:
    """Add a question about columns that are called Weight or Chance and do not choose the row."""
    for number, top in enumerate(grid.tops):
        cells = grid.get_column(number)
        if not _is_weighted(top) or not any(map(_has_digit, cells)):
            continue
        advice = "put a number in each of its cells"
        if _are_weights(cells):
            advice = "leave out the other one"
        grid.questions.append(
            f"column {top[:20]} is read as a result: if it gives the odds of each row, {advice}"
        )


def _ask_about_weight_among_others(grid: _SheetGrid, column: int) -> None:
    """Add a question about a column of weights if there are other columns, so that it may be a
    result.
    """
    top = grid.tops[column]
    if len(grid.tops) > 1 and (_is_weighted(top) or not is_dice_head(top)):
        grid.questions.append(
            f"column {top[:20]} is read as the odds of each row: is it a result instead?"
        )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


# -- the table


def _build_draft(grid: _SheetGrid, name: str) -> TableDraft:
    """Return the table of a sheet, without a title. `name` is the name of its file. Raises
    UserError.
    """
    _check_filled(grid)
    _leave_out_sum(grid)
    cells = _read_cells(grid)
    weights_draft = _build_weights_draft(grid, cells)
    if weights_draft is not None:
        return weights_draft
    if has_columns_of_roster([grid.corner, *grid.tops]):
        grid.questions.insert(0, LOOKS_LIKE_ROSTER)
    corner = [part.strip() for part in _CORNER.split(grid.corner, maxsplit=1)]
    heading = f"{grid.corner} {grid.title}"
    named_dice = find_named_dice(heading)
    keys = grid.keys
    down = read_headings(keys)
    tops, across = read_columns(grid.tops, grid.questions)
    if _is_of_pairs(named_dice, down, across):
        return _build_pairs_draft(grid, cells, named_dice)
    if _is_turned(down, across, corner, heading):
        keys, tops = tops, keys
        down, across = across, down
        cells = [list(column) for column in zip(*cells, strict=True)]
        corner = [*corner, ""][1::-1]
    row_label, column_label = [*corner, "", ""][:2]
    row_dice = _find_row_dice(keys, down, heading, name, grid.questions)
    _check_rolled(row_dice, keys, heading)
    _ask_about_dice(row_dice.dice, heading, row_label, grid.questions)
    if row_dice.rows:
        rows = Edge(_add_measure(row_label, down.measure), figures=tuple(row_dice.rows))
    else:
        rows = build_word_edge(keys, row_label, "row", grid.questions)
        _ask_about_words(keys, row_label, grid.questions)
        _ask_about_modifiers(cells, grid.questions)
    columns, outputs = _read_columns(grid, tops, across, column_label, cells)
    return TableDraft(
        "",
        SOURCE,
        rows,
        tuple(map(tuple, cells)),
        row_dice.dice,
        row_dice.added,
        modified=row_dice.is_modified,
        columns=columns,
        outputs=outputs,
        questions=tuple(dict.fromkeys(grid.questions)),
    )


def _find_row_dice(
    keys: Sequence[str], down: Headings, heading: str, name: str, questions: list[str]
) -> RowDice:
    """Return the dice that choose a row, none for rows of words and for ordinals, which add
    questions. `down` are the figures of `keys`. Raises UserError.
    """
    if not down.figures:
        return RowDice("")
    if not _is_counted_in_order(keys, heading, name):
        return roll_rows(down, heading, name, questions)
    ordinal = next(key for key in keys if is_ordinal(key))
    questions.append(f"nothing is rolled, because {ordinal[:20]} is an ordinal")
    return RowDice("", rows=down.figures)


def _is_counted_in_order(keys: Sequence[str], heading: str, name: str) -> bool:
    """Return whether rows are ordinals, such as turns, and neither the heading nor the file's name
    has dice.
    """
    if find_named_dice(heading) or find_named_dice(name):
        return False
    return any(map(is_ordinal, keys))


def _add_measure(label: str, measure: str) -> str:
    """Return what rows are, with the measure of their figures: `Range (m)`."""
    return f"{label} ({measure})" if label and measure else label or measure


def _check_filled(grid: _SheetGrid) -> None:
    """Raise UserError for a table without any result."""
    if not any(any(cell for cell in row) for row in grid.cells):
        raise make_import_error(
            "All the table's results are empty.",
            "The first row and first column are headings; the other cells are results.",
        )


def _is_turned(down: Headings, across: Headings, corner: Sequence[str], heading: str) -> bool:
    """Return whether the totals of the dice are at the top of the table, not at its side.

    The columns have figures then, and either the corner says so (`Odds / 2d6`), or the heading
    names dice and the rows have no figures, or only the figures of the columns are totals of dice.
    """
    if not across.figures:
        return False
    if len(corner) == 2 and find_named_dice(corner[1]) and not find_named_dice(corner[0]):
        return True
    if find_named_dice(heading):
        return not down.figures
    return not _find_dice(down) and bool(_find_dice(across))


def _find_dice(headings: Headings) -> str:
    """Return the dice whose totals headings are, in any order; "" for other figures and words."""
    spans = sorted(headings.flat, key=lambda span: span[0] or 0)
    if not spans or headings.measure or not is_rising(spans):
        return ""
    return find_dice(spans) or find_die_from_zero(spans)


def _check_rolled(row_dice: RowDice, keys: Sequence[str], heading: str) -> None:
    """Raise UserError if the heading names dice but none were found for the rows."""
    dice = find_named_dice(heading)
    if row_dice.dice or not dice:
        return
    statement = f"The heading says {dice.removeprefix('1')}"
    check_dates_of_rows(keys, statement)
    unread = [key or "an empty one" for key in keys if not read_figures(key)] or list(keys)
    suffix = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
    listed = ", ".join(key[:30] for key in unread[:3])
    raise make_import_error(
        f"{statement}, but these rows are not totals of dice: {listed}{suffix}.",
        "Write numbers such as 2-4, 5 to 9 or 10+, or take the dice out of the heading.",
    )


def _ask_about_dice(dice: str, heading: str, label: str, questions: list[str]) -> None:
    """Add a question about rows that are rolled though their heading is a word such as Turn."""
    if not dice or not label or find_named_dice(heading):
        return
    if not _ROLL.search(label):
        questions.append(
            f"its heading ({label[:20]}) gives no dice: its rows are read as totals of {dice}"
        )


def _ask_about_modifiers(cells: Sequence[Sequence[Cell]], questions: list[str]) -> None:
    """Add the question whether looked-up numbers with signs are modifiers, which are added up."""
    texts = [str(cell) for row in cells for cell in row if cell != NOTHING]
    signed = [text for text in texts if _SIGNED.match(text)]
    if len(texts) > 1 and len(signed) == len(texts):
        questions.append(
            f"{', '.join(signed[:3])[:60]} look like modifiers: a table of modifiers has kind: modifiers"
        )


def _ask_about_words(keys: Sequence[str], label: str, questions: list[str]) -> None:
    """Add a question about rows that are not rolled although half of them or more are figures, or
    the heading says Roll.
    """
    words = [key for key in keys if not read_figures(key)]
    if words and 2 * len(words) <= len(keys):
        questions.append(
            f"nothing is rolled, because these rows are not numbers: {', '.join(words[:3])[:60]}"
        )
    elif _ROLL.search(label):
        questions.append(f"nothing is rolled, though the heading says {label[:20]}")


def _build_weights_draft(grid: _SheetGrid, cells: list[list[Cell]]) -> TableDraft | None:
    """Return the table of rows with weights or percentages, None for other rows. Rows of weight 0
    are left out, which adds a question. Raises UserError if the heading says Weight but the
    rows have none.
    """
    weights = _read_row_weights(grid)
    if not weights:
        return None
    dice, spans = assign_spans(weights, grid.title or grid.corner)
    rolled_cells = [row for row, weight in zip(cells, weights, strict=True) if weight]
    if len(rolled_cells) < len(cells):
        grid.questions.append(f"{len(cells) - len(rolled_cells)} rows with weight 0 are left out")
    return TableDraft(
        "",
        SOURCE,
        Edge("", figures=tuple((span,) for span in spans)),
        tuple(map(tuple, rolled_cells)),
        dice,
        outputs=tuple(_make_output_names(grid.tops)),
        questions=tuple(dict.fromkeys(grid.questions)),
    )


def _leave_out_last_sum(grid: _SheetGrid) -> None:
    """Leave out a last row called Total, in `grid` itself, and add a question about it.

    It is left out if it cannot be rolled, has no weight, or has the sums of its columns. Any other
    adds a question alone. Rows of weights with a sum are left to `_leave_out_sum`.
    """
    last_row = [grid.keys[-1], *grid.cells[-1]]
    if len(grid.keys) < 3 or not any(map(is_sum_word, last_row)):
        return
    weight_columns = _find_weight_columns(grid)
    if any(column[-1] for column in weight_columns):
        return
    is_sum_key = is_sum_word(grid.keys[-1])
    is_rolled = bool(read_headings(grid.keys[:-1]).figures)
    label = next(cell for cell in last_row if is_sum_word(cell))
    if weight_columns or (is_sum_key and (is_rolled or _are_sums(grid.cells))):
        grid.keys.pop()
        grid.cells.pop()
        grid.questions.append(f'the last row, "{label[:20]}", is left out as a sum')
    elif is_sum_key:
        grid.questions.append(
            f'the last row ("{label[:20]}") is read as a row: is it a sum instead?'
        )


def _find_weight_columns(grid: _SheetGrid) -> list[list[str]]:
    """Return the columns headed Weight or Chance that have these in all rows but the last."""
    columns = [(grid.corner, grid.keys)]
    columns += [(top, grid.get_column(number)) for number, top in enumerate(grid.tops)]
    return [cells for head, cells in columns if _is_weighted(head) and _are_weights(cells[:-1])]


def _are_sums(cells: Sequence[Sequence[str]]) -> bool:
    """Return whether each cell of the last row is the sum of those above it, or empty."""
    filled = [column for column in zip(*cells, strict=True) if column[-1]]
    return bool(filled) and all(map(_ends_with_sum, filled))


def _ends_with_sum(column: Sequence[str]) -> bool:
    numbers = read_weights(column)
    return bool(numbers) and sum(numbers[:-1]) == numbers[-1]


def _leave_out_sum(grid: _SheetGrid) -> None:
    """Leave out the last row of a table of weights if it is the sum of the others.

    This changes `grid` itself and adds a question. So does a row called Total that is not the sum.
    Tables without weights are left as they are.
    """
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
            f'the last row ("{labels[-1][:20]}") is read as a result, because its {grid.keys[-1]} is '
            f"not the sum of the others"
        )


def _read_row_weights(grid: _SheetGrid) -> list[Fraction]:
    """Return the weights or percentages of the rows, [] if their headings are neither. Decimal
    commas and rounded chances add questions. Raises UserError for a column of weights with
    something else in it, and for chances that do not add up to 100%.
    """
    percents = read_percents(grid.keys)
    weights = read_weights(grid.keys)
    if not percents and not _is_weighted(grid.corner):
        return []
    _check_weights(grid)
    commas = [key for key in grid.keys if "," in key]
    if weights and commas:
        grid.questions.append(f"{', '.join(commas[:3])} are read with decimal commas")
    if is_weight_heading(grid.corner):
        return percents or weights
    if percents:
        return _adjust_rounded_chances(percents, grid)
    is_of_one = 0 < sum(weights) < 2
    scale = 100 if is_of_one else 1
    return _adjust_rounded_chances([weight * scale for weight in weights], grid, scale)


def _adjust_rounded_chances(
    chances: list[Fraction], grid: _SheetGrid, scale: int = 1
) -> list[Fraction]:
    """Return chances as they are if they add up to 100 (percent) and a die can have them.

    Else they are taken as rounded: the faces that each row has on a die are returned in their
    place, which adds a question. If no die fits, chances that add up to 100 are returned as they
    are, and UserError is raised for others. `scale` is 100 if the chances were typed as parts of 1
    (0.25), not in percent.
    """
    total = sum(chances)
    if not chances or (total == 100 and has_die(chances)):
        return chances
    faces = find_rounded_faces(chances, scale * find_precision(grid.keys))
    if faces:
        listed_faces = ", ".join(map(str, faces[:6]))
        grid.questions.append(
            f"{', '.join(grid.keys[:3])} are treated as rounded: {listed_faces} out of {sum(faces)}"
        )
        return list(map(Fraction, faces))
    if total == 100:
        return chances
    raise make_import_error(
        f"The rows' chances add up to {float(total):g}%, not 100%.",
        "Write ranges such as 01-40, or head the column Weight.",
    )


def _check_weights(grid: _SheetGrid) -> None:
    """Raise UserError if some rows below `Weight` have a weight and others do not, or if all have
    figures that are no weights, such as 1,000.
    """
    if read_percents(grid.keys) or read_weights(grid.keys):
        return
    wrong = [key for key in grid.keys if not _are_weights([key])]
    is_mixed = len(wrong) < len(grid.keys)
    if is_mixed and not wrong:
        raise make_import_error(f"Some cells below {grid.corner[:30]} have a % and others do not.")
    if is_mixed or any(map(is_thousands, wrong)):
        quoted = wrong[0][:20] or "an empty cell"
        raise make_import_error(
            f"The heading says {grid.corner[:30]}, but {quoted} is not a weight.",
            "Put numbers such as 3 or 2.5 in all its cells.",
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
    """Return the columns to choose from and the name of their result, or None and the names of the
    results of a row. `across` are the figures of `tops`.
    """
    if len(tops) == 1:
        return None, (make_name(tops[0], "result", separator="_"),)
    if grid.has_results or (_are_results(tops, cells) and not across.figures):
        outputs = tuple(_make_output_names(tops))
        if not grid.has_results:
            grid.questions.append(
                f"{', '.join(outputs)[:80]} are read as parts of one result, not as columns to choose from"
            )
        return None, outputs
    is_falling = find_covered_range(across.flat) is not None and is_rising(across.flat[::-1])
    if across.figures and (is_falling or is_rising(across.flat)):
        columns = Edge(label, figures=across.figures)
        if _is_from(columns):
            grid.questions.append(
                "its columns are read as 'this number or more'; with `to` they mean 'up to this number'"
            )
        return columns, ("result",)
    return build_word_edge(tops, label, "column", grid.questions), ("result",)


def _is_from(edge: Edge) -> bool:
    """Return whether columns are single figures that rise with gaps between them: 1, 4, 8, 12+."""
    return is_stepped([span for spans in edge.figures for span in spans])


def _are_results(tops: list[str], cells: list[list[Cell]]) -> bool:
    """Return whether columns are results of each row, and not columns to choose one result from.

    Headings (`tops`) with digits, or without letters, are not those of results. With words as
    headings they are results if some columns have mostly numbers and others not. If none has, they
    are results unless two neighboring columns have a text in common. Empty cells do not count.
    """
    if not all(map(_is_word, tops)):
        return False
    columns = [set(column) - {NOTHING} for column in zip(*cells, strict=True)]
    kinds = {_has_mostly_numbers(column) for column in columns if column}
    if len(kinds) > 1:
        return True
    shares_cells = any(column & next_column for column, next_column in pairwise(columns))
    return not shares_cells and kinds != {True}


def _is_word(text: str) -> bool:
    """Return whether a text has letters, and no digit."""
    return any(map(str.isalpha, text)) and not _has_digit(text)


def _has_mostly_numbers(cells: Collection[Cell]) -> bool:
    return 2 * sum(isinstance(cell, int) for cell in cells) > len(cells)


def _make_output_names(tops: Sequence[str]) -> list[str]:
    """Return a name for the result in each column, made of its heading and different from the
    others.
    """
    names: list[str] = []
    for top in tops:
        names.append(make_name(top, "result", names, "_"))
    return names


# -- cells


def _read_cells(grid: _SheetGrid) -> list[list[Cell]]:
    """Return the cells as results.

    Cells that are empty, that a spreadsheet may have changed, or that look alike add questions.
    """
    cells = list[list[Cell]]()
    for key, row in zip(grid.keys, grid.cells, strict=True):
        results = list[Cell]()
        for number, (cell, top) in enumerate(zip(row, grid.tops, strict=True), 1):
            position = f"row {key[:20]}, column {top[:20] or number}"
            results.append(_read_cell(cell, position, grid.questions))
        cells.append(results)
    _join_empty_cells(grid.questions)
    different = list(dict.fromkeys(cell for row in cells for cell in row))
    ask_about_note_marks(different, grid.questions)
    texts = [cell for cell in different if isinstance(cell, str)]
    dashes = _ask_about_texts(texts, grid.questions)
    return [[NOTHING if cell in dashes else cell for cell in row] for row in cells]


def _join_empty_cells(questions: list[str]) -> None:
    """Replace the questions about empty cells by a single one if there are more than
    `_MOST_EMPTY`, in `questions` itself.
    """
    empty = [question for question in questions if question.endswith(EMPTY)]
    if len(empty) <= _MOST_EMPTY:
        return
    positions = "; ".join(question.removesuffix(EMPTY) for question in empty[:_MOST_EMPTY])
    index = questions.index(empty[0])
    questions[:] = [question for question in questions if question not in empty]
    count = len(empty) - _MOST_EMPTY
    questions.insert(index, f"empty cells are read as {NOTHING}: {positions} and {count} more")


def _ask_about_texts(texts: Sequence[str], questions: list[str]) -> list[str]:
    """Add a question about results that look alike. If there are several kinds of dashes, return
    them, as they have to be read as one result, and add a question about this; else return [].
    """
    dashes = [text for text in texts if comparison_key(text) == "-"]
    _ask_about_spellings([text for text in texts if text not in dashes], questions)
    if len(dashes) < 2:
        return []
    questions.append(f"{', '.join(dashes)} are read as one result, {NOTHING}")
    return dashes


def _ask_about_spellings(texts: Sequence[str], questions: list[str]) -> None:
    """Add a question about results that look alike, such as those that differ in capitals alone."""
    spellings: dict[str, list[str]] = {}
    for text in texts:
        spellings.setdefault(comparison_key(text), []).append(text)
    for same_texts in spellings.values():
        if len(same_texts) > 1:
            quoted = " and ".join(same_texts)[:60]
            questions.append(f"{quoted} are two results: are they the same?")


def _read_cell(text: str, position: str, questions: list[str]) -> Cell:
    """Return a cell as a whole number if it is one, NOTHING if it is empty, else as text.

    Empty cells, invisible characters, and whatever looks like a date, a number or an error of a
    spreadsheet add questions, at `position`.
    """
    result = clean_text(text, position[:1].upper() + position[1:])
    if remove_invisible(text) != text:
        questions.append(f"{position}: invisible characters are removed from {result[:20]}")
    if not result:
        questions.append(f"{position}{EMPTY}")
        return NOTHING
    if is_date(result):
        questions.append(f"{position}: {result[:20]} looks like a date put there by a spreadsheet")
    elif _FAILED.fullmatch(result):
        questions.append(f"{position}: {result[:20]} is a spreadsheet error")
    elif _SCIENTIFIC.fullmatch(result):
        questions.append(f"{position}: {result[:20]} may be a number changed by a spreadsheet")
    if _WHOLE.fullmatch(result) and str(int(result)) == result:
        return int(result)
    return result
