"""What the body of a reply is made of, as values: adapters draw each part in their own way."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from textwrap import wrap
from typing import NamedTuple

from bot.rules.text.line import Line
from bot.rules.text.phrase import Phrase, Typed, When
from bot.ui.reply.bars import PHONE, Chance, Look, format_comparison_lines, format_odds_lines
from bot.ui.reply.unit_table import UnitTable


class Thrown(NamedTuple):
    """The raw dice of a whole answer, where nothing is said of the single rolls: `dice [4] [2]`."""

    dice: tuple[object, ...]


class Odds(NamedTuple):
    """The chances (0 to 1) of each result for those whom `heading` names, worst first; `came` are
    those that came up, one for each of them.

    `least` has the chances of a result or a worse one, for the first so many; `exact` the chances
    as fractions, `tones` how grave each is.
    """

    heading: str
    chances: tuple[tuple[str, float], ...]
    came: tuple[str, ...] = ()
    least: tuple[float, ...] = ()
    exact: tuple[str, ...] = ()
    tones: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Chance, ...]:
        """A row for each result."""
        return tuple(
            Chance(
                word,
                chance,
                self.least[at] if at < len(self.least) else None,
                self.came.count(word),
                self.exact[at] if at < len(self.exact) else "",
            )
            for at, (word, chance) in enumerate(self.chances)
        )


class Compared(NamedTuple):
    """What single changes are worth: of each what it is, the chance with it, and the difference
    that it makes.
    """

    changes: tuple[tuple[str, float, float], ...]


class Grid(NamedTuple):
    """Rows of cells in columns of a fixed width; with a `head` the first names the columns, and a
    platform may draw a table of its own."""

    rows: tuple[tuple[str, ...], ...]
    head: bool = False

    def format_lines(self, look: Look) -> list[str]:
        """Return a line for each row. Two columns that are too wide become two lines, the second
        one indented. Under a head the text of the last column goes on below itself.
        """
        has_two_columns = bool(self.rows) and len(self.rows[0]) == 2
        if self.head or not has_two_columns or measure_width(self.rows) <= look.grid:
            return _format_columns(_wrap_last(self.rows, look.grid) if self.head else self.rows)
        lines = []
        for name, text in self.rows:
            lines.append(name)
            lines += wrap(text, look.grid, initial_indent="  ", subsequent_indent="  ")
        return lines


class Sheet(NamedTuple):
    """A printed grid whose first row and column are heads, with what is said above it."""

    heading: str
    rows: tuple[tuple[str, ...], ...]

    def format_lines(self, columns: int) -> list[str]:
        """Broken into as many grids one below the other as its columns need, each with the first
        column.
        """
        head, *_ = self.rows
        at = 1
        found = [self.heading] if self.heading else []
        while at < len(head):
            end = at + 1
            while end < len(head) and measure_width(self._cut_columns(at, end + 1)) <= columns:
                end += 1
            part = self._cut_columns(at, end)
            found += [""] if at > 1 else []
            found += (
                _format_columns(part)
                if measure_width(part) <= columns
                else _format_two_columns(part, columns)
            )
            at = end
        return found

    def _cut_columns(self, start: int, end: int) -> tuple[tuple[str, ...], ...]:
        return tuple((row[0], *row[start:end]) for row in self.rows)


class Whole(NamedTuple):
    """A whole table; `near` are the rows around what was looked up, for screens on which the
    whole is too much.
    """

    sheets: tuple[Sheet, ...]
    near: tuple[tuple[str, ...], ...] = ()

    def format_lines(self, look: Look) -> list[str]:
        """All of it where the screen is wide; on a phone, where that is too much, what is near,
        and says so.
        """
        found = [line for sheet in self.sheets for line in ("", *sheet.format_lines(look.grid))][1:]
        if look.grid > PHONE.grid or len(found) <= MOST_LINES:
            return found
        if self.near:
            return [
                *Sheet("", self.near).format_lines(look.grid),
                *wrap(f"{TOO_LARGE}: this is around the number asked for.", look.grid),
            ]
        shown = found[: MOST_LINES - 2]
        return [*shown, *wrap(f"{TOO_LARGE}: {len(shown)} of {len(found)} lines.", look.grid)]


class Small(NamedTuple):
    """Small print: what changed besides, which nobody must act on."""

    text: str


class Group(NamedTuple):
    """Units of one result together: `Killed: VC 3, 5, 6`; `grave` gives the word weight."""

    label: str
    text: str
    grave: bool = False


class Entry(NamedTuple):
    """One of a list: its title, what it is, how it fares, and the button that goes with it (none
    without a label).
    """

    title: str
    about: str
    text: str
    action: str = ""
    label: str = ""


class Happened(NamedTuple):
    """One event among several: its number, the news and who did it; `grave` gives it weight,
    `undone` strikes it through."""

    number: int
    title: str
    by: str = ""
    grave: bool = False
    undone: bool = False


class Rule(NamedTuple):
    """A gap between two parts of a board, with a line where `is_drawn`; nothing in plain text."""

    is_drawn: bool = True


class Pen(NamedTuple):
    """How a platform writes: `plain` makes a whole line safe, `within` a piece of one; the others
    also give a piece weight, or the look of a die, or make a line small, or strike a piece through.
    """

    plain: Callable[[str], str]
    within: Callable[[str], str]
    die: Callable[[str], str]
    strong: Callable[[str], str]
    small: Callable[[str], str]
    struck: Callable[[str], str] = str


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
"""A str may be a `Typed` or a `Phrase`, which tell the commands to copy from the words around
them.
"""
MOST_LINES = 105
"""A whole table has so many lines in chat at most."""
TOO_LARGE = "Too large to show whole here"
FIXED = (Odds, Compared, Grid, Whole, UnitTable)
"""Parts whose columns are aligned."""


def format_part(part: Part, pen: Pen = PLAIN, look: Look = PHONE) -> list[str]:
    """A part in lines as `pen` writes them; those of a fixed width as they are, bars by their
    `look`.
    """
    match part:  # what is most often there first
        case str():
            return [pen.plain(part)]
        case Line():
            return [part.render(pen.die, pen.strong, pen.within)]
        case Small():
            return [pen.small(part.text)]
        case Group():
            label = f"{part.label}:"
            said = pen.strong(label) if part.grave else pen.within(label)
            return [f"{said} {_format_piece(part.text, pen)}".rstrip()]
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
    return pen.plain(text) if isinstance(text, Phrase | Typed) else pen.within(text)


def _format_happened(part: Happened, pen: Pen) -> str:
    by = f" · {pen.within(part.by)}" if part.by else ""
    if part.undone:
        return f"#{part.number} {pen.struck(part.title)}{by} (undone)"
    return f"#{part.number} {pen.strong(part.title) if part.grave else pen.within(part.title)}{by}"


Row = tuple[str, bool]
"""A line of an answer, and whether it belongs into a fixed width."""


def render_parts(parts: Iterable[Part], pen: Pen, look: Look = PHONE) -> Iterator[Row]:
    """Yield the lines of all parts as `pen` writes them.

    Those of a fixed width are as wide as `look` allows and left as they are, to be fenced.
    """
    before: Part = ""
    for part in parts:
        if isinstance(part, Odds) and isinstance(before, Odds):
            yield "", True
        before = part
        for text in format_part(part, pen, look):
            yield text, isinstance(part, FIXED)


def _format_columns(rows: tuple[tuple[str, ...], ...]) -> list[str]:
    widths: dict[int, int] = {}
    for row in rows:
        for at, cell in enumerate(row[:-1]):
            widths[at] = max(widths.get(at, 0), len(cell))
    return [
        "  ".join([*(f"{cell:<{widths[at]}}" for at, cell in enumerate(row[:-1])), *row[-1:]])
        for row in rows
    ]


def _wrap_last(rows: tuple[tuple[str, ...], ...], columns: int) -> tuple[tuple[str, ...], ...]:
    """Return the rows with their last cell broken between words, if they are too wide."""
    if not rows or measure_width(rows) <= columns:
        return rows
    room = columns - measure_width(tuple(row[:-1] for row in rows)) - 2
    if len(rows[0]) < 2 or room < LEAST_TEXT:
        return rows
    wrapped = list[tuple[str, ...]]()
    for *cells, text in rows:
        first, *further = wrap(text, room) or [""]
        wrapped.append((*cells, first))
        wrapped += [(*("" for _ in cells), line) for line in further]
    return tuple(wrapped)


LEAST_TEXT = 9
"""The least places in which a text can be read that is broken between words."""


def measure_width(rows: tuple[tuple[str, ...], ...]) -> int:
    """Return how many columns a grid of these rows takes."""
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True)) - 2


def _format_two_columns(rows: tuple[tuple[str, ...], ...], columns: int) -> list[str]:
    """Return lines of two columns, both broken between words.

    The second one has the places that it needs, at most half of them.
    """
    second = min(max(len(" ".join(row[1:])) for row in rows), columns // 2)
    first = min(max(len(row[0]) for row in rows), columns - second - 2)
    found = []
    for name, *cells in rows:
        text = wrap(" ".join(cells), columns - first - 2) or [""]
        names = wrap(name, first) or [""]
        for at in range(max(len(text), len(names))):
            left = names[at] if at < len(names) else ""
            right = text[at] if at < len(text) else ""
            found.append(f"{left:<{first}}  {right}".rstrip())
    return found


def build_date(at: float) -> When:
    """A date with its time."""
    return When(_format_utc(at), int(at))


def build_relative_date(at: float) -> When:
    """Return how long ago that was, or how soon it will be, as the platform counts it."""
    return When(_format_utc(at), int(at), ago=True)


def _format_utc(at: float) -> str:
    return datetime.fromtimestamp(int(at), UTC).strftime("%d %b %Y, %H:%M UTC").lstrip("0")
