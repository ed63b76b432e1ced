"""The parts of a reply's body, as values. Each adapter draws them in its own way."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from bot.rules.text.line import Line
from bot.rules.text.phrase import Phrase, Typed, When
from bot.ui.reply.bars import PHONE, Chance, Look, format_comparison_lines, format_odds_lines
from bot.ui.reply.unit_table import UnitTable


class Thrown(NamedTuple):
    """The raw dice of a whole answer, if no line shows the single rolls: `dice [4] [2]`."""

    dice: tuple[object, ...]


class Odds(NamedTuple):
    """The chances (0 to 1) of each result, worst first."""

    heading: str
    """The units, or the sum of dice, that the chances are for."""
    chances: tuple[tuple[str, float], ...]
    """Pairs of a result and its chance."""
    came: tuple[str, ...] = ()
    """The results that were rolled, one for each unit."""
    least: tuple[float, ...] = ()
    """The chance of a result or a worse one, for the first results."""
    exact: tuple[str, ...] = ()
    """The chances as fractions."""
    tones: tuple[str, ...] = ()
    """The tone (HURT, SHAKEN, ...) of each result."""

    @property
    def rows(self) -> tuple[Chance, ...]:
        """A row for each result."""
        rows = []
        for index, (word, chance) in enumerate(self.chances):
            least = self.least[index] if index < len(self.least) else None
            exact = self.exact[index] if index < len(self.exact) else ""
            rows.append(Chance(word, chance, least, self.came.count(word), exact))
        return tuple(rows)


class Compared(NamedTuple):
    """The effects of single changes: for each the change in words, the chance with it, and the
    difference that it makes.
    """

    changes: tuple[tuple[str, float, float], ...]


class Grid(NamedTuple):
    """Rows of cells in columns of a fixed width. With a `head`, the first row names the columns, and
    a platform may draw a table of its own.
    """

    rows: tuple[tuple[str, ...], ...]
    head: bool = False

    def format_lines(self, look: Look) -> list[str]:
        """Return the lines of the grid, fitted to the width of `look` if possible.

        With a head, a long last cell goes on below itself. Without one, two columns that are too
        wide become two lines, the second one indented; more columns stay as wide as they are.
        """
        if self.head:
            return _format_columns(_wrap_last(self.rows, look.grid))
        has_two_columns = bool(self.rows) and len(self.rows[0]) == 2
        if not has_two_columns or measure_width(self.rows) <= look.grid:
            return _format_columns(self.rows)
        lines = []
        for name, text in self.rows:
            lines.append(name)
            lines += wrap(text, look.grid, initial_indent="  ", subsequent_indent="  ")
        return lines


class Sheet(NamedTuple):
    """A printed grid with heads in its first row and column, and a heading above it."""

    heading: str
    rows: tuple[tuple[str, ...], ...]

    def format_lines(self, columns: int) -> list[str]:
        """Return the lines of the grid, at most `columns` characters wide if possible.

        A grid that is too wide is broken into several, one below the other, each with the first
        column.
        """
        column_count = len(self.rows[0])
        start = 1
        lines = [self.heading] if self.heading else []
        while start < column_count:
            end = start + 1
            while end < column_count and self._measure_columns(start, end + 1) <= columns:
                end += 1
            if start > 1:
                lines.append("")
            rows = self._cut_columns(start, end)
            if measure_width(rows) <= columns:
                lines += _format_columns(rows)
            else:
                lines += _format_two_columns(rows, columns)
            start = end
        return lines

    def _cut_columns(self, start: int, end: int) -> tuple[tuple[str, ...], ...]:
        """Return the rows with only the first column and those from `start` to before `end`."""
        return tuple((row[0], *row[start:end]) for row in self.rows)

    def _measure_columns(self, start: int, end: int) -> int:
        return measure_width(self._cut_columns(start, end))


class Whole(NamedTuple):
    """A whole table. `near` are the rows around the number asked for, for screens on which the
    whole table is too long.
    """

    sheets: tuple[Sheet, ...]
    near: tuple[tuple[str, ...], ...] = ()

    def format_lines(self, look: Look) -> list[str]:
        """Return all lines of the table. On a phone, more than MOST_LINES lines are replaced by the
        rows of `near`, or by the first lines, with a note that the table is too large.
        """
        lines: list[str] = []
        for index, sheet in enumerate(self.sheets):
            lines += [""] if index else []
            lines += sheet.format_lines(look.grid)
        if look.grid > PHONE.grid or len(lines) <= MOST_LINES:
            return lines
        if self.near:
            note = f"{TOO_LARGE}: here is the part around the number you asked for."
            return [*Sheet("", self.near).format_lines(look.grid), *wrap(note, look.grid)]
        first_lines = lines[: MOST_LINES - 2]
        note = f"{TOO_LARGE}: {len(first_lines)} of {len(lines)} lines."
        return [*first_lines, *wrap(note, look.grid)]


class Small(NamedTuple):
    """A line in small print: further changes, which nobody must act on."""

    text: str


class Group(NamedTuple):
    """Units with the same result: `Killed: VC 3, 5, 6`. A `grave` label is shown in bold."""

    label: str
    text: str
    grave: bool = False


class Entry(NamedTuple):
    """An entry of a list: its title, description and state, and its button (none without a
    `label`).
    """

    title: str
    about: str
    text: str
    action: str = ""
    label: str = ""


class Happened(NamedTuple):
    """An event in a list of several: its number, its headline, and the player. A `grave` one is
    shown in bold, an `undone` one struck through.
    """

    number: int
    title: str
    by: str = ""
    grave: bool = False
    undone: bool = False


class Rule(NamedTuple):
    """A gap between two parts of a board, with a line if `is_drawn`; nothing in plain text."""

    is_drawn: bool = True


class Pen(NamedTuple):
    """The functions by which a platform writes text."""

    plain: Callable[[str], str]
    """Escapes a whole line and writes its commands."""
    within: Callable[[str], str]
    """Escapes a piece of a line."""
    die: Callable[[str], str]
    """Formats a die."""
    strong: Callable[[str], str]
    """Makes a piece bold."""
    small: Callable[[str], str]
    """Makes a line small."""
    struck: Callable[[str], str] = str
    """Strikes a piece through."""


PLAIN = Pen(str, str, "[{}]".format, str, str)
"""Plain text."""

Part = (
    str
    | Line
    | Thrown
    | Odds
    | Compared
    | Grid
    | Whole
    | Small
    | Group
    | Entry
    | UnitTable
    | Happened
    | Rule
)
"""A part of a reply's body. A str may be a `Typed` or a `Phrase`, which mark commands to copy."""
MOST_LINES = 105
"""Maximum number of lines of a whole table on a phone."""
TOO_LARGE = "Too large to show in full here"
FIXED = (Odds, Compared, Grid, Whole, UnitTable)
"""Parts with aligned columns, which need a font of a fixed width."""


