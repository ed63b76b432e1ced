"""What a picture says, in words: for screen readers, and wherever it cannot be shown."""

from __future__ import annotations

from bot.picture.sheet import ROW, Block, Sheet

MOST = 1_000
"""Letters that every platform takes."""


def table_alt(sheet: Sheet, notes: tuple[str, ...] = ()) -> str:
    """The table in sentences: its answer, where it is, then row by row as far as there is room."""
    said = [f"{sheet.title}."]
    if sheet.news:
        said.append(f"{sheet.news}{f' ({sheet.asked})' if sheet.asked else ''}.")
    for block in sheet.blocks:
        said += _where(block)
    said += notes
    rows = [row for block in sheet.blocks for row in _rows(block)]
    return shortened(said, rows)


def shortened(said: list[str], rows: list[str]) -> str:
    """The sentences, then as many rows as there is room for, and how many are left out."""
    text = " ".join(said)
    for at, row in enumerate(rows):
        rest = f" And {len(rows) - at} more rows."
        if len(text) + len(row) + 1 + len(rest) > MOST:
            text += rest
            break
        text += f" {row}"
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


def _where(block: Block) -> list[str]:
    if block.hit is None:
        return []
    row, column = block.hit
    head = f"{block.corner} {block.rows[row]}".strip()
    if column == ROW or len(block.columns) == 1:
        return [f"Marked: row {head}."]
    across = f"{block.across} {block.columns[column]}".strip()
    return [f"Marked: row {head}, column {across}: {block.cells[row][column]}."]


def _rows(block: Block) -> list[str]:
    told = []
    for head, cells in zip(block.rows, block.cells, strict=True):
        if len(cells) == 1:
            told.append(f"{head}: {cells[0]}.")
        else:
            told.append(
                f"{head}: {', '.join(f'{name} {cell}' for name, cell in zip(block.columns, cells, strict=True))}."
            )
    heading = f"{block.heading}: " if block.heading else ""
    return [f"{heading}{told[0]}", *told[1:]] if told else []
