"""A table as a picture: the cell that answers in its row and column, wide and long tables as a window around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.picture.alt import table_alt
from bot.picture.columns import PAD, Laid, fitting, squeezed
from bot.picture.font import cut, width
from bot.picture.sheet import ROW, Block, Sheet, sheet_of
from bot.picture.svg import BAND, CROSS, EDGE, FAINT, HIT, HIT_INK, INK, WIDE, Canvas, Picture
from bot.picture.words import lines
from bot.rules.tables.table import Table

MOST_COLUMNS, WINDOW = 10, 9
"""A table of more columns is shown as a window of so many."""
LEGIBLE, FEWEST = 18, 4
"""Letters of so many pixels are read on a phone; for smaller ones a window is made narrower, to so many columns."""
MOST_ROWS, ROWS_BESIDE = 24, 8
"""A longer table with an answer is shown with so many rows above and below it."""
_TITLE, _NEWS, _SMALL = 28, 25, 18


def table_picture(table: Table, given: Mapping[str, object] | None = None) -> Picture:
    """The whole table; with `given` inputs, where it answers them. Raises UserError for inputs that it refuses."""
    return sheet_picture(sheet_of(table, given))


def sheet_picture(sheet: Sheet) -> Picture:
    """A sheet drawn from top to bottom: title, answer, blocks, what its codes mean, source."""
    canvas = Canvas()
    canvas.top = 20
    lines(canvas, sheet.title, _TITLE, bold=True)
    news = sheet.news
    if news:
        lines(canvas, news, _NEWS, HIT, bold=True)
    if sheet.asked:
        lines(canvas, sheet.asked, 20, FAINT)
    notes: list[str] = []
    for block in sheet.blocks:
        for part in _parts(block):
            canvas.top += 12
            _block(canvas, part)
            notes += part.notes
    canvas.top += 8
    if sheet.text:
        lines(canvas, sheet.text, 20, INK)
    used = {cell for block in sheet.blocks for row in block.cells for cell in row}
    told = "; ".join(f"{code}: {meaning}" for code, meaning in sheet.legend if _is_used(code, used))
    for line in (*dict.fromkeys(notes), told, f"{sheet.game} · {sheet.source}"):
        if line:
            lines(canvas, line, _SMALL, FAINT)
    canvas.top += 14
    return canvas.picture(table_alt(sheet, tuple(dict.fromkeys(notes))))


def _is_used(code: str, cells: set[str]) -> bool:
    return code == "each cell" or any(code in cell for cell in cells)


@dataclass(frozen=True, slots=True)
class _Part:
    """What of a block is drawn in one piece, as it is laid out, and what is to be said of what is left out."""

    block: Block
    laid: Laid
    notes: tuple[str, ...]


def _parts(block: Block) -> list[_Part]:
    """A block with an answer as a window around it, where it is large; any other in pieces beneath each other."""
    block, notes = _rows_around(block)
    total = len(block.columns)
    laid = fitting(block)
    if laid is not None and _is_legible(laid, total) and total <= (MOST_COLUMNS if block.hit is not None else WINDOW):
        return [_Part(block, laid, notes)]
    size = min(WINDOW, total)
    if block.hit is not None and block.hit[1] != ROW:
        while True:
            first = max(0, min(block.hit[1] - size // 2, total - size))
            part = _columns(block, first, first + size)
            laid = fitting(part)
            if (laid is not None and _is_legible(laid, size)) or size == 1:
                shown = f"{part.columns[0]} to {part.columns[-1]}" if size > 1 else part.columns[0]
                note = f"Columns {shown} of {block.columns[0]} to {block.columns[-1]}."
                return [_Part(part, laid or squeezed(part), (*notes, note))]
            size -= 1
    return _pieces(block, size, notes)


def _is_legible(laid: Laid, columns: int) -> bool:
    return laid.size >= LEGIBLE or columns <= FEWEST


def _pieces(block: Block, size: int, notes: tuple[str, ...]) -> list[_Part]:
    """All columns, so many in each piece at most as fit side by side, spread evenly."""
    total = len(block.columns)
    for count in range(-(-total // size), total + 1):
        step = -(-total // count)
        pieces = [_columns(block, first, min(first + step, total)) for first in range(0, total, step)]
        laid = [fitting(piece) for piece in pieces]
        if step == 1 or all(one is not None and _is_legible(one, step) for one in laid):
            return [_Part(piece, one or squeezed(piece), notes) for piece, one in zip(pieces, laid, strict=True)]
    raise AssertionError("one column at a time always fits")


def _columns(block: Block, first: int, last: int) -> Block:
    hit = block.hit and (block.hit[0], block.hit[1] - first if block.hit[1] != ROW else ROW)
    return Block(
        block.heading,
        block.corner,
        block.across,
        block.columns[first:last],
        block.rows,
        tuple(row[first:last] for row in block.cells),
        hit,
        block.counts,
    )


def _rows_around(block: Block) -> tuple[Block, tuple[str, ...]]:
    total = len(block.rows)
    letters = sum(len(cell) for row in block.cells for cell in row)
    beside = ROWS_BESIDE if letters < 1500 else 3
    if block.hit is None or (total <= MOST_ROWS and letters < 1500) or total <= 2 * beside + 1:
        return block, ()
    first = max(0, min(block.hit[0] - beside, total - 2 * beside - 1))
    last = first + 2 * beside + 1
    part = Block(
        block.heading,
        block.corner,
        block.across,
        block.columns,
        block.rows[first:last],
        block.cells[first:last],
        (block.hit[0] - first, block.hit[1]),
    )
    return part, (f"Rows {first + 1} to {last} of {total}.",)


def _block(canvas: Canvas, part: _Part) -> None:
    block, laid = part.block, part.laid
    if block.heading:
        lines(canvas, block.heading[:1].upper() + block.heading[1:], 20, INK, bold=True)
    if block.across:
        left = laid.lefts[1]
        size = 17
        across = cut(f"{block.across} across", WIDE - EDGE - left - PAD, size)
        top, canvas.top = canvas.top, canvas.top + size * 1.25
        middle = (left + laid.lefts[-1]) / 2
        canvas.text(across, (middle, top + size), size, FAINT, anchor="middle", room=(0, top, WIDE, canvas.top))
    top = canvas.top
    head = top + laid.head
    tops = [head]
    for height in laid.heights:
        tops.append(tops[-1] + height)
    _ground(canvas, part, top, tops)
    hit_row, hit_column = block.hit or (-1, -2)
    _line_of(
        canvas,
        laid,
        (top, head),
        laid.heads,
        [(FAINT, False)] + [(INK if at == hit_column else FAINT, at == hit_column) for at in range(len(block.columns))],
    )
    for at, words in enumerate(laid.lines):
        counts = at == hit_row or at in block.counts
        whole = hit_column == ROW and at == hit_row
        styles = [(HIT_INK if whole else INK if counts else FAINT, counts)]
        for column in range(len(block.columns)):
            here = at == hit_row and column == hit_column
            styles.append((HIT_INK if here or whole else HIT if at in block.counts else INK, here))
        _line_of(canvas, laid, (tops[at], tops[at + 1]), words, styles)
    canvas.top = tops[-1]


def _ground(canvas: Canvas, part: _Part, top: float, tops: list[float]) -> None:
    """What is behind the words: every other row shaded, the row and column up to the cell, and the cell."""
    block, laid = part.block, part.laid
    left, right = laid.lefts[0], laid.lefts[-1]
    for at in range(0, len(block.rows), 2):
        canvas.box((left, tops[at], right, tops[at + 1]), BAND, 4)
    for at in block.counts:
        canvas.box((left, tops[at], right, tops[at + 1]), CROSS, 4)
    if block.hit is None:
        return
    row, column = block.hit
    if column == ROW:
        cell = (left, tops[row], right, tops[row + 1])
    else:
        cell = (laid.lefts[column + 1], tops[row], laid.lefts[column + 2], tops[row + 1])
        canvas.box((cell[0], top, cell[2], tops[row]), CROSS)
        canvas.box((left, tops[row], cell[0], tops[row + 1]), CROSS)
    canvas.box(cell, HIT, 6, "hit")
    canvas.frame((cell[0] - 2, cell[1] - 2, cell[2] + 2, cell[3] + 2), INK, 8)


def _line_of(
    canvas: Canvas,
    laid: Laid,
    reach: tuple[float, float],
    cells: tuple[tuple[str, ...], ...],
    styles: list[tuple[str, bool]],
) -> None:
    """One row: each cell's lines in the middle of its height; words to the left where a column holds sentences."""
    top, bottom = reach
    for at, (words, (fill, bold)) in enumerate(zip(cells, styles, strict=True)):
        left, right = laid.lefts[at], laid.lefts[at + 1]
        room = (left, top, right, bottom)
        high = laid.size * 1.2
        y = (top + bottom) / 2 - high * len(words) / 2 + laid.size * 0.94
        for line in words:
            start = laid.starts[at]
            x = left + PAD if start else (left + right) / 2
            size = laid.size
            if bold and width(line, size, True) > right - left - 4:
                bold = False
            canvas.text(line, (x, y), size, fill, bold=bold, anchor="start" if start else "middle", room=room)
            y += high
