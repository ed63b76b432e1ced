"""The units of a side as a table: its columns, and what of a row a phone or a wide screen has
room for.
"""

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from bot.ui.reply.bars import COLUMNS

FIRST = 2
"""So many numbers are worth more than a long note."""
_LEAST_NAME, _STATE = 8, 14
"""The least that is kept of a name on a phone, and the longest state next to it."""


class UnitTable(NamedTuple):
    """The units of a side, which `heading` names with its players; `keys` are the numbers that have
    a column.

    A row is (handle, name, type, state, the rest in a few words, tone, then a number for each key):
    the state is empty where nothing ails the unit, a number where it has none. `spaced`: an empty
    line sets it apart.
    """

    heading: str
    keys: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spaced: bool = False

    def format_lines(self, width: int = COLUMNS) -> list[str]:
        """The table as it fits a phone: handle, name, numbers, state, and what is special as far as
        there is room.

        Alike units with numbers in a row share a line. A name gives way to numbers, but all names
        differ. What has no room goes to a line of its own.
        """
        rows = _group_rows(self.rows)
        handles = max((len(row[0]) for row in rows), default=0)
        sizes = [
            max(len(key), *(len(get_number(row, at)) for row in rows)) + 1
            for at, key in enumerate(self.keys)
        ]
        states = [len(row[3]) for row in rows]
        least = _measure_least_name([row[1] for row in rows])
        while (
            len(sizes) > FIRST
            and handles + 2 + least + sum(sizes) + min(max(states, default=0), _STATE) > width
        ):
            sizes.pop()
        while sizes and handles + 2 + least + sum(sizes) > width:
            sizes.pop()
        room = width - handles - 2 - sum(sizes)
        named = _choose_name_width(rows, least, room)
        notes = [_split_note(row, room - named) for row in rows]
        widest = max((len(note) for note, _ in notes), default=0)
        heads = "".join(f"{key:>{size}}" for key, size in zip(self.keys, sizes, strict=False))
        start = handles + named + 2 + widest
        lines = [""] if self.spaced else []
        lines.append(f"{_cut_text(self.heading, start):<{start}}{heads}".rstrip())
        for row, (note, left) in zip(rows, notes, strict=True):
            numbers = "".join(f"{get_number(row, at):>{size}}" for at, size in enumerate(sizes))
            first = f"{row[0]:<{handles}} "
            lines.append(first + _join_cells(row[1], note, numbers, named, widest))
            further = [
                f"{key} {row[6 + at]}"
                for at, key in enumerate(self.keys)
                if at >= len(sizes) and row[6 + at]
            ]
            own = _wrap_pieces([*left, *further], width - handles - 1)
            lines += [f"{'':<{handles}} {text}" for text in own]
        return lines

    def group_rows(self) -> list[tuple[str, ...]]:
        """Return the rows with alike units on one line."""
        return _group_rows(self.rows)

    def format_wide_lines(self) -> list[tuple[str, str]]:
        """The lines of a wide screen, each with its tone: the type beside the name, the state
        and more at the end.
        """
        cells = [
            (
                row[0],
                row[1],
                row[2],
                *(get_number(row, at) for at in range(len(self.keys))),
                _get_state(row),
            )
            for row in self.rows
        ]
        heads = (
            "",
            "",
            "type",
            *self.keys,
            "state and more" if any(row[4] for row in self.rows) else "state",
        )
        widths = [max(len(line[at]) for line in (heads, *cells)) for at in range(len(heads))]
        heading = f"{self.heading:<{widths[0] + 2 + widths[1]}}"
        lines = [(f"{heading}  {_align_cells(heads[2:], widths[2:], 1)}", "")]
        return [
            *lines,
            *(
                (_align_cells(line, widths, 3), row[5])
                for line, row in zip(cells, self.rows, strict=True)
            ),
        ]


def get_number(row: tuple[str, ...], at: int) -> str:
    """A number of a row as its column shows it."""
    return row[6 + at] or "–"


def _get_state(row: tuple[str, ...]) -> str:
    return " ".join(filter(None, (row[3].upper(), row[4]))) or "ready"


def _get_note(row: tuple[str, ...]) -> str:
    return ", ".join(filter(None, (row[3].upper(), row[4])))


