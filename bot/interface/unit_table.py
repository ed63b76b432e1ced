"""Units of one side in columns: in few for a phone, in more where a screen is wide."""

from __future__ import annotations

from dataclasses import dataclass

PHONE = 33
"""Columns of a fixed width that a phone shows."""
FIRST = 2
"""So many numbers are worth more than a long note."""
_NAME, _NOTE, _LEAST = 16, 8, 6
"""The widest that a name may be on a phone, what is kept free for a note (`SHAKEN ½`), the least of one that is cut."""


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The units of a side, which `heading` names with its players; `keys` are the numbers that have a column.

    A row is (handle, name, type, state, the rest in a few words, tone, then a number for each key): the state is empty
    where nothing ails the unit, a number where it has none. `spaced`: an empty line sets it apart.
    """

    heading: str
    keys: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spaced: bool = False

    def lines(self, width: int = PHONE) -> list[str]:
        """The table as it fits a phone: handle, name, state or what is special, numbers as far as there is room."""
        names = [(row[0], _cut(row[1], _NAME)) for row in self.rows]
        left = [max((len(cells[at]) for cells in names), default=0) for at in range(2)]
        room = width - sum(left) - 2
        sizes: list[int] = []
        for at, key in enumerate(self.keys):
            size = max(len(key), *(len(number_of(row, at)) for row in self.rows)) + 1
            longest = max(len(_note(row) if at >= FIRST else row[3]) for row in self.rows)
            free = longest if at >= FIRST else min(longest or _NOTE // 2, _NOTE)
            if sum(sizes) + size > room - free:
                break
            sizes.append(size)
        notes = [_fitting(_note(row), room - sum(sizes)) for row in self.rows]
        widest = max((len(note) for note in notes), default=0)
        heads = "".join(f"{key:>{size}}" for key, size in zip(self.keys, sizes, strict=False))
        start = sum(left) + 2 + widest
        lines = [""] if self.spaced else []
        lines.append(f"{_cut(self.heading, start):<{start}}{heads}".rstrip())
        for row, (handle, name), note in zip(self.rows, names, notes, strict=True):
            numbers = "".join(f"{number_of(row, at):>{size}}" for at, size in enumerate(sizes))
            lines.append(f"{handle:<{left[0]}} {name:<{left[1]}} {note:<{widest}}{numbers}".rstrip())
        return lines

    def wide(self) -> list[tuple[str, str]]:
        """The lines of a wide screen, each with its tone: the type beside the name, the state at the end."""
        cells = [
            (row[0], row[1], row[2], *(number_of(row, at) for at in range(len(self.keys))), _state(row))
            for row in self.rows
        ]
        heads = ("", "", "type", *self.keys, "state")
        widths = [max(len(line[at]) for line in (heads, *cells)) for at in range(len(heads))]
        heading = f"{self.heading:<{widths[0] + 2 + widths[1]}}"
        lines = [(f"{heading}  {_spread(heads[2:], widths[2:], 1)}", "")]
        return [*lines, *((_spread(line, widths, 3), row[5]) for line, row in zip(cells, self.rows, strict=True))]


def number_of(row: tuple[str, ...], at: int) -> str:
    """A number of a row as its column shows it."""
    return row[6 + at] or "–"


def _state(row: tuple[str, ...]) -> str:
    return " ".join(filter(None, (row[3].upper(), row[4]))) or "ready"


def _note(row: tuple[str, ...]) -> str:
    return row[3].upper() or row[4]


def _spread(cells: tuple[str, ...], widths: list[int], words: int) -> str:
    """Cells in their columns: the first `words` and the last one to the left, numbers in between to the right."""
    last = len(cells) - 1
    made = [
        f"{cell:<{size}}" if at < words or at == last else f"{cell:>{size}}"
        for at, (cell, size) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(made).rstrip()


def _fitting(note: str, room: int) -> str:
    """As much of a note as has room, in whole pieces where that is possible."""
    pieces = note.split(", ")
    while len(pieces) > 1 and len(", ".join(pieces)) > room:
        pieces.pop()
    left = ", ".join(pieces)
    return _cut(left, room) if len(left) <= room or room >= _LEAST else ""


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"
