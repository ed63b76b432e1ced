"""Units of one side in columns: in few for a phone, in more where a screen is wide."""

from __future__ import annotations

from dataclasses import dataclass

PHONE = 38
"""Columns of a fixed width that a phone shows."""
_NAME, _NOTE = 14, 14
"""The widest that a name and a note may be on a phone."""


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The units of a side, which `heading` names with its players; `keys` are the numbers that have a column.

    A row is (handle, name, type, state, the rest in a few words, tone, then a number for each key): the state is empty
    where nothing ails the unit, a number where it has none.
    """

    heading: str
    keys: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def lines(self, width: int = PHONE) -> list[str]:
        """The table as it fits a phone: handle, name, state or what is special, numbers as far as there is room."""
        names = [(row[0], _cut(row[1], _NAME), _cut(_note(row), _NOTE)) for row in self.rows]
        widths = [max((len(cells[at]) for cells in names), default=0) for at in range(3)]
        room = width - sum(widths) - 2
        sizes: list[int] = []
        for at, key in enumerate(self.keys):
            size = max(len(key), *(len(number_of(row, at)) for row in self.rows)) + 2
            if size > room:
                break
            sizes.append(size)
            room -= size
        left = sum(widths) + 2
        heads = "".join(f"{key:>{size}}" for key, size in zip(self.keys, sizes, strict=False))
        lines = [f"{_cut(self.heading, left):<{left}}{heads}".rstrip()]
        for row, cells in zip(self.rows, names, strict=True):
            start = " ".join(f"{cell:<{size}}" for cell, size in zip(cells, widths, strict=True))
            lines.append((start + "".join(f"{number_of(row, at):>{size}}" for at, size in enumerate(sizes))).rstrip())
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


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"
