"""Luck as a page tells it: what results were worth against what the odds promised, its plot, and shots to tell of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Protocol

from markupsafe import Markup, escape

from bot.game.luck import ENOUGH, SAME, unusual
from bot.game.state import Json
from bot.picture.svg import Frame, Place

RARE = Fraction(1, 4)
"""The likeliest that a shot may be and still be told of."""
MOST_SHOTS = 3
WIDTH, HEIGHT = 640, 176
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 12, 22
MOST_POINTS, MOST_DOTS = 300, 120
ROOM = 44
"""So far apart are the names of turns below the plot."""


class Rolled(Protocol):
    """A row of the log as luck reads it."""

    number: int
    luck: Json
    head: str
    what: str
    undone: bool
    hand: bool


@dataclass(frozen=True, slots=True)
class Point:
    """How it was after one roll: worth so far, what was to be expected, its standard deviation."""

    number: int
    worth: float
    mean: float
    deviation: float
    text: str

    @property
    def ahead(self) -> float:
        """Worth less expectation."""
        return self.worth - self.mean


@dataclass(frozen=True, slots=True)
class Course:
    """All rolls of a side that count, one after another."""

    points: tuple[Point, ...]

    @property
    def sentence(self) -> str:
        """How unusual it was, in plain words; nothing is said about luck below 30 rolls."""
        if not self.points:
            return "no rolls to count."
        end, count = self.points[-1], len(self.points)
        rolls = f"{count} {'roll' if count == 1 else 'rolls'}"
        told = f"results worth {end.worth:g} against {end.mean:.1f} expected, in {rolls}"
        if count < ENOUGH or end.deviation <= 0:
            return f"{told}: too few to speak of luck."
        word, of = unusual(end.ahead / end.deviation)
        said = f". {word.capitalize()} than {of} of 100 such games." if word else ": about what the odds promise."
        return f"{told}{said}"


@dataclass(frozen=True, slots=True)
class Shot:
    """A roll worth telling, with the exact chance of so much or more, or of so little or less."""

    row: Rolled
    chance: Fraction

    @property
    def odds(self) -> str:
        """`1 in 36`, or in percent when that is likelier than 1 in 4."""
        value = float(self.chance)
        return f"1 in {1 / value:.0f}" if 0 < value <= RARE else f"{value:.0%}"


def _counted(rows: Iterable[Rolled]) -> Iterator[Rolled]:
    """Those that count; dice by hand and what was taken back do not."""
    return (row for row in rows if row.luck and not row.undone and not row.hand)


def luck_of(rows: Iterable[Rolled], whose: str) -> Course:
    """The luck of a side."""
    points: list[Point] = []
    worth = mean = variance = 0.0
    for row in _counted(rows):
        if row.luck["side"] == whose:
            worth, mean, variance = worth + row.luck["got"], mean + row.luck["mean"], variance + row.luck["var"]
            points.append(Point(row.number, worth, mean, sqrt(variance), row.head))
    return Course(tuple(points))


def shots(rows: Iterable[Rolled]) -> tuple[list[Shot], list[Shot]]:
    """The least likely successes and the least likely failures, the rarest first."""
    counted = [row for row in _counted(rows) if "least" in row.luck and row.luck["var"] > 0]
    best = [Shot(row, Fraction(row.luck["least"])) for row in counted if row.luck["got"] > row.luck["mean"] + SAME]
    worst = [Shot(row, Fraction(row.luck["most"])) for row in counted if row.luck["got"] < row.luck["mean"] - SAME]
    return _rarest(best), _rarest(worst)


def _rarest(found: list[Shot]) -> list[Shot]:
    return sorted((shot for shot in found if shot.chance <= RARE), key=lambda shot: shot.chance)[:MOST_SHOTS]


def luck_svg(luck: Course, whose: str, side: int, turns: Sequence[tuple[int, int]], span: tuple[int, int]) -> Markup:
    """The plot of one side, event by event; none without a roll that counts. `turns` are (turn, first event), `span`
    the event before the first roll of anybody, and the last event."""
    if not luck.points:
        return Markup("")
    reach = max(1.0, *(max(abs(point.ahead), 2 * point.deviation) for point in luck.points)) * 1.06
    (first, last), points, end = span, _fewer(luck.points), luck.points[-1]
    frame = Frame((LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM), first, last, -reach, reach)
    pieces = [
        f'<svg class="luck side-{side}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="luck-t{side}">',
        f'<title id="luck-t{side}">{escape(f"{whose}: {luck.sentence}")}</title>',
        *(f'<path class="band{times}" d="{_band(frame, points, times)}"/>' for times in (2, 1)),
        *_turns(frame, turns),
        *_grid(frame),
        f'<path class="run" d="{_line(frame.steps((point.number, point.ahead) for point in points))}"/>',
        *(_dot(frame, point) for point in (points if len(points) <= MOST_DOTS else ())),
        f'<circle class="end" cx="{frame.x(end.number):.1f}" cy="{frame.y(end.ahead):.1f}" r="5"/>',
        f'<path class="head" data-left="{LEFT}" data-width="{WIDTH - LEFT - RIGHT}" data-first="{first}" '
        f'data-last="{last}" d="M0 {TOP}V{HEIGHT - BOTTOM}" transform="translate({frame.x(last):.1f} 0)"/></svg>',
    ]
    return Markup("".join(pieces))


def _fewer(points: Sequence[Point]) -> Sequence[Point]:
    """At most so many points as can be told apart, the last one among them."""
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / MOST_POINTS
    return [*(points[int(at * step)] for at in range(MOST_POINTS)), points[-1]]


def _line(places: Iterable[Place]) -> str:
    return "".join(f"{'L' if at else 'M'}{x:.1f} {y:.1f}" for at, (x, y) in enumerate(places))


def _band(frame: Frame, points: Sequence[Point], times: int) -> str:
    """Between so many standard deviations above and below."""
    above = [(frame.x(point.number), frame.y(times * point.deviation)) for point in points]
    below = [(frame.x(point.number), frame.y(-times * point.deviation)) for point in reversed(points)]
    return _line([(frame.x(frame.first), frame.y(0)), *above, *below]) + "Z"


def _turns(frame: Frame, turns: Sequence[tuple[int, int]]) -> Iterator[str]:
    """A line where each turn begins, and its number where there is room."""
    labelled = -float(ROOM)
    word = "Turn " if len(turns) < 9 else "T"
    for at, (turn, first) in enumerate(turns):
        x = frame.x(first)
        if at and (x - labelled < ROOM or x > WIDTH - RIGHT - 24):
            continue
        labelled = x
        yield f'<path class="turn" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield f'<text class="tick" x="{x + 4:.1f}" y="{HEIGHT - 7}"><tspan class="w">{word}</tspan>{turn}</text>'


def _grid(frame: Frame) -> Iterator[str]:
    """Zero, and a round number above and below it."""
    tick = 1
    while tick * 2.2 < frame.high:
        tick = tick * 2 if str(tick)[0] in "15" else tick * 5 // 2
    for value in (-tick, 0, tick):
        sign = "+" if value > 0 else "−" if value < 0 else ""
        y = frame.y(value)
        yield f'<path class="{"grid" if value else "zero"}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text class="tick" text-anchor="end" x="{LEFT - 5}" y="{y + 4:.1f}">{sign}{abs(value)}</text>'


def _dot(frame: Frame, point: Point) -> str:
    title = escape(f"#{point.number} {point.text}: {point.ahead:+.1f}")
    place = f'cx="{frame.x(point.number):.1f}" cy="{frame.y(point.ahead):.1f}"'
    return f'<circle class="pt" data-n="{point.number}" {place} r="3.4"><title>{title}</title></circle>'