def _align_cells(cells: tuple[str, ...], widths: list[int], words: int) -> str:
    """Cells in their columns: the first `words` and the last one to the left, numbers in between
    to the right.
    """
    last = len(cells) - 1
    made = [
        f"{cell:<{size}}" if at < words or at == last else f"{cell:>{size}}"
        for at, (cell, size) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(made).rstrip()


def _join_cells(name: str, note: str, numbers: str, named: int, noted: int) -> str:
    """Return a name, a note and numbers in one line; the first two have `named` and `noted` places.

    Without a note a long name reaches into the blanks before the first number.
    """
    rest = f" {note:<{noted}}{numbers}"
    blanks = len(rest) - len(rest.lstrip())
    reach = named if note else named + blanks - 1
    shown = _cut_name(name, max(named, reach))
    return f"{shown:<{named}}{rest[max(0, len(shown) - named) :]}".rstrip()


def _split_note(row: tuple[str, ...], room: int) -> tuple[str, list[str]]:
    """Return as much of a row's note as has room, in whole pieces, and the pieces that have none."""
    note = _get_note(row)
    pieces = note.split(", ") if note else []
    first = list[str]()
    while pieces and len(", ".join((*first, pieces[0]))) <= room:
        first.append(pieces.pop(0))
    return ", ".join(first), pieces


def _wrap_pieces(pieces: Sequence[str], width: int) -> list[str]:
    """Return the pieces in lines of this width; a piece is broken only if it is longer."""
    text = ", ".join(pieces)
    if all(len(piece) < width for piece in pieces):
        whole = [piece.replace(" ", "\u00a0") for piece in pieces]
        return [line.replace("\u00a0", " ") for line in wrap(", ".join(whole), width)]
    return wrap(text, width)


def _measure_least_name(names: Sequence[str]) -> int:
    """Return the least room in which all names can be told apart, and are readable."""
    longest = max(map(len, names), default=0)
    for room in range(min(longest, _LEAST_NAME), longest):
        if len({_cut_name(name, room) for name in names}) == len(set(names)):
            return room
    return longest


def _choose_name_width(rows: Sequence[tuple[str, ...]], least: int, room: int) -> int:
    """Return how wide names are, of a `room` for names and notes: few notes need a line of their
    own, and few names are cut. A line costs as much as two names that are cut.
    """
    longest = max((len(row[1]) for row in rows), default=0)
    widths = range(least, max(least, min(longest, room)) + 1)

    def compute_cost(width: int) -> tuple[int, int]:
        further = sum(bool(_split_note(row, room - width)[1]) for row in rows)
        cut = sum(len(row[1]) > width for row in rows)
        return 2 * further + cut, -width

    return min(widths, key=compute_cost)


_NUMBERED = re.compile(r"(.*?)(\d{1,6})")


def _group_rows(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the rows with units that are alike but for their numbers on one line: `GI 1-12`."""
    found = list[tuple[str, ...]]()
    group = list[tuple[str, ...]]()
    for row in rows:
        if group and not _is_next_unit(group[-1], row):
            found.append(_join_rows(group))
            group = []
        group.append(row)
    return [*found, _join_rows(group)] if group else found


def _is_next_unit(before: tuple[str, ...], row: tuple[str, ...]) -> bool:
    """Return whether a unit is like the one before it, with the next number in handle and name."""
    if before[2:] != row[2:]:
        return False
    for was, now in zip(before[:2], row[:2], strict=True):
        first = _NUMBERED.fullmatch(was)
        second = _NUMBERED.fullmatch(now)
        if first is None or second is None or first[1] != second[1]:
            return False
        if int(second[2]) != int(first[2]) + 1:
            return False
    return True


def _join_rows(group: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return one row for units with numbers in a row."""
    first, last = group[0], group[-1]
    if len(group) == 1:
        return first
    ends = [_NUMBERED.fullmatch(text) for text in last[:2]]
    handle, name = (
        f"{text}-{end[2]}" for text, end in zip(first[:2], ends, strict=True) if end is not None
    )
    return (handle, name, *first[2:])


def _cut_text(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


def _cut_name(name: str, room: int) -> str:
    """Cut a name to the room, but keep the number at its end: `Grenadi… 5`, `Grena… 1-5`."""
    head, space, number = name.rpartition(" ")
    is_number = number.replace("-", "").isdigit()
    if len(name) <= room or not is_number or len(number) + 3 > room:
        return _cut_text(name, room)
    return f"{_cut_text(head, room - len(number) - 1)}{space}{number}"
