"""The units of a side as a table: its columns, and the parts of a row that a phone or a wide screen
has room for.
"""

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from bot.ui.reply.bars import COLUMNS

COLUMNS_BEFORE_STATE = 2
"""Number of columns that are not dropped for a long state."""
_LEAST_NAME = 8
"""Minimum width of a name on a phone."""
_MAX_STATE = 14
"""Maximum width of a state for which columns are dropped."""
_HANDLE, _NAME, _TYPE, _STATE, _NOTE, _TONE, _NUMBERS = range(7)
"""Indices of the cells of a row; the numbers begin at _NUMBERS."""


class UnitTable(NamedTuple):
    """The units of a side as a table; `heading` names the side with its players, and `keys` are the
    numbers that have a column.

    A row is (handle, name, type, state, note, tone, then a number for each key). The state is empty
    for a unit in good order, a number for a unit without it; the note has the rest in a few words.
    `spaced`: an empty line precedes the table. `normal_states`: (handle, word of its game) for
    units in good order.
    """

    heading: str
    keys: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spaced: bool = False
    normal_states: tuple[tuple[str, str], ...] = ()

    def get_normal_state(self, row: tuple[str, ...]) -> str:
        """Return the game's word for the state of a unit in good order, `ready` if it has none."""
        return dict(self.normal_states).get(row[_HANDLE], "ready")

    def format_lines(self, width: int = COLUMNS) -> list[str]:
        """Return the table as it fits a phone: handle, name, state and note if there is room, and
        numbers.

        Identical units with consecutive numbers share a line. Names are cut to make room for
        numbers, but remain different from each other. What has no room goes to lines of its own.
        """
        rows = _group_rows(self.rows)
        handle_width = max((len(row[_HANDLE]) for row in rows), default=0)
        least_name = _measure_least_name([row[_NAME] for row in rows])
        sizes = self._choose_columns(rows, least_name, width - handle_width - 2)
        room = width - handle_width - 2 - sum(sizes)
        name_width = _choose_name_width(rows, least_name, room)
        notes = [_split_note(row, room - name_width) for row in rows]
        note_width = max((len(note) for note, _ in notes), default=0)
        heads = "".join(f"{key:>{size}}" for key, size in zip(self.keys, sizes, strict=False))
        start = handle_width + name_width + 2 + note_width
        lines = [""] if self.spaced else []
        lines.append(f"{_cut_text(self.heading, start):<{start}}{heads}".rstrip())
        for row, (note, further_notes) in zip(rows, notes, strict=True):
            numbers = "".join(f"{get_number(row, i):>{size}}" for i, size in enumerate(sizes))
            cells = _join_cells(row[_NAME], note, numbers, name_width, note_width)
            lines.append(f"{row[_HANDLE]:<{handle_width}} {cells}")
            pieces = [*further_notes, *self._list_hidden_numbers(row, len(sizes))]
            indent = " " * (handle_width + 1)
            lines += [f"{indent}{text}" for text in _wrap_pieces(pieces, width - handle_width - 1)]
        return lines

    def _choose_columns(
        self, rows: Sequence[tuple[str, ...]], least_name: int, room: int
    ) -> list[int]:
        """Return the widths of the number columns that a phone shows, a blank before each included.

        The last columns are dropped until names of `least_name` characters and the states have
        room; the first ones (COLUMNS_BEFORE_STATE) are only dropped for the names.
        """
        sizes = []
        for index, key in enumerate(self.keys):
            numbers = [get_number(row, index) for row in rows]
            sizes.append(max(map(len, (key, *numbers))) + 1)
        longest_state = max((len(row[_STATE]) for row in rows), default=0)
        state_width = min(longest_state, _MAX_STATE)
        while len(sizes) > COLUMNS_BEFORE_STATE and least_name + sum(sizes) + state_width > room:
            sizes.pop()
        while sizes and least_name + sum(sizes) > room:
            sizes.pop()
        return sizes

    def _list_hidden_numbers(self, row: tuple[str, ...], column_count: int) -> list[str]:
        """Return the numbers of a row after the first `column_count`, by name: `fp 2`."""
        hidden_keys = self.keys[column_count:]
        numbers = row[_NUMBERS + column_count :]
        return [
            f"{key} {number}" for key, number in zip(hidden_keys, numbers, strict=False) if number
        ]

    def _get_state(self, row: tuple[str, ...]) -> str:
        """Return the state and note of a unit for a wide screen: `good order` if it has neither."""
        pieces = filter(None, (row[_STATE].upper(), row[_NOTE]))
        return " ".join(pieces) or self.get_normal_state(row)

    def group_rows(self) -> list[tuple[str, ...]]:
        """Return the rows with identical units on one line."""
        return _group_rows(self.rows)

    def format_wide_lines(self) -> list[tuple[str, str]]:
        """Return the lines of a wide screen, each with its tone.

        The type follows the name; the state and the note are at the end.
        """
        has_notes = any(row[_NOTE] for row in self.rows)
        heads = ("", "", "type", *self.keys, "state and more" if has_notes else "state")
        cells = []
        for row in self.rows:
            numbers = [get_number(row, index) for index in range(len(self.keys))]
            cells.append((row[_HANDLE], row[_NAME], row[_TYPE], *numbers, self._get_state(row)))
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        heading = f"{self.heading:<{widths[0] + 2 + widths[1]}}"
        lines = [(f"{heading}  {_align_cells(heads[2:], widths[2:], 1)}", "")]
        for row_cells, row in zip(cells, self.rows, strict=True):
            lines.append((_align_cells(row_cells, widths, 3), row[_TONE]))
        return lines


