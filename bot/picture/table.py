"""A table as a picture: the cell that answers in its row and column, wide and long tables as a
window around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.answers.printed_table import EACH_CELL
from bot.picture.font import cut, longest_word, width, wrap
from bot.picture.sheet import ROW, Block, sheet_of
from bot.picture.svg import BAND, CROSS, EDGE, FAINT, HIT, HIT_INK, INK, WIDE, Canvas, Picture
from bot.rules.tables.table import Table
from bot.systems.catalog import system

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


def named_table_picture(system_id: str, table_id: str, given: Mapping[str, object]) -> Picture:
    """A table by its name, with `given` inputs where it answers them. Raises UserError for what
    it refuses.
    """
    return table_picture(system(system_id).table(table_id), given or None)


def table_picture(table: Table, given: Mapping[str, object] | None = None) -> Picture:
    """The whole table; with `given` inputs, where it answers them: title, answer, blocks, what its
    codes mean, source.

    Raises UserError for inputs that it refuses.
    """
    sheet = sheet_of(table, given)
    canvas = Canvas(sheet.title)
    if sheet.news:
        canvas.words(sheet.news, 25, HIT, bold=True)
    if sheet.asked:
        canvas.words(sheet.asked, 20, FAINT)
    notes: dict[str, None] = {}
    for block in sheet.blocks:
        for part in _parts(block):
            canvas.top += 12
            _draw(canvas, part)
            notes |= dict.fromkeys(part.notes)
    canvas.top += 8
    if sheet.text:
        canvas.words(sheet.text, 20)
    used = {cell for block in sheet.blocks for row in block.cells for cell in row}
    legend = [
        f"{code}: {meaning}"
        for code, meaning in sheet.legend
        if code == EACH_CELL or any(code in cell for cell in used)
    ]
    for line in filter(
        None, (*notes, "; ".join(legend), *sheet.doubts, f"{sheet.game} · {sheet.source}")
    ):
        canvas.words(line, 18, FAINT)
    canvas.top += 14
    return canvas.picture(
        (*sheet.said(), *notes, *sheet.doubts),
        (row for block in sheet.blocks for row in block.said()),
    )


@dataclass(frozen=True, slots=True)
class _Part:
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


def _parts(block: Block) -> list[_Part]:
    """A block with an answer as a window around it, where it is large; any other in pieces
    beneath each other.
    """
    block, notes = _rows_around(block)
    total = len(block.columns)
    whole = _fitting(block, notes)
    if (
        whole is not None
        and whole.is_legible
        and total <= (WINDOW if block.hit is None else MOST_COLUMNS)
    ):
        return [whole]
    most = min(WINDOW, total)
    if block.hit is None or block.hit[1] == ROW:
        return _pieces(block, most, notes)
    for size in range(most, 0, -1):
        first = max(0, min(block.hit[1] - size // 2, total - size))
        part = block.columns_from(first, first + size)
        shown = f"{part.columns[0]} to {part.columns[-1]}" if size > 1 else part.columns[0]
        said = (*notes, f"Columns {shown} of {block.columns[0]} to {block.columns[-1]}.")
        found = _fitting(part, said)
        if (found is not None and found.is_legible) or size == 1:
            return [found or _squeezed(part, said)]
    raise AssertionError("one column always fits")


def _pieces(block: Block, size: int, notes: tuple[str, ...]) -> list[_Part]:
    """All columns, so many in each piece at most as fit side by side, spread evenly."""
    total = len(block.columns)
    for count in range(-(-total // size), total + 1):
        step = -(-total // count)
        pieces = [
            block.columns_from(first, min(first + step, total)) for first in range(0, total, step)
        ]
        found = [_fitting(piece, notes) for piece in pieces]
        if step == 1 or all(
            part is not None and (part.size >= LEGIBLE or step <= FEWEST) for part in found
        ):
            return [
                part or _squeezed(piece, notes) for piece, part in zip(pieces, found, strict=True)
            ]
    raise AssertionError("one column at a time always fits")


def _rows_around(block: Block) -> tuple[Block, tuple[str, ...]]:
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


def _fitting(block: Block, notes: tuple[str, ...]) -> _Part | None:
    """The block in the largest letters in which it fits; None where it is too wide."""
    columns = [*zip(*block.grid, strict=True)]
    for size in SIZES:
        natural = [max(_natural(text, size) for text in column) + 2 * PAD for column in columns]
        least = [
            max(longest_word(text, size) for text in column) + 2 * PAD + 1 for column in columns
        ]
        if sum(natural) <= _ROOM:
            return _laid(block, size, _spread(natural), notes)
        if size <= WRAPPED and sum(least) <= _ROOM:
            return _laid(block, size, _shared(natural, least), notes)
    return None


def _squeezed(block: Block, notes: tuple[str, ...]) -> _Part:
    """The block in small letters, its columns equally wide: what is too long is broken within a
    word.
    """
    count = len(block.columns) + 1
    return _laid(block, SIZES[-1], [_ROOM / count] * count, notes)


def _natural(text: str, size: float) -> float:
    """How wide a cell is in one line: several dice bands are always a line each."""
    return longest_word(text, size) if _is_banded(text) else width(text, size, True) + 1


def _is_banded(text: str) -> bool:
    return ":" in text and all(":" in word for word in text.split())


def _spread(natural: Sequence[float]) -> list[float]:
    """Each column with its words and some air; those of a grid are equally wide."""
    head, *others = natural
    if head + max(others) * len(others) <= _ROOM:
        others = [max(others)] * len(others)
    each = min((_ROOM - head - sum(others)) / len(natural), 46)
    return [one + each for one in (head, *others)]


def _shared(natural: Sequence[float], least: Sequence[float]) -> list[float]:
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


def _laid(block: Block, size: float, widths: Sequence[float], notes: tuple[str, ...]) -> _Part:
    lefts = [float(EDGE - PAD)]
    for wide in widths:
        lefts.append(lefts[-1] + wide)
    grid = block.grid
    cells = tuple(
        tuple(_wrapped(text, wide - 2 * PAD, size) for text, wide in zip(row, widths, strict=True))
        for row in grid
    )
    _, *columns = zip(*grid[1:], strict=True)
    starts = (
        any(len(text) > SENTENCE and not _is_banded(text) for text in column) for column in columns
    )
    heights = tuple(max(map(len, row)) * size * _LINE + 11 for row in cells)
    return _Part(block, size, tuple(lefts), (True, *starts), heights, cells, notes)


def _wrapped(text: str, room: float, size: float) -> tuple[str, ...]:
    return tuple(text.split() if _is_banded(text) else wrap(text, room, size, True))


def _draw(canvas: Canvas, part: _Part) -> None:
    block = part.block
    size = 17
    if block.heading:
        canvas.words(block.heading[:1].upper() + block.heading[1:], 20, bold=True)
    if block.across:
        left = part.lefts[1]
        across = cut(f"{block.across} across", WIDE - EDGE - left - PAD, size)
        canvas.text(
            across, ((left + part.lefts[-1]) / 2, canvas.top + size), size, FAINT, anchor="middle"
        )
        canvas.top += size * 1.25
    tops = [canvas.top]
    for height in part.heights:
        tops.append(tops[-1] + height)
    _ground(canvas, part, tops)
    for at, words in enumerate(part.lines):
        _row(canvas, part, words, (tops[at] + tops[at + 1]) / 2, _styles(block, at - 1))
    canvas.top = tops[-1]


def _styles(block: Block, row: int) -> list[tuple[str, bool]]:
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


def _ground(canvas: Canvas, part: _Part, tops: list[float]) -> None:
    """What is behind the words: every other row shaded, the row and column up to the cell, and
    the cell.
    """
    block, (left, *_, right) = part.block, part.lefts
    for at in range(0, len(block.rows), 2):
        canvas.box((left, tops[at + 1], right, tops[at + 2]), BAND, 4)
    for at in block.counts:
        canvas.box((left, tops[at + 1], right, tops[at + 2]), CROSS, 4)
    if block.hit is None:
        return
    row, column = block.hit
    top = tops[row + 1]
    bottom = tops[row + 2]
    cell = (left, top, right, bottom)
    if column != ROW:
        cell = (part.lefts[column + 1], top, part.lefts[column + 2], bottom)
        canvas.box((cell[0], tops[0], cell[2], top), CROSS)
        canvas.box((left, top, cell[0], bottom), CROSS)
    canvas.box(cell, HIT, 6, "hit")
    canvas.frame((cell[0] - 2, top - 2, cell[2] + 2, bottom + 2), INK, 8)


def _row(
    canvas: Canvas,
    part: _Part,
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
            bold = bold and width(line, part.size, True) <= right - left - 4
            canvas.text(line, (x, y), part.size, fill, bold=bold, anchor=anchor)
            y += part.size * _LINE
