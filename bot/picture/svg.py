"""Shapes and words as SVG text: one opaque card that reads the same in a dark and in a light client."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.picture.font import FAMILY, drawable, width

WIDE = 720
"""Pixels: a phone shows them at half the size."""
EDGE = 24
"""What is left free at the sides."""
PAPER, BAND, LINE = "#23262d", "#2c3038", "#3a3f48"
INK, FAINT = "#ece9e3", "#a9afb8"
HIT, HIT_INK, CROSS = "#f2b84b", "#1d1f23", "#403c2f"
FALLBACK = "'Roboto Condensed','Arial Narrow',Arial,sans-serif"
"""What a browser takes that has not our font; each text keeps its width then."""

Room = tuple[float, float, float, float]
"""Left, top, right, bottom."""
EMPTY: Room = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of text: how far it reaches, and the room that it has."""

    text: str
    reach: Room
    room: Room


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as SVG text, with the words that say the same (`alt`)."""

    svg: str
    alt: str
    height: int
    placed: tuple[Placed, ...] = field(default=(), repr=False, compare=False)


class Canvas:
    """Where a picture is drawn, from top to bottom; `top` is how far it has come."""

    def __init__(self) -> None:
        self.top = 0.0
        self._out: list[str] = []
        self._placed: list[Placed] = []

    def box(self, room: Room, fill: str, radius: float = 0, name: str = "") -> None:
        """A filled box; `name` is its class, for whoever looks for it."""
        left, top, right, bottom = room
        round_ = f' rx="{radius:g}"' if radius else ""
        named = f' class="{name}"' if name else ""
        self._out.append(
            f'<rect{named} x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" height="{_n(bottom - top)}"{round_}'
            f' fill="{fill}"/>'
        )

    def frame(self, room: Room, stroke: str, radius: float = 0) -> None:
        """A box that is only its edge."""
        left, top, right, bottom = room
        self._out.append(
            f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" height="{_n(bottom - top)}"'
            f' rx="{radius:g}" fill="none" stroke="{stroke}" stroke-width="3"/>'
        )

    def line(self, points: list[tuple[float, float]], stroke: str, thick: float = 3) -> None:
        """A line through these points."""
        through = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._out.append(
            f'<polyline points="{through}" fill="none" stroke="{stroke}" stroke-width="{thick:g}"'
            ' stroke-linejoin="round"/>'
        )

    def text(
        self,
        text: str,
        at: tuple[float, float],
        size: float,
        fill: str = INK,
        *,
        bold: bool = False,
        anchor: str = "start",
        room: Room = EMPTY,
    ) -> None:
        """A line of text with its baseline at `at`: its start, middle or end. `room` is what it must keep to."""
        text = drawable(text)
        if not text.strip():
            return
        wide, (x, y) = width(text, size, bold), at
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        reach = (left, y - size * 0.74, left + wide, y + size * 0.22)
        self._placed.append(Placed(text, reach, room if room != EMPTY else (0, 0, WIDE, y + size)))
        weight = ' font-weight="700"' if bold else ""
        anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self._out.append(
            f'<text x="{_n(x)}" y="{_n(y)}" fill="{fill}" font-size="{size:g}"{weight}{anchored}'
            f' textLength="{_n(wide)}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    def picture(self, alt: str) -> Picture:
        """What was drawn, on its card."""
        height = round(self.top)
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{height}" viewBox="0 0 {WIDE} {height}"'
            f' role="img" font-family="\'{FAMILY}\',{FALLBACK}"><title>{escape(_printable(alt))}</title>'
            f'<rect width="{WIDE}" height="{height}" rx="14" fill="{PAPER}"/>{"".join(self._out)}</svg>\n'
        )
        return Picture(svg, alt, height, tuple(self._placed))


def escape(text: str) -> str:
    """The text as XML takes it."""
    for sign, word in _ENTITIES:
        text = text.replace(sign, word)
    return text


_ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;"))


def _printable(text: str) -> str:
    """Without the signs that XML cannot hold."""
    return "".join(sign for sign in text if sign.isprintable() or sign == " ")


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
