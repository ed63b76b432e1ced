"""Ditto marks in tables, which repeat the value above them: `"`, `″`, `〃`, `do.`, `ditto`."""

import re
from collections.abc import Sequence

LONE_QUOTE = '"'
_DITTO = re.compile(
    r"[-–—]?\s?(?:[\"″”“„〃]|''|’’|´´)\s?[-–—]?|do\.|dto\.?|ditto|idem|as above", re.IGNORECASE
)
_LONE_QUOTE_CELL = re.compile(r'^(\s*)"(\s*)$')
_MAX_NAMED = 3
"""Maximum number of cells that a note about ditto marks names."""


def is_ditto(text: str) -> bool:
    """Return whether a cell is nothing but a ditto mark."""
    return _DITTO.fullmatch(text.strip()) is not None


def fill_dittos(rows: Sequence[Sequence[str]], questions: list[str]) -> list[list[str]]:
    """Return a copy of the rows with ditto marks replaced by the values above them.

    The first row and the first column are headings and stay as they are, and so does a mark in the
    second row, which has only a heading above it. A note about the marks is appended to
    `questions`.
    """
    filled = [list(row) for row in rows]
    cell_labels = list[str]()
    for number, row in enumerate(filled):
        for column, cell in enumerate(row):
            if number == 0 or column == 0 or not is_ditto(cell):
                continue
            label = f"row {row[0][:20]}, column {rows[0][column][:20] or column}"
            if number == 1:
                questions.append(f"{label}: {cell} has nothing above it, so it stays")
                continue
            value = filled[number - 1][column]
            row[column] = value
            cell_labels.append(f"{label} ({value[:20] or 'empty'})")
    if cell_labels:
        questions.append(describe_dittos(cell_labels))
    return filled


def describe_dittos(cell_labels: Sequence[str]) -> str:
    """Return the note about replaced ditto marks, with the first few of the cells.

    Each label has the row, the column and the value of a cell.
    """
    named = "; ".join(cell_labels[:_MAX_NAMED])
    unnamed_count = len(cell_labels) - _MAX_NAMED
    suffix = f" and {unnamed_count} more" if unnamed_count > 0 else ""
    return f"ditto marks are read as the value above: {named}{suffix}"


def mark_dittos(lines: Sequence[str], separator: str) -> str:
    """Join lines of cells, with `″` in place of a single quotation mark that is a whole cell.

    A reader of quoted cells would take that mark for an opening quote. Lines with quoted cells stay
    as they are; if one of these goes on in the next line, all lines do.
    """
    marked = list[str]()
    for line in lines:
        cells = line.split(separator)
        if any(_begins_quoted(cell) for cell in cells):
            if line.count(LONE_QUOTE) % 2:
                return "\n".join(lines)
            marked.append(line)
        else:
            marks = [_LONE_QUOTE_CELL.sub(r"\1″\2", cell) for cell in cells]
            marked.append(separator.join(marks))
    return "\n".join(marked)


def _begins_quoted(cell: str) -> bool:
    """Return whether a cell begins with a quotation mark and has more text after it."""
    bare = cell.strip()
    return bare.startswith(LONE_QUOTE) and bare != LONE_QUOTE
