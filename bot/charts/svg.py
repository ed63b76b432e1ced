"""Shapes and words as SVG text: one opaque card that reads the same in a dark and in a light
client.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from bot.charts.font import FAMILY, measure_width, replace_missing_letters, wrap_text

WIDE = 720
"""Pixels: a phone shows them at half the size."""
EDGE = 24
"""What is left free at the sides."""
PAPER, BAND, LINE = "#23262d", "#2c3038", "#3a3f48"
INK, FAINT = "#ece9e3", "#a9afb8"
HIT, HIT_INK, CROSS = "#f2b84b", "#1d1f23", "#403c2f"
FALLBACK = "'Roboto Condensed','Arial Narrow',Arial,sans-serif"
"""What a browser takes that has not our font; each text keeps its width then."""
MOST_ALT = 1_000
"""Letters of what a picture says in words that every platform takes."""

Room = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as SVG text, with the words that say the same (`alt`)."""

    svg: str
    alt: str
    height: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A plot over the events of a game: its `room`, the first and last event, the lowest and
    highest value.
    """

    room: Room
    first: float
    last: float
    low: float
    high: float

    def x(self, number: float) -> float:
        """Where an event is."""
        left, _, right, _ = self.room
        return left + (right - left) * max(0.0, number - self.first) / max(
            1.0, self.last - self.first
        )

    def y(self, value: float) -> float:
        """Where a value is."""
        _, top, _, bottom = self.room
        return top + (bottom - top) * (self.high - value) / (self.high - self.low)

    def build_step_line(self, points: Iterable[tuple[float, float]]) -> list[Place]:
        """The line that begins at 0 and goes to the value of each (event, value) when that
        comes.
        """
        found = [(self.x(self.first), self.y(0))]
        for number, value in points:
            found += [(self.x(number), found[-1][1]), (self.x(number), self.y(value))]
        return found


class Canvas:
    """Where a picture is drawn, from top to bottom, below its title; `top` is how far it has
    come.
    """

    def __init__(self, title: str, *under: str) -> None:
        self.top = 20.0
        self._out: list[str] = []
        self.draw_words(title, 28, bold=True)
        for line in filter(None, under):
            self.draw_words(line, 20, FAINT)

    def draw_box(self, room: Room, fill: str, radius: float = 0, name: str = "") -> None:
        """A filled box; `name` is its class, for whoever looks for it."""
        left, top, right, bottom = room
        round_ = f' rx="{radius:g}"' if radius else ""
        named = f' class="{name}"' if name else ""
        self._out.append(
            f'<rect{named} x="{_format_number(left)}" y="{_format_number(top)}" '
            f'width="{_format_number(right - left)}" height="{_format_number(bottom - top)}"{round_}'
            f' fill="{fill}"/>'
        )

    def draw_frame(self, room: Room, stroke: str, radius: float = 0) -> None:
        """A box that is only its edge."""
        left, top, right, bottom = room
        self._out.append(
            f'<rect x="{_format_number(left)}" y="{_format_number(top)}" '
            f'width="{_format_number(right - left)}" height="{_format_number(bottom - top)}"'
            f' rx="{radius:g}" fill="none" stroke="{stroke}" stroke-width="3"/>'
        )

    def draw_line(self, points: Iterable[Place], stroke: str, thick: float = 3) -> None:
        """A line through these points."""
        through = " ".join(f"{_format_number(x)},{_format_number(y)}" for x, y in points)
        self._out.append(
            f'<polyline points="{through}" fill="none" stroke="{stroke}" stroke-width="{thick:g}"'
            ' stroke-linejoin="round"/>'
        )

    def draw_text(
        self,
        text: str,
        at: Place,
        size: float,
        fill: str = INK,
        *,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """A line of text with its baseline at `at`: its start, middle or end."""
        text = replace_missing_letters(text)
        if not text.strip():
            return
        weight = ' font-weight="700"' if bold else ""
        anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self._out.append(
            f'<text x="{_format_number(at[0])}" y="{_format_number(at[1])}" fill="{fill}" '
            f'font-size="{size:g}"{weight}{anchored}'
            f' textLength="{_format_number(measure_width(text, size, bold))}" '
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
        """Words from the left edge up to `right`, in as many lines as they take."""
        for line in wrap_text(replace_missing_letters(text), right - EDGE, size, bold):
            self.draw_text(line, (EDGE, self.top + size), size, fill, bold=bold)
            self.top += size * 1.3

    def build_picture(self, said: Iterable[str], rows: Iterable[str] = ()) -> Picture:
        """What was drawn, on its card; in words the sentences `said`, then as many `rows` as
        there is room for.
        """
        height = round(self.top)
        alt = _join_rows_in_room(" ".join(said), list(rows))
        # XML cannot hold the others
        title = "".join(sign for sign in alt if sign.isprintable() or sign == " ")
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{height}" viewBox="0 0 {WIDE} {height}"'
            f' role="img" font-family="\'{FAMILY}\',{FALLBACK}"><title>{escape(title)}</title>'
            f'<rect width="{WIDE}" height="{height}" rx="14" fill="{PAPER}"/>{"".join(self._out)}</svg>\n'
        )
        return Picture(svg, alt, height)


def _join_rows_in_room(text: str, rows: list[str]) -> str:
    """The text, then as many rows as there is room for, and how many are left out."""
    for at, row in enumerate(rows):
        rest = f" And {len(rows) - at} more rows."
        if len(text) + len(row) + 1 + len(rest) > MOST_ALT:
            text += rest
            break
        text += f" {row}"
    return text if len(text) <= MOST_ALT else f"{text[: MOST_ALT - 1]}…"


def _format_number(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
