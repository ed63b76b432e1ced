"""A table as a picture: the cell that answers in its row and column, wide and long tables as a
window around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.charts.font import measure_longest_word, measure_width, shorten_text, wrap_text
from bot.charts.sheet import ROW, Block, build_layout
from bot.charts.svg import BAND, CROSS, EDGE, FAINT, HIT, HIT_INK, INK, WIDE, Canvas, Picture
from bot.presentation.printed_table import EACH_CELL
from bot.rules.tables.table import Table
from bot.rulesets.catalog import find_system

MOST_COLUMNS, WINDOW = 10, 9
"""A table of more columns is shown as a window of so many."""
LEGIBLE, FEWEST = 18, 4
"""Letters of so many pixels are read on a phone; for smaller ones a window is made narrower, to
so many columns.
"""
MOST_ROWS, ROWS_BESIDE, MANY_LETTERS = 24, 8, 1500
"""A longer table with an answer is shown with so many rows above and below it; one of many
letters with fewer.
"""
PAD = 7
"""Pixels beside the words of a cell."""
SIZES = (22, 21, 20, 19, 18, 17, 16, 15)
WRAPPED = 19
"""The largest letters of a block whose cells take several lines."""
SENTENCE = 14
"""A column with so many letters in a cell is set from the left."""
_MOST = 0.66
"""A column is no wider than so much of the room, before what is left over is shared out."""
_LINE = 1.2
_ROOM = WIDE - 2 * EDGE + 2 * PAD


def render_named_table(system_id: str, table_id: str, given: Mapping[str, object]) -> Picture:
    """A table by its name, with `given` inputs where it answers them. Raises UserError for what
    it refuses.
    """
    return render_table(find_system(system_id).find_table(table_id), given or None)


def render_table(table: Table, given: Mapping[str, object] | None = None) -> Picture:
    """The whole table; with `given` inputs, where it answers them: title, answer, blocks, what its
    codes mean, source.

    Raises UserError for inputs that it refuses.
    """
    sheet = build_layout(table, given)
    canvas = Canvas(sheet.title)
    if sheet.news:
        canvas.draw_words(sheet.news, 25, HIT, bold=True)
    if sheet.asked:
        canvas.draw_words(sheet.asked, 20, FAINT)
    notes: dict[str, None] = {}
    for block in sheet.blocks:
        for part in _split_block(block):
            canvas.top += 12
            _draw_piece(canvas, part)
            notes |= dict.fromkeys(part.notes)
    canvas.top += 8
    if sheet.text:
        canvas.draw_words(sheet.text, 20)
    used = {cell for block in sheet.blocks for row in block.cells for cell in row}
    legend = [
        f"{code}: {meaning}"
        for code, meaning in sheet.legend
        if code == EACH_CELL or any(code in cell for cell in used)
    ]
    for line in filter(
        None, (*notes, "; ".join(legend), *sheet.doubts, f"{sheet.game} · {sheet.source}")
    ):
        canvas.draw_words(line, 18, FAINT)
    canvas.top += 14
    return canvas.build_picture(
        (*sheet.describe(), *notes, *sheet.doubts),
        (row for block in sheet.blocks for row in block.describe_rows()),
    )


@dataclass(frozen=True, slots=True)
class _TablePiece:
    """What of a block is drawn in one piece, and how it is laid out: edges of its columns (the row
    heads first), which columns `start` at their left edge, lines of each cell (the heads first) and
    heights of its rows. `notes` say what is left out."""

    block: Block
    size: float
    lefts: tuple[float, ...]
    starts: tuple[bool, ...]
    heights: tuple[float, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def is_legible(self) -> bool:
        """Return whether its letters can be read on a phone."""
        return self.size >= LEGIBLE or len(self.block.columns) <= FEWEST


def _split_block(block: Block) -> list[_TablePiece]:
    """A block with an answer as a window around it, where it is large; any other in pieces
    beneath each other.
    """
    block, notes = _crop_rows(block)
    total = len(block.columns)
    whole = _fit_block(block, notes)
    if (
        whole is not None
        and whole.is_legible
        and total <= (WINDOW if block.hit is None else MOST_COLUMNS)
    ):
        return [whole]
    most = min(WINDOW, total)
    if block.hit is None or block.hit[1] == ROW:
        return _split_columns(block, most, notes)
    for size in range(most, 0, -1):
        first = max(0, min(block.hit[1] - size // 2, total - size))
        part = block.cut_columns(first, first + size)
        shown = f"{part.columns[0]} to {part.columns[-1]}" if size > 1 else part.columns[0]
        said = (*notes, f"Columns {shown} of {block.columns[0]} to {block.columns[-1]}.")
        found = _fit_block(part, said)
        if (found is not None and found.is_legible) or size == 1:
            return [found or _squeeze_block(part, said)]
    raise AssertionError("one column always fits")


def _split_columns(block: Block, size: int, notes: tuple[str, ...]) -> list[_TablePiece]:
    """All columns, so many in each piece at most as fit side by side, spread evenly."""
    total = len(block.columns)
    for count in range(-(-total // size), total + 1):
        step = -(-total // count)
        pieces = [
            block.cut_columns(first, min(first + step, total)) for first in range(0, total, step)
        ]
        found = [_fit_block(piece, notes) for piece in pieces]
        if step == 1 or all(
            part is not None and (part.size >= LEGIBLE or step <= FEWEST) for part in found
        ):
            return [
                part or _squeeze_block(piece, notes)
                for piece, part in zip(pieces, found, strict=True)
            ]
    raise AssertionError("one column at a time always fits")


def _crop_rows(block: Block) -> tuple[Block, tuple[str, ...]]:
    """The block, of a long one with an answer the rows around that; and what to say of it."""
    total = len(block.rows)
    is_short = sum(len(cell) for row in block.cells for cell in row) < MANY_LETTERS
    beside = ROWS_BESIDE if is_short else 3
    if block.hit is None or (total <= MOST_ROWS and is_short) or total <= 2 * beside + 1:
        return block, ()
    first = max(0, min(block.hit[0] - beside, total - 2 * beside - 1))
    last = first + 2 * beside + 1
    hit = (block.hit[0] - first, block.hit[1])
    part = replace(
        block, rows=block.rows[first:last], cells=block.cells[first:last], hit=hit, counts=()
    )
    return part, (f"Rows {first + 1} to {last} of {total}.",)


def _fit_block(block: Block, notes: tuple[str, ...]) -> _TablePiece | None:
    """The block in the largest letters in which it fits; None where it is too wide."""
    columns = [*zip(*block.grid, strict=True)]
    for size in SIZES:
        natural = [
            max(_measure_natural_width(text, size) for text in column) + 2 * PAD
            for column in columns
        ]
        least = [
            max(measure_longest_word(text, size) for text in column) + 2 * PAD + 1
            for column in columns
        ]
        if sum(natural) <= _ROOM:
            return _lay_out(block, size, _spread_columns(natural), notes)
        if size <= WRAPPED and sum(least) <= _ROOM:
            return _lay_out(block, size, _share_room(natural, least), notes)
    return None


def _squeeze_block(block: Block, notes: tuple[str, ...]) -> _TablePiece:
    """The block in small letters, its columns equally wide: what is too long is broken within a
    word.
    """
    count = len(block.columns) + 1
    return _lay_out(block, SIZES[-1], [_ROOM / count] * count, notes)


def _measure_natural_width(text: str, size: float) -> float:
    """How wide a cell is in one line: several dice bands are always a line each."""
    return (
        measure_longest_word(text, size)
        if _is_banded(text)
        else measure_width(text, size, True) + 1
    )


def _is_banded(text: str) -> bool:
    return ":" in text and all(":" in word for word in text.split())


def _spread_columns(natural: Sequence[float]) -> list[float]:
    """Each column with its words and some air; those of a grid are equally wide."""
    head, *others = natural
    if head + max(others) * len(others) <= _ROOM:
        others = [max(others)] * len(others)
    each = min((_ROOM - head - sum(others)) / len(natural), 46)
    return [one + each for one in (head, *others)]


def _share_room(natural: Sequence[float], least: Sequence[float]) -> list[float]:
    """Every column as wide as its longest word, and the rest of the room by what each would
    still need.
    """
    wishes = [
        max(0.0, min(wish, _ROOM * _MOST) - low) for wish, low in zip(natural, least, strict=True)
    ]
    spare = _ROOM - sum(least)
    wide = list(least)
    for at in [at for at, wish in enumerate(wishes) if 0 < wish <= 60]:
        # what needs little gets it, so that only sentences are broken
        given = min(wishes[at], spare / 3)
        wide[at] += given
        wishes[at] -= given
        spare -= given
    total = sum(wishes) or 1
    return [low + spare * wish / total for low, wish in zip(wide, wishes, strict=True)]


def _lay_out(
    block: Block, size: float, widths: Sequence[float], notes: tuple[str, ...]
) -> _TablePiece:
    lefts = [float(EDGE - PAD)]
    for wide in widths:
        lefts.append(lefts[-1] + wide)
    grid = block.grid
    cells = tuple(
        tuple(
            _wrap_cell(text, wide - 2 * PAD, size) for text, wide in zip(row, widths, strict=True)
        )
        for row in grid
    )
    _, *columns = zip(*grid[1:], strict=True)
    starts = (
        any(len(text) > SENTENCE and not _is_banded(text) for text in column) for column in columns
    )
    heights = tuple(max(map(len, row)) * size * _LINE + 11 for row in cells)
    return _TablePiece(block, size, tuple(lefts), (True, *starts), heights, cells, notes)


def _wrap_cell(text: str, room: float, size: float) -> tuple[str, ...]:
    return tuple(text.split() if _is_banded(text) else wrap_text(text, room, size, True))


def _draw_piece(canvas: Canvas, part: _TablePiece) -> None:
    block = part.block
    size = 17
    if block.heading:
        canvas.draw_words(block.heading[:1].upper() + block.heading[1:], 20, bold=True)
    if block.across:
        left = part.lefts[1]
        across = shorten_text(f"{block.across} across", WIDE - EDGE - left - PAD, size)
        canvas.draw_text(
            across, ((left + part.lefts[-1]) / 2, canvas.top + size), size, FAINT, anchor="middle"
        )
        canvas.top += size * 1.25
    tops = [canvas.top]
    for height in part.heights:
        tops.append(tops[-1] + height)
    _draw_background(canvas, part, tops)
    for at, words in enumerate(part.lines):
        _draw_row(
            canvas, part, words, (tops[at] + tops[at + 1]) / 2, _list_cell_styles(block, at - 1)
        )
    canvas.top = tops[-1]


def _list_cell_styles(block: Block, row: int) -> list[tuple[str, bool]]:
    """Colour and weight of each cell of a row, its head first; row -1 is that of the heads."""
    hit_row, hit_column = block.hit or (-2, -2)
    columns = range(len(block.columns))
    if row < 0:
        return [
            (FAINT, False),
            *((INK, True) if at == hit_column else (FAINT, False) for at in columns),
        ]
    if row == hit_row and hit_column == ROW:
        return [(HIT_INK, True), *((HIT_INK, False) for _ in columns)]
    is_counted = row in block.counts
    head = (INK, True) if is_counted or row == hit_row else (FAINT, False)
    here = [row == hit_row and at == hit_column for at in columns]
    return [head, *((HIT_INK if hit else HIT if is_counted else INK, hit) for hit in here)]


def _draw_background(canvas: Canvas, part: _TablePiece, tops: list[float]) -> None:
    """What is behind the words: every other row shaded, the row and column up to the cell, and
    the cell.
    """
    block, (left, *_, right) = part.block, part.lefts
    for at in range(0, len(block.rows), 2):
        canvas.draw_box((left, tops[at + 1], right, tops[at + 2]), BAND, 4)
    for at in block.counts:
        canvas.draw_box((left, tops[at + 1], right, tops[at + 2]), CROSS, 4)
    if block.hit is None:
        return
    row, column = block.hit
    top = tops[row + 1]
    bottom = tops[row + 2]
    cell = (left, top, right, bottom)
    if column != ROW:
        cell = (part.lefts[column + 1], top, part.lefts[column + 2], bottom)
        canvas.draw_box((cell[0], tops[0], cell[2], top), CROSS)
        canvas.draw_box((left, top, cell[0], bottom), CROSS)
    canvas.draw_box(cell, HIT, 6, "hit")
    canvas.draw_frame((cell[0] - 2, top - 2, cell[2] + 2, bottom + 2), INK, 8)


def _draw_row(
    canvas: Canvas,
    part: _TablePiece,
    cells: tuple[tuple[str, ...], ...],
    middle: float,
    styles: list[tuple[str, bool]],
) -> None:
    """One row: each cell's lines in the middle of its height; words to the left where a column
    holds sentences.
    """
    for at, (words, (fill, bold)) in enumerate(zip(cells, styles, strict=True)):
        left = part.lefts[at]
        right = part.lefts[at + 1]
        x, anchor = (left + PAD, "start") if part.starts[at] else ((left + right) / 2, "middle")
        y = middle + part.size * (0.94 - len(words) * _LINE / 2)
        for line in words:
            bold = bold and measure_width(line, part.size, True) <= right - left - 4
            canvas.draw_text(line, (x, y), part.size, fill, bold=bold, anchor=anchor)
            y += part.size * _LINE