def format_part(part: Part, pen: Pen = PLAIN, look: Look = PHONE) -> list[str]:
    """Return the lines of a part, as `pen` writes them; [] for a rule.

    Lines of a part in FIXED are not escaped; their width, and that of bars, depends on `look`.
    """
    match part:  # the most common ones first
        case str():
            return [pen.plain(part)]
        case Line():
            return [part.render(pen.die, pen.strong, pen.within)]
        case Small():
            return [pen.small(part.text)]
        case Group():
            write_label = pen.strong if part.grave else pen.within
            label = write_label(f"{part.label}:")
            return [f"{label} {_format_piece(part.text, pen)}".rstrip()]
        case Thrown():
            return ["Dice: " + " ".join(pen.die(str(value)) for value in part.dice)]
        case Odds():
            return format_odds_lines(part.heading, part.rows, look)
        case Compared():
            return format_comparison_lines(part.changes, look)
        case Grid() | Whole():
            return part.format_lines(look)
        case UnitTable():
            return part.format_lines()
        case Rule():
            return []
        case Happened():
            return [_format_happened(part, pen)]
        case _:  # an entry
            about = f" · {pen.within(part.about)}" if part.about else ""
            return [f"{pen.strong(part.title)}{about}", _format_piece(part.text, pen)]


def _format_piece(text: str, pen: Pen) -> str:
    """Return a text after a label as `pen` writes it, with its commands if it has any."""
    return pen.plain(text) if isinstance(text, Phrase | Typed) else pen.within(text)


