"""The units of a side as a table: its columns, and what of a row a phone or a wide screen has
room for.
"""

from textwrap import wrap
from typing import NamedTuple

from bot.interface.reply.bars import COLUMNS

FIRST = 2
"""So many numbers are worth more than a long note."""
_NAME, _LEAST_NAME, _STATE, _NOTE, _LEAST = 16, 8, 14, 8, 6
"""The widest that a name may be on a phone and the least that is kept of it, the longest state
beside it, what is kept free for a note (`SHAKEN ½`), the least of one that is cut."""


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

    def lines(self, width: int = COLUMNS) -> list[str]:
        """The table as it fits a phone: handle, name, numbers, state, and what is special as far as
        there is room.

        A name gives way to numbers; a state is never cut: one that is too long has a line of its
        own."""
        handles = max((len(row[0]) for row in self.rows), default=0)
        sizes = [
            max(len(key), *(len(number_of(row, at)) for row in self.rows)) + 1
            for at, key in enumerate(self.keys)
        ]
        states = [len(row[3]) for row in self.rows]
        least = min(max((len(row[1]) for row in self.rows), default=0), _LEAST_NAME)
        while (
            len(sizes) > FIRST
            and handles + 2 + least + sum(sizes) + min(max(states, default=0), _STATE) > width
        ):
            sizes.pop()
        room = width - handles - 2 - sum(sizes)
        fitting = max((size for size in states if size <= room - least), default=0)
        wanted = max((len(_note(row)) for row in self.rows), default=0)
        longest = min(max((len(row[1]) for row in self.rows), default=0), _NAME, room)
        named = max(min(longest, room - max(fitting, min(wanted, _NOTE))), least)
        if not fitting and room - named < min(wanted, _LEAST):
            named = longest  # what is kept free would hold no note
        notes = [
            "" if size > room - named else _fitting(_note(row), room - named)
            for size, row in zip(states, self.rows, strict=True)
        ]
        widest = max((len(note) for note in notes), default=0)
        heads = "".join(f"{key:>{size}}" for key, size in zip(self.keys, sizes, strict=False))
        start = handles + named + 2 + widest
        lines = [""] if self.spaced else []
        lines.append(f"{_cut(self.heading, start):<{start}}{heads}".rstrip())
        for row, note, size in zip(self.rows, notes, states, strict=True):
            numbers = "".join(f"{number_of(row, at):>{size}}" for at, size in enumerate(sizes))
            lines.append(
                f"{row[0]:<{handles}} {_cut_name(row[1], named):<{named}} {note:<{widest}}{numbers}".rstrip()
            )
            own = wrap(row[3].upper(), width - handles - 1) if size > room - named else ()
            lines += [f"{'':<{handles}} {text}" for text in own]
        return lines

    def wide(self) -> list[tuple[str, str]]:
        """The lines of a wide screen, each with its tone: the type beside the name, the state
        and more at the end.
        """
        cells = [
            (
                row[0],
                row[1],
                row[2],
                *(number_of(row, at) for at in range(len(self.keys))),
                _state(row),
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
        lines = [(f"{heading}  {_spread(heads[2:], widths[2:], 1)}", "")]
        return [
            *lines,
            *(
                (_spread(line, widths, 3), row[5])
                for line, row in zip(cells, self.rows, strict=True)
            ),
        ]


def number_of(row: tuple[str, ...], at: int) -> str:
    """A number of a row as its column shows it."""
    return row[6 + at] or "–"


def _state(row: tuple[str, ...]) -> str:
    return " ".join(filter(None, (row[3].upper(), row[4]))) or "ready"


def _note(row: tuple[str, ...]) -> str:
    return ", ".join(filter(None, (row[3].upper(), row[4])))


def _spread(cells: tuple[str, ...], widths: list[int], words: int) -> str:
    """Cells in their columns: the first `words` and the last one to the left, numbers in between
    to the right.
    """
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
    return (
        _cut(left, room)
        if len(left) <= room or (room >= _LEAST and not left[-1:].isdigit())
        else ""
    )


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


def _cut_name(name: str, room: int) -> str:
    """Cut a name to the room, but keep the number at its end: `Grenadi… 5`."""
    head, space, number = name.rpartition(" ")
    if len(name) <= room or not number.isdigit() or len(number) + 3 > room:
        return _cut(name, room)
    return f"{_cut(head, room - len(number) - 1)}{space}{number}"