def get_number(row: tuple[str, ...], index: int) -> str:
    """Return the number of a row in the column `index` as it is shown: a dash for none."""
    return row[_NUMBERS + index] or "–"


def _get_note(row: tuple[str, ...]) -> str:
    """Return the state and note of a unit for a phone, or ""."""
    return ", ".join(filter(None, (row[_STATE].upper(), row[_NOTE])))


def _align_cells(cells: tuple[str, ...], widths: list[int], word_count: int) -> str:
    """Return cells as a line: the first `word_count` and the last one are aligned left, numbers in
    between right.
    """
    last_index = len(cells) - 1
    aligned = []
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        is_word = index < word_count or index == last_index
        aligned.append(cell.ljust(width) if is_word else cell.rjust(width))
    return "  ".join(aligned).rstrip()


def _join_cells(name: str, note: str, numbers: str, name_width: int, note_width: int) -> str:
    """Return a name, a note and numbers as one line.

    Without a note, a long name extends into the blanks before the first number.
    """
    tail = f" {note:<{note_width}}{numbers}"
    room = name_width
    if not note:
        blanks = len(tail) - len(tail.lstrip())
        room = max(name_width, name_width + blanks - 1)
    cut_name = _cut_name(name, room)
    overlap = max(0, len(cut_name) - name_width)
    return f"{cut_name:<{name_width}}{tail[overlap:]}".rstrip()


def _split_note(row: tuple[str, ...], room: int) -> tuple[str, list[str]]:
    """Return as much of a row's note as has room, in whole pieces, and the remaining pieces."""
    note = _get_note(row)
    pieces = note.split(", ") if note else []
    fitting = list[str]()
    while pieces and len(", ".join((*fitting, pieces[0]))) <= room:
        fitting.append(pieces.pop(0))
    return ", ".join(fitting), pieces


def _wrap_pieces(pieces: Sequence[str], width: int) -> list[str]:
    """Return the pieces in lines of this width. A piece is only broken if one is longer than a
    line.
    """
    if any(len(piece) >= width for piece in pieces):
        return wrap(", ".join(pieces), width)
    unbroken = [piece.replace(" ", "\u00a0") for piece in pieces]
    lines = wrap(", ".join(unbroken), width)
    return [line.replace("\u00a0", " ") for line in lines]


def _measure_least_name(names: Sequence[str]) -> int:
    """Return the smallest width to which names can be cut so that different ones still differ.

    It is at least _LEAST_NAME, but never more than the longest name; 0 without names.
    """
    longest = max(map(len, names), default=0)
    for width in range(min(longest, _LEAST_NAME), longest):
        if len({_cut_name(name, width) for name in names}) == len(set(names)):
            return width
    return longest


def _choose_name_width(rows: Sequence[tuple[str, ...]], least: int, room: int) -> int:
    """Return the width of names, at least `least`, that leaves the rest of `room` for notes.

    It is the best compromise between names that are cut and notes that need a line of their own,
    which count double. Of equally good widths it is the largest.
    """
    longest = max((len(row[_NAME]) for row in rows), default=0)
    widths = range(least, max(least, min(longest, room)) + 1)

    def compute_cost(width: int) -> tuple[int, int]:
        extra_lines = sum(bool(_split_note(row, room - width)[1]) for row in rows)
        cut_names = sum(len(row[_NAME]) > width for row in rows)
        return 2 * extra_lines + cut_names, -width

    return min(widths, key=compute_cost)


_NUMBERED = re.compile(r"(.*?)(\d{1,6})")


def _group_rows(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the rows with units that differ only in consecutive numbers on one line: `GI 1-12`."""
    joined = list[tuple[str, ...]]()
    group = list[tuple[str, ...]]()
    for row in rows:
        if group and not _is_next_unit(group[-1], row):
            joined.append(_join_rows(group))
            group = []
        group.append(row)
    return [*joined, _join_rows(group)] if group else joined


def _is_next_unit(previous: tuple[str, ...], row: tuple[str, ...]) -> bool:
    """Return whether a unit is like the previous one, with the next number in handle and name."""
    if previous[2:] != row[2:]:
        return False
    for previous_text, text in zip(previous[:2], row[:2], strict=True):
        previous_match = _NUMBERED.fullmatch(previous_text)
        match = _NUMBERED.fullmatch(text)
        if previous_match is None or match is None or previous_match[1] != match[1]:
            return False
        if int(match[2]) != int(previous_match[2]) + 1:
            return False
    return True


def _join_rows(group: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return one row for units with consecutive numbers: their handles and names become ranges."""
    first_row = group[0]
    if len(group) == 1:
        return first_row
    ranges = []
    for first_text, last_text in zip(first_row[:2], group[-1][:2], strict=True):
        match = _NUMBERED.fullmatch(last_text)
        if match is not None:
            ranges.append(f"{first_text}-{match[2]}")
    handle, name = ranges
    return (handle, name, *first_row[2:])


def _cut_text(text: str, room: int) -> str:
    """Return a text cut to `room` characters, with an ellipsis if it is longer."""
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


def _cut_name(name: str, room: int) -> str:
    """Return a name cut to `room` characters, but with the number at its end: `Grenadi… 5`,
    `Grena… 1-5`.
    """
    head, space, number = name.rpartition(" ")
    is_number = number.replace("-", "").isdigit()
    if len(name) <= room or not is_number or len(number) + 3 > room:
        return _cut_text(name, room)
    return f"{_cut_text(head, room - len(number) - 1)}{space}{number}"