def _format_happened(part: Happened, pen: Pen) -> str:
    """Return the line of an event: `#41 VC 3 killed · anna`."""
    author = f" · {pen.within(part.by)}" if part.by else ""
    if part.undone:
        return f"#{part.number} {pen.struck(part.title)}{author} (undone)"
    title = pen.strong(part.title) if part.grave else pen.within(part.title)
    return f"#{part.number} {title}{author}"


Row = tuple[str, bool]
"""A line of an answer, and whether it needs a font of a fixed width."""


def render_parts(parts: Iterable[Part], pen: Pen, look: Look = PHONE) -> Iterator[Row]:
    """Yield the lines of all parts as `pen` writes them, each with whether it has a fixed width.

    Those of a fixed width fit into `look` and are not escaped: a platform fences them. An empty
    line separates odds that follow on odds.
    """
    previous: Part = ""
    for part in parts:
        if isinstance(part, Odds) and isinstance(previous, Odds):
            yield "", True
        previous = part
        for text in format_part(part, pen, look):
            yield text, isinstance(part, FIXED)


def _format_columns(rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return a line for each row, with all cells but the last padded to the width of their
    column.
    """
    widths: dict[int, int] = {}
    for row in rows:
        for index, cell in enumerate(row[:-1]):
            widths[index] = max(widths.get(index, 0), len(cell))
    lines = []
    for row in rows:
        cells = [f"{cell:<{widths[index]}}" for index, cell in enumerate(row[:-1])]
        lines.append("  ".join([*cells, *row[-1:]]))
    return lines


def _wrap_last(rows: tuple[tuple[str, ...], ...], columns: int) -> tuple[tuple[str, ...], ...]:
    """Return the rows with their last cell broken between words, into further rows, if they are
    wider than `columns`. They stay as they are if that leaves less than LEAST_TEXT for the cell.
    """
    if not rows or measure_width(rows) <= columns:
        return rows
    room = columns - measure_width(tuple(row[:-1] for row in rows)) - 2
    if len(rows[0]) < 2 or room < LEAST_TEXT:
        return rows
    wrapped = list[tuple[str, ...]]()
    for *cells, text in rows:
        first_line, *further_lines = wrap(text, room) or [""]
        wrapped.append((*cells, first_line))
        blanks = ("",) * len(cells)
        wrapped += [(*blanks, line) for line in further_lines]
    return tuple(wrapped)


LEAST_TEXT = 9
"""Minimum width, in characters, for a text that is broken between words."""


def measure_width(rows: tuple[tuple[str, ...], ...]) -> int:
    """Return the width of a grid of these rows in characters, with two blanks between columns."""
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True)) - 2


def _format_two_columns(rows: tuple[tuple[str, ...], ...], columns: int) -> list[str]:
    """Return the lines of two columns, both broken between words; further cells join the second.

    The second column is as wide as its longest cell, at most half of `columns`.
    """
    text_width = min(max(len(" ".join(row[1:])) for row in rows), columns // 2)
    name_width = min(max(len(row[0]) for row in rows), columns - text_width - 2)
    lines = []
    for name, *cells in rows:
        names = wrap(name, name_width) or [""]
        texts = wrap(" ".join(cells), columns - name_width - 2) or [""]
        for name_line, text_line in zip_longest(names, texts, fillvalue=""):
            lines.append(f"{name_line:<{name_width}}  {text_line}".rstrip())
    return lines


def build_date(timestamp: float) -> When:
    """Return a date with its time. `timestamp` is in Unix seconds."""
    return When(_format_utc(timestamp), int(timestamp))


def build_relative_date(timestamp: float) -> When:
    """Return a date that the platform shows as the time since or until then, if it can.

    `timestamp` is in Unix seconds.
    """
    return When(_format_utc(timestamp), int(timestamp), ago=True)


def _format_utc(timestamp: float) -> str:
    """Return Unix seconds as a date: `3 Nov 2026, 14:05 UTC`."""
    date = datetime.fromtimestamp(int(timestamp), UTC)
    return date.strftime("%d %b %Y, %H:%M UTC").lstrip("0")
