"""Tables as pictures, with the answer marked in its row and column.

A wide or long table with an answer is cropped to a window around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.charts.font import measure_longest_word, measure_width, shorten_text, wrap_text
from bot.charts.sheet import ROW, Block, TableLayout, build_layout
from bot.charts.svg import BAND, CROSS, EDGE, FAINT, HIT, HIT_INK, INK, WIDE, Canvas, Picture
from bot.presentation.printed_table import EACH_CELL
from bot.rules.tables.table import Table
from bot.rulesets.system import System

MOST_COLUMNS = 10
"""Maximum number of columns in one piece."""
WINDOW = 9
"""Columns in a window of a wider table."""
LEGIBLE = 18
"""Size in pixels of the smallest letters that are easy to read on a phone."""
FEWEST = 4
"""Columns up to which a piece may have smaller letters. A wider window is made narrower instead."""
MOST_ROWS = 24
"""Maximum number of rows in a table with an answer. A longer one is cropped."""
ROWS_AROUND, ROWS_AROUND_LONG = 8, 3
"""Rows above and below the answer in a cropped table, and in one with many letters."""
MANY_LETTERS = 1500
"""Letters from which a table counts as one with many letters."""
PAD = 7
"""Pixels to the left and right of the words of a cell."""
SIZES = (22, 21, 20, 19, 18, 17, 16, 15)
WRAPPED = 19
"""Size of the largest letters in a block with cells of several lines."""
SENTENCE = 14
"""Letters from which a cell counts as a sentence. Its column starts at the left."""
_MOST = 0.66
"""Maximum part of the room for a column, before the columns share the spare room."""
_LINE = 1.2
_ROOM = WIDE - 2 * EDGE + 2 * PAD


def render_named_table(system: System, table_id: str, given: Mapping[str, object]) -> Picture:
    """Draw a table of a system by its id, with the answer for the `given` inputs if there are any.

    Raises UserError for inputs that the table refuses.
    """
    return render_table(system.find_table(table_id), given or None)


def render_table(table: Table, given: Mapping[str, object] | None = None) -> Picture:
    """Draw a table. With `given` inputs, mark their answer and leave out what does not concern it.

    Blocks for other cases are left out, and long or wide ones are cropped around the answer. Below
    the table are the meanings of its codes and its source. Raises UserError for inputs that the
    table refuses.
    """
    layout = build_layout(table, given)
    canvas = Canvas(layout.title)
    if layout.news:
        canvas.draw_words(layout.news, 25, HIT, bold=True)
    if layout.inputs:
        canvas.draw_words(layout.inputs, 20, FAINT)
    notes: dict[str, None] = {}
    for block in layout.blocks:
        for piece in _split_block(block):
            canvas.top += 12
            _draw_piece(canvas, piece)
            notes |= dict.fromkeys(piece.notes)
    canvas.top += 8
    if layout.text:
        canvas.draw_words(layout.text, 20)
    legend = "; ".join(_list_legend(layout))
    source = f"{layout.game} · {layout.source}"
    for line in (*notes, legend, *layout.doubts, source):
        if line:
            canvas.draw_words(line, 18, FAINT)
    canvas.top += 14
    sentences = (*layout.describe(), *notes, *layout.doubts)
    rows = (row for block in layout.blocks for row in block.describe_rows())
    return canvas.build_picture(sentences, rows)


def _list_legend(layout: TableLayout) -> list[str]:
    """List the codes that occur in the blocks of a table, each with its meaning: `MC: morale
    check`. An explanation of what each cell holds (EACH_CELL) is always listed.
    """
    cells: set[str] = set()
    for block in layout.blocks:
        for row in block.cells:
            cells.update(row)
    legend = []
    for code, meaning in layout.legend:
        if code == EACH_CELL or any(code in cell for cell in cells):
            legend.append(f"{code}: {meaning}")
    return legend


@dataclass(frozen=True, slots=True)
class _TablePiece:
    """A part of a block that is drawn in one piece, with its layout in pixels.

    `lefts` are the edges of its columns, the heads of the rows first. `starts` says which columns
    start at their left edge; the others are centered. `lines` are the lines of each cell and
    `heights` the heights of the rows, the heads of the columns first. `notes` name what was cropped.
    """

    block: Block
    size: float
    lefts: tuple[float, ...]
    starts: tuple[bool, ...]
    heights: tuple[float, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def is_legible(self) -> bool:
        """True if the piece is easy to read on a phone, or too narrow to be split."""
        return self.size >= LEGIBLE or len(self.block.columns) <= FEWEST


def _split_block(block: Block) -> list[_TablePiece]:
    """Return a block as pieces that fit into the picture.

    A wide block with an answer is cropped to a window around the answer. A wide block without one
    is split into pieces below each other.
    """
    block, notes = _crop_rows(block)
    total = len(block.columns)
    whole = _fit_block(block, notes)
    most_columns = WINDOW if block.hit is None else MOST_COLUMNS
    if whole is not None and whole.is_legible and total <= most_columns:
        return [whole]
    widest = min(WINDOW, total)
    if block.hit is None or block.hit.column == ROW:
        return _split_columns(block, widest, notes)
    for size in range(widest, 0, -1):
        start = max(0, min(block.hit.column - size // 2, total - size))
        window = block.cut_columns(start, start + size)
        window_notes = (*notes, _describe_window(window, block))
        piece = _fit_block(window, window_notes)
        if piece is not None and piece.is_legible:
            return [piece]
        if size == 1:
            return [piece or _squeeze_block(window, window_notes)]
    raise AssertionError("one column always fits")


def _describe_window(window: Block, block: Block) -> str:
    """Return which columns of a block its window has: `Columns 3 to 7 of 1 to 12.`"""
    columns = window.columns[0]
    if len(window.columns) > 1:
        columns = f"{window.columns[0]} to {window.columns[-1]}"
    return f"Columns {columns} of {block.columns[0]} to {block.columns[-1]}."


def _split_columns(block: Block, size: int, notes: tuple[str, ...]) -> list[_TablePiece]:
    """Split a block into as few pieces as are legible, with at most `size` columns in each.

    The pieces have equally many columns; the last one may have fewer.
    """
    total = len(block.columns)
    for count in range(-(-total // size), total + 1):
        step = -(-total // count)
        parts = [
            block.cut_columns(start, min(start + step, total)) for start in range(0, total, step)
        ]
        pieces = [_fit_block(part, notes) for part in parts]
        if step == 1 or all(_is_legible(piece, step) for piece in pieces):
            return [
                piece or _squeeze_block(part, notes)
                for part, piece in zip(parts, pieces, strict=True)
            ]
    raise AssertionError("one column at a time always fits")


def _is_legible(piece: _TablePiece | None, column_count: int) -> bool:
    """Return whether a piece fits, and has large letters or few columns."""
    return piece is not None and (piece.size >= LEGIBLE or column_count <= FEWEST)


def _crop_rows(block: Block) -> tuple[Block, tuple[str, ...]]:
    """Crop a long block with an answer to the rows around it, and return a note about that."""
    total = len(block.rows)
    has_few_letters = sum(len(cell) for row in block.cells for cell in row) < MANY_LETTERS
    around = ROWS_AROUND if has_few_letters else ROWS_AROUND_LONG
    fits = (total <= MOST_ROWS and has_few_letters) or total <= 2 * around + 1
    if block.hit is None or fits:
        return block, ()
    start = max(0, min(block.hit.row - around, total - 2 * around - 1))
    stop = start + 2 * around + 1
    cropped = replace(
        block,
        rows=block.rows[start:stop],
        cells=block.cells[start:stop],
        hit=block.hit._replace(row=block.hit.row - start),
        counts=(),
    )
    return cropped, (f"Rows {start + 1} to {stop} of {total}.",)


def _fit_block(block: Block, notes: tuple[str, ...]) -> _TablePiece | None:
    """Lay out a block in the largest letters in which it fits, or return None if it is too wide."""
    columns = list(zip(*block.grid, strict=True))
    for size in SIZES:
        natural_widths = []
        least_widths = []
        for column in columns:
            natural = max(_measure_natural_width(text, size) for text in column)
            least = max(measure_longest_word(text, size) for text in column)
            natural_widths.append(natural + 2 * PAD)
            least_widths.append(least + 2 * PAD + 1)
        if sum(natural_widths) <= _ROOM:
            return _lay_out(block, size, _spread_columns(natural_widths), notes)
        if size <= WRAPPED and sum(least_widths) <= _ROOM:
            return _lay_out(block, size, _share_room(natural_widths, least_widths), notes)
    return None


def _squeeze_block(block: Block, notes: tuple[str, ...]) -> _TablePiece:
    """Lay out a block in the smallest letters, with equal columns. Long words break."""
    count = len(block.columns) + 1
    return _lay_out(block, SIZES[-1], [_ROOM / count] * count, notes)


def _measure_natural_width(text: str, size: float) -> float:
    """Return the width of a cell on one line. Dice bands always have a line each."""
    if _is_banded(text):
        return measure_longest_word(text, size)
    return measure_width(text, size, True) + 1


def _is_banded(text: str) -> bool:
    """Return whether a cell holds dice bands, such as `1-2:P 3-6:S`."""
    return ":" in text and all(":" in word for word in text.split())


def _spread_columns(natural_widths: Sequence[float]) -> list[float]:
    """Return the widths of columns whose cells fit on one line: the head's, then the others'.

    The others are made equal if there is room. Then all grow by the same amount, up to 46 pixels.
    """
    head, *others = natural_widths
    widest = max(others)
    if head + widest * len(others) <= _ROOM:
        others = [widest] * len(others)
    spare = (_ROOM - head - sum(others)) / len(natural_widths)
    extra = min(spare, 46)
    return [width + extra for width in (head, *others)]


def _share_room(natural_widths: Sequence[float], least_widths: Sequence[float]) -> list[float]:
    """Return the widths of columns whose words need several lines.

    Each is as wide as its longest word. The columns share the spare room in proportion to the room
    that each would still need.
    """
    wishes = []
    for natural, least in zip(natural_widths, least_widths, strict=True):
        wishes.append(max(0.0, min(natural, _ROOM * _MOST) - least))
    spare = _ROOM - sum(least_widths)
    widths = list(least_widths)
    small_wishes = [index for index, wish in enumerate(wishes) if 0 < wish <= 60]
    for index in small_wishes:
        # a column that needs little gets it, so that only sentences are broken
        extra = min(wishes[index], spare / 3)
        widths[index] += extra
        wishes[index] -= extra
        spare -= extra
    total = sum(wishes) or 1
    return [width + spare * wish / total for width, wish in zip(widths, wishes, strict=True)]


def _lay_out(
    block: Block, size: float, widths: Sequence[float], notes: tuple[str, ...]
) -> _TablePiece:
    """Lay out a block in letters of `size` pixels. `widths` are those of its columns, heads first."""
    lefts = [float(EDGE - PAD)]
    for width in widths:
        lefts.append(lefts[-1] + width)
    grid = block.grid
    lines = []
    for row in grid:
        cells = zip(row, widths, strict=True)
        lines.append(tuple(_wrap_cell(text, width - 2 * PAD, size) for text, width in cells))
    _, *columns = zip(*grid[1:], strict=True)
    starts = [True, *map(_has_sentences, columns)]
    heights = tuple(max(map(len, row)) * size * _LINE + 11 for row in lines)
    return _TablePiece(block, size, tuple(lefts), tuple(starts), heights, tuple(lines), notes)


def _has_sentences(column: Sequence[str]) -> bool:
    """Return whether a column has a cell with a sentence."""
    return any(len(text) > SENTENCE and not _is_banded(text) for text in column)


def _wrap_cell(text: str, room: float, size: float) -> tuple[str, ...]:
    """Break the text of a cell into lines no wider than `room` pixels. Each dice band is a line."""
    return tuple(text.split() if _is_banded(text) else wrap_text(text, room, size, True))


def _draw_piece(canvas: Canvas, piece: _TablePiece) -> None:
    """Draw a piece of a table: its heading, the name of its columns, and its rows."""
    block = piece.block
    size = 17
    if block.heading:
        canvas.draw_words(block.heading[:1].upper() + block.heading[1:], 20, bold=True)
    if block.across:
        left = piece.lefts[1]
        across = shorten_text(f"{block.across} across", WIDE - EDGE - left - PAD, size)
        position = ((left + piece.lefts[-1]) / 2, canvas.top + size)
        canvas.draw_text(across, position, size, FAINT, anchor="middle")
        canvas.top += size * 1.25
    tops = [canvas.top]
    for height in piece.heights:
        tops.append(tops[-1] + height)
    _draw_background(canvas, piece, tops)
    for index, cells in enumerate(piece.lines):
        middle = (tops[index] + tops[index + 1]) / 2
        _draw_row(canvas, piece, cells, middle, _list_cell_styles(block, index - 1))
    canvas.top = tops[-1]


def _list_cell_styles(block: Block, row: int) -> list[tuple[str, bool]]:
    """Return (color, whether bold) of each cell of a row, its head first. Row -1 is the heads."""
    hit_row, hit_column = block.hit or (-2, -2)
    columns = range(len(block.columns))
    if row < 0:
        heads = [(INK, True) if column == hit_column else (FAINT, False) for column in columns]
        return [(FAINT, False), *heads]
    if row == hit_row and hit_column == ROW:
        return [(HIT_INK, True), *((HIT_INK, False) for _ in columns)]
    is_counted = row in block.counts
    head = (INK, True) if is_counted or row == hit_row else (FAINT, False)
    styles = [head]
    for column in columns:
        if row == hit_row and column == hit_column:
            styles.append((HIT_INK, True))
        else:
            styles.append((HIT if is_counted else INK, False))
    return styles


def _draw_background(canvas: Canvas, piece: _TablePiece, tops: list[float]) -> None:
    """Draw the boxes below the words: bands for every other row, and marks for the answer.

    `tops` are the upper edges of the rows and the lower edge of the last one. The row and the column
    of the answer are shaded up to its cell.
    """
    block = piece.block
    left = piece.lefts[0]
    right = piece.lefts[-1]
    for row in range(0, len(block.rows), 2):
        canvas.draw_box((left, tops[row + 1], right, tops[row + 2]), BAND, 4)
    for row in block.counts:
        canvas.draw_box((left, tops[row + 1], right, tops[row + 2]), CROSS, 4)
    if block.hit is None:
        return
    hit_row, hit_column = block.hit
    top = tops[hit_row + 1]
    bottom = tops[hit_row + 2]
    if hit_column != ROW:
        row_left = left
        left = piece.lefts[hit_column + 1]
        right = piece.lefts[hit_column + 2]
        canvas.draw_box((left, tops[0], right, top), CROSS)
        canvas.draw_box((row_left, top, left, bottom), CROSS)
    canvas.draw_box((left, top, right, bottom), HIT, 6, "hit")
    canvas.draw_frame((left - 2, top - 2, right + 2, bottom + 2), INK, 8)


def _draw_row(
    canvas: Canvas,
    piece: _TablePiece,
    cells: tuple[tuple[str, ...], ...],
    middle: float,
    styles: list[tuple[str, bool]],
) -> None:
    """Draw the words of one row, with the lines of each cell around the height `middle`."""
    for index, (lines, (fill, bold)) in enumerate(zip(cells, styles, strict=True)):
        left = piece.lefts[index]
        right = piece.lefts[index + 1]
        x = (left + right) / 2
        anchor = "middle"
        if piece.starts[index]:
            x = left + PAD
            anchor = "start"
        y = middle + piece.size * (0.94 - len(lines) * _LINE / 2)
        for line in lines:
            bold = bold and measure_width(line, piece.size, True) <= right - left - 4
            canvas.draw_text(line, (x, y), piece.size, fill, bold=bold, anchor=anchor)
            y += piece.size * _LINE
