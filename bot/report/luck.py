"""Luck as a page tells it: what results were worth against what the odds promised, its plot, and
shots to tell of.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Protocol

from markupsafe import Markup, escape

from bot.charts.svg import Frame, Place
from bot.game.luck import Luck, rank_by_chance, worth_from_json
from bot.game.state import Json

RARE = Fraction(1, 4)
"""The likeliest that a shot may be and still be told of."""
MOST_SHOTS = 3
WIDTH, HEIGHT = 640, 176
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 12, 22
MOST_POINTS, MOST_DOTS = 300, 120
ROOM = 44
"""So far apart are the names of turns below the plot."""


class LoggedRoll(Protocol):
    """A row of the log as luck reads it."""

    number: int
    luck: Json
    head: str
    what: str


@dataclass(frozen=True, slots=True)
class Point:
    """The luck of a side after one more roll, and the words of that roll."""

    number: int
    luck: Luck
    text: str

    @property
    def ahead(self) -> float:
        """Points above expectation."""
        return self.luck.worth - self.luck.mean

    @property
    def deviation(self) -> float:
        """The standard deviation of what was to be expected."""
        return sqrt(self.luck.variance)


@dataclass(frozen=True, slots=True)
class Course:
    """All rolls of a side that count, one after another."""

    points: tuple[Point, ...]

    @property
    def sentence(self) -> str:
        """Return a sentence that says how unusual the rolls were."""
        return self.points[-1].luck.sentence if self.points else "no rolls to count."


@dataclass(frozen=True, slots=True)
class RareRoll:
    """A roll worth telling, with the exact chance of so much or more, or of so little or less."""

    row: LoggedRoll
    chance: Fraction

    @property
    def odds(self) -> str:
        """`1 in 36`, or in percent when that is likelier than 1 in 4."""
        value = float(self.chance)
        return f"1 in {1 / value:.0f}" if 0 < value <= RARE else f"{value:.0%}"


def compute_luck(rows: Iterable[LoggedRoll], whose: str) -> Course:
    """Return the luck of a side, or in free play of a person."""
    points: list[Point] = []
    luck = Luck()
    for row in rows:
        if row.luck and row.luck["side"] == whose:
            luck = luck.plus(worth_from_json(row.luck))
            points.append(Point(row.number, luck, row.head))
    return Course(tuple(points))


def find_rarest_rolls(rows: Iterable[LoggedRoll]) -> tuple[list[RareRoll], list[RareRoll]]:
    """Return the least likely successes and the least likely failures, the rarest first."""
    successes, failures = rank_by_chance(
        (row, worth_from_json(row.luck)) for row in rows if row.luck
    )
    return _build_rare_rolls(successes), _build_rare_rolls(failures)


def _build_rare_rolls(ranked: list[tuple[LoggedRoll, Fraction]]) -> list[RareRoll]:
    return [RareRoll(row, chance) for row, chance in ranked if chance <= RARE][:MOST_SHOTS]


def render_luck_svg(
    luck: Course, whose: str, side: int, turns: Sequence[tuple[int, int]], span: tuple[int, int]
) -> Markup:
    """The plot of one side, event by event; none without a roll that counts. `turns` are (turn,
    first event), `span` the event before the first roll of anybody, and the last event."""
    if not luck.points:
        return Markup("")
    reach = max(1.0, *(max(abs(point.ahead), 2 * point.deviation) for point in luck.points)) * 1.06
    (first, last), points, end = span, _thin_out_points(luck.points), luck.points[-1]
    frame = Frame((LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM), first, last, -reach, reach)
    pieces = [
        f'<svg class="luck side-{side}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="luck-t{side}">',
        f'<title id="luck-t{side}">{escape(f"{whose}: {luck.sentence}")}</title>',
        *(
            f'<path class="band{times}" d="{_build_band(frame, points, times)}"/>'
            for times in (2, 1)
        ),
        *_draw_turns(frame, turns),
        *_draw_grid(frame),
        '<path class="run" '
        f'd="{_build_path(frame.build_step_line((point.number, point.ahead) for point in points))}"/>',
        *(_draw_dot(frame, point) for point in (points if len(points) <= MOST_DOTS else ())),
        f'<circle class="end" cx="{frame.x(end.number):.1f}" cy="{frame.y(end.ahead):.1f}" r="5"/>',
        f'<path class="head" data-left="{LEFT}" data-width="{WIDTH - LEFT - RIGHT}" data-first="{first}" '
        f'data-last="{last}" d="M0 {TOP}V{HEIGHT - BOTTOM}" transform="translate({frame.x(last):.1f} 0)"/></svg>',
    ]
    return Markup("".join(pieces))


def _thin_out_points(points: Sequence[Point]) -> Sequence[Point]:
    """At most so many points as can be told apart, the last one among them."""
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / MOST_POINTS
    return [*(points[int(at * step)] for at in range(MOST_POINTS)), points[-1]]


def _build_path(places: Iterable[Place]) -> str:
    return "".join(f"{'L' if at else 'M'}{x:.1f} {y:.1f}" for at, (x, y) in enumerate(places))


def _build_band(frame: Frame, points: Sequence[Point], times: int) -> str:
    """Between so many standard deviations above and below."""
    above = [(frame.x(point.number), frame.y(times * point.deviation)) for point in points]
    below = [
        (frame.x(point.number), frame.y(-times * point.deviation)) for point in reversed(points)
    ]
    return _build_path([(frame.x(frame.first), frame.y(0)), *above, *below]) + "Z"


def _draw_turns(frame: Frame, turns: Sequence[tuple[int, int]]) -> Iterator[str]:
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


def _draw_grid(frame: Frame) -> Iterator[str]:
    """Zero, and a round number above and below it."""
    tick = 1
    while tick * 2.2 < frame.high:
        tick = tick * 2 if str(tick)[0] in "15" else tick * 5 // 2
    for value in (-tick, 0, tick):
        sign = "+" if value > 0 else "−" if value < 0 else ""
        y = frame.y(value)
        yield f'<path class="{"grid" if value else "zero"}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text class="tick" text-anchor="end" x="{LEFT - 5}" y="{y + 4:.1f}">{sign}{abs(value)}</text>'


def _draw_dot(frame: Frame, point: Point) -> str:
    title = escape(f"#{point.number} {point.text}: {point.ahead:+.1f}")
    place = f'cx="{frame.x(point.number):.1f}" cy="{frame.y(point.ahead):.1f}"'
    return f'<circle class="pt" data-n="{point.number}" {place} r="3.4"><title>{title}</title></circle>'
