"""Pictures as SVG text: shapes and words on an opaque card, for dark and light clients alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from bot.charts.font import FAMILY, measure_width, replace_missing_letters, wrap_text

WIDE = 720
"""Width of a picture in pixels. A phone shows it at half the size."""
EDGE = 24
"""Width of the margins in pixels."""
PAPER, BAND, LINE = "#23262d", "#2c3038", "#3a3f48"
INK, FAINT = "#ece9e3", "#a9afb8"
HIT, HIT_INK, CROSS = "#f2b84b", "#1d1f23", "#403c2f"
FALLBACK = "'Roboto Condensed','Arial Narrow',Arial,sans-serif"
"""Fonts for a browser without ours. Each text keeps its width."""
MOST_ALT = 1_000
"""Maximum length of an alternative text. Every platform accepts this length."""

Room = tuple[float, float, float, float]
"""A box: left, top, right, bottom in pixels."""
Place = tuple[float, float]
"""A point: x and y in pixels."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as SVG text, with its alternative text (`alt`) and its height in pixels."""

    svg: str
    alt: str
    height: int


@dataclass(frozen=True, slots=True)
class Frame:
    """The scales of a plot over the events of a game: its `room`, the first and last event, the
    lowest and highest value.
    """

    room: Room
    first: float
    last: float
    low: float
    high: float

    def x(self, number: float) -> float:
        """Return the x coordinate of the event with this number.

        Events before the first are at the left edge.
        """
        left, _, right, _ = self.room
        span = max(1.0, self.last - self.first)
        return left + (right - left) * max(0.0, number - self.first) / span

    def y(self, value: float) -> float:
        """Return the y coordinate of a value."""
        _, top, _, bottom = self.room
        return top + (bottom - top) * (self.high - value) / (self.high - self.low)

    def build_step_line(self, points: Iterable[tuple[float, float]]) -> list[Place]:
        """Build a line that starts at 0 and steps to the value of each (event, value)."""
        corners = [(self.x(self.first), self.y(0))]
        for number, value in points:
            x = self.x(number)
            previous_y = corners[-1][1]
            corners.append((x, previous_y))
            corners.append((x, self.y(value)))
        return corners


class Canvas:
    """A picture while it is drawn from top to bottom, below its title.

    `top` is the y coordinate at which the next element begins.
    """

    def __init__(self, title: str, *subtitles: str) -> None:
        self.top = 20.0
        self._elements: list[str] = []
        self.draw_words(title, 28, bold=True)
        for line in filter(None, subtitles):
            self.draw_words(line, 20, FAINT)

    def draw_box(self, room: Room, fill: str, radius: float = 0, name: str = "") -> None:
        """Draw a filled box. `name` is its class, by which tests and scripts find it."""
        left, top, right, bottom = room
        rounding = f' rx="{radius:g}"' if radius else ""
        class_name = f' class="{name}"' if name else ""
        self._elements.append(
            f'<rect{class_name} x="{_format_number(left)}" y="{_format_number(top)}" '
            f'width="{_format_number(right - left)}" height="{_format_number(bottom - top)}"{rounding}'
            f' fill="{fill}"/>'
        )

    def draw_frame(self, room: Room, stroke: str, radius: float = 0) -> None:
        """Draw the outline of a box."""
        left, top, right, bottom = room
        self._elements.append(
            f'<rect x="{_format_number(left)}" y="{_format_number(top)}" '
            f'width="{_format_number(right - left)}" height="{_format_number(bottom - top)}"'
            f' rx="{radius:g}" fill="none" stroke="{stroke}" stroke-width="3"/>'
        )

    def draw_line(self, points: Iterable[Place], stroke: str, thick: float = 3) -> None:
        """Draw a line through these points, `thick` pixels wide."""
        corners = " ".join(f"{_format_number(x)},{_format_number(y)}" for x, y in points)
        self._elements.append(
            f'<polyline points="{corners}" fill="none" stroke="{stroke}" stroke-width="{thick:g}"'
            ' stroke-linejoin="round"/>'
        )

    def draw_text(
        self,
        text: str,
        position: Place,
        size: float,
        fill: str = INK,
        *,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """Draw a line of text with its baseline at `position`.

        `anchor` is the part of the text that is there: "start", "middle" or "end".
        """
        text = replace_missing_letters(text)
        if not text.strip():
            return
        weight = ' font-weight="700"' if bold else ""
        anchor_attribute = f' text-anchor="{anchor}"' if anchor != "start" else ""
        x, y = position
        width = measure_width(text, size, bold)
        self._elements.append(
            f'<text x="{_format_number(x)}" y="{_format_number(y)}" fill="{fill}" '
            f'font-size="{size:g}"{weight}{anchor_attribute}'
            f' textLength="{_format_number(width)}" '
            f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    def draw_words(
        self,
        text: str,
        size: int,
        fill: str = INK,
        *,
        bold: bool = False,
        right: float = WIDE - EDGE,
    ) -> None:
        """Draw words between the left margin and `right`, in as many lines as they need."""
        for line in wrap_text(replace_missing_letters(text), right - EDGE, size, bold):
            self.draw_text(line, (EDGE, self.top + size), size, fill, bold=bold)
            self.top += size * 1.3

    def build_picture(self, sentences: Iterable[str], rows: Iterable[str] = ()) -> Picture:
        """Return the picture on its card.

        Its alternative text has the sentences, then as many of the `rows` as there is room for.
        """
        height = round(self.top)
        alt = _join_rows_in_room(" ".join(sentences), list(rows))
        # XML cannot hold control characters
        title = "".join(char for char in alt if char.isprintable() or char == " ")
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{height}" viewBox="0 0 {WIDE} {height}"'
            f' role="img" font-family="\'{FAMILY}\',{FALLBACK}"><title>{escape(title)}</title>'
            f'<rect width="{WIDE}" height="{height}" rx="14" fill="{PAPER}"/>{"".join(self._elements)}</svg>\n'
        )
        return Picture(svg, alt, height)


def _join_rows_in_room(text: str, rows: list[str]) -> str:
    """Append to a text as many rows as there is room for, and how many are left out."""
    for index, row in enumerate(rows):
        ending = f" And {len(rows) - index} more rows."
        if len(text) + len(row) + 1 + len(ending) > MOST_ALT:
            text += ending
            break
        text += f" {row}"
    return text if len(text) <= MOST_ALT else f"{text[: MOST_ALT - 1]}…"


def _format_number(number: float) -> str:
    """Format a coordinate with one decimal at most."""
    return f"{number:.1f}".rstrip("0").rstrip(".")
