"""Ditto marks, which stand for the value above them: `"`, `″`, `〃`, `do.`, `ditto`."""

import re
from collections.abc import Sequence

LONE_QUOTE = '"'
_DITTO = re.compile(
    r"[-–—]?\s?(?:[\"″”“„〃]|''|’’|´´)\s?[-–—]?|do\.|dto\.?|ditto|idem|as above", re.IGNORECASE
)
_LONE_QUOTE_CELL = re.compile(r'^(\s*)"(\s*)$')
_MOST_NAMED = 3


def is_ditto(text: str) -> bool:
    """Return whether a cell is a mark that stands for the value above it."""
    return _DITTO.fullmatch(text.strip()) is not None


def fill_dittos(rows: Sequence[Sequence[str]], questions: list[str]) -> list[list[str]]:
    """Return rows with the values above in place of ditto marks, which is asked about. Headings,
    at the top and at the left, stay as they are.
    """
    filled = [list(row) for row in rows]
    places = list[str]()
    for number, row in enumerate(filled):
        for column, cell in enumerate(row):
            if number == 0 or column == 0 or not is_ditto(cell):
                continue
            place = f"row {row[0][:20]}, column {rows[0][column][:20] or column}"
            if number == 1:
                questions.append(f"{place}: {cell} has nothing above it, and is kept")
                continue
            row[column] = filled[number - 1][column]
            places.append(f"{place} ({row[column][:20] or 'empty'})")
    if places:
        questions.append(note_of_dittos(places))
    return filled


def note_of_dittos(places: Sequence[str]) -> str:
    """Return what to say about ditto marks: the first few places with what is read there."""
    more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
    return f"ditto marks are read as the value above: {'; '.join(places[:_MOST_NAMED])}{more}"


def mark_dittos(lines: Sequence[str], between: str) -> str:
    """Return lines in which a single quotation mark between two separators is a ditto mark, not
    the beginning of a quoted cell.
    """
    marked = list[str]()
    for line in lines:
        cells = line.split(between)
        if any(_begins_quoted(cell) for cell in cells):
            if line.count(LONE_QUOTE) % 2:
                return "\n".join(lines)  # a cell that goes on in another line
            marked.append(line)
        else:
            marks = [_LONE_QUOTE_CELL.sub(r"\1″\2", cell) for cell in cells]
            marked.append(between.join(marks))
    return "\n".join(marked)


def _begins_quoted(cell: str) -> bool:
    """Return whether a cell begins with a quotation mark and is more than that: `6"` does not."""
    bare = cell.strip()
    return bare.startswith(LONE_QUOTE) and bare != LONE_QUOTE
