"""Luck as a page shows it: points scored against points expected, a plot of both, and the rarest
rolls.
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
"""The highest chance of a roll that counts as rare."""
MOST_SHOTS = 3
WIDTH, HEIGHT = 640, 176
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 12, 22
MOST_POINTS, MOST_DOTS = 300, 120
MIN_LABEL_DISTANCE = 44
"""Pixels between the numbers of turns below the plot."""


class LoggedRoll(Protocol):
    """The fields of a row of the log that luck needs."""

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
        """Points above the expected ones."""
        return self.luck.worth - self.luck.mean

    @property
    def deviation(self) -> float:
        """The standard deviation of the expected points."""
        return sqrt(self.luck.variance)


@dataclass(frozen=True, slots=True)
class Course:
    """The rolls that count for a side, in the order of the log."""

    points: tuple[Point, ...]

    @property
    def sentence(self) -> str:
        """A sentence about how unusual the rolls were."""
        return self.points[-1].luck.sentence if self.points else "no rolls to count."


@dataclass(frozen=True, slots=True)
class RareRoll:
    """A roll with the exact chance of its result or a better one; for a failure, or a worse one."""

    row: LoggedRoll
    chance: Fraction

    @property
    def odds(self) -> str:
        """`chance` as `1 in 36`, or in percent if it is above 1 in 4."""
        value = float(self.chance)
        return f"1 in {1 / value:.0f}" if 0 < value <= RARE else f"{value:.0%}"


def compute_luck(rows: Iterable[LoggedRoll], owner: str) -> Course:
    """Return the luck of a side, or in free play of a person."""
    points: list[Point] = []
    luck = Luck()
    for row in rows:
        if row.luck and row.luck["side"] == owner:
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
    """Return the first MOST_SHOTS rolls whose chance is at most RARE.

    `ranked` has the rarest rolls first, each with its chance.
    """
    return [RareRoll(row, chance) for row, chance in ranked if chance <= RARE][:MOST_SHOTS]


def render_luck_svg(
    luck: Course, owner: str, side: int, turns: Sequence[tuple[int, int]], span: tuple[int, int]
) -> Markup:
    """Render the luck of `owner`, event by event, as SVG; "" if no roll counts.

    `side` is the index of its color. `turns` are pairs of a turn and its first event. `span` is the
    event before the first roll of any side, and the last event of the game.
    """
    if not luck.points:
        return Markup("")
    extents = (max(abs(point.ahead), 2 * point.deviation) for point in luck.points)
    reach = max(1.0, *extents) * 1.06
    first_event, last_event = span
    points = _thin_out_points(luck.points)
    dots = points if len(points) <= MOST_DOTS else ()
    end = luck.points[-1]
    frame = Frame(
        (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM), first_event, last_event, -reach, reach
    )
    run = _build_path(frame.build_step_line((point.number, point.ahead) for point in points))
    pieces = [
        f'<svg class="luck side-{side}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="luck-t{side}">',
        f'<title id="luck-t{side}">{escape(f"{owner}: {luck.sentence}")}</title>',
        f'<path class="band2" d="{_build_band(frame, points, 2)}"/>',
        f'<path class="band1" d="{_build_band(frame, points, 1)}"/>',
        *_draw_turns(frame, turns),
        *_draw_grid(frame),
        f'<path class="run" d="{run}"/>',
        *(_draw_dot(frame, point) for point in dots),
        f'<circle class="end" cx="{frame.x(end.number):.1f}" cy="{frame.y(end.ahead):.1f}" r="5"/>',
        f'<path class="head" data-left="{LEFT}" data-width="{WIDTH - LEFT - RIGHT}" data-first="{first_event}" '
        f'data-last="{last_event}" d="M0 {TOP}V{HEIGHT - BOTTOM}" '
        f'transform="translate({frame.x(last_event):.1f} 0)"/></svg>',
    ]
    return Markup("".join(pieces))


def _thin_out_points(points: Sequence[Point]) -> Sequence[Point]:
    """Return the points, or about MOST_POINTS of them at even distances, always with the last."""
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / MOST_POINTS
    return [*(points[int(index * step)] for index in range(MOST_POINTS)), points[-1]]


def _build_path(corners: Iterable[Place]) -> str:
    """Build the data of an SVG path through these corners."""
    return "".join(
        f"{'L' if index else 'M'}{x:.1f} {y:.1f}" for index, (x, y) in enumerate(corners)
    )


def _build_band(frame: Frame, points: Sequence[Point], times: int) -> str:
    """Build the path of the area within `times` standard deviations of the expected points."""
    upper = []
    lower = []
    for point in points:
        x = frame.x(point.number)
        upper.append((x, frame.y(times * point.deviation)))
        lower.append((x, frame.y(-times * point.deviation)))
    start = (frame.x(frame.first), frame.y(0))
    return _build_path([start, *upper, *reversed(lower)]) + "Z"


def _draw_turns(frame: Frame, turns: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield a line at the start of each turn, with its number if there is room for it."""
    last_label = -float(MIN_LABEL_DISTANCE)
    word = "Turn " if len(turns) < 9 else "T"
    for index, (turn, first_event) in enumerate(turns):
        x = frame.x(first_event)
        is_too_close = x - last_label < MIN_LABEL_DISTANCE or x > WIDTH - RIGHT - 24
        if index and is_too_close:
            continue
        last_label = x
        yield f'<path class="turn" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield f'<text class="tick" x="{x + 4:.1f}" y="{HEIGHT - 7}"><tspan class="w">{word}</tspan>{turn}</text>'


def _draw_grid(frame: Frame) -> Iterator[str]:
    """Yield a line at zero, and at one round number above and below it."""
    tick = 1
    while tick * 2.2 < frame.high:
        tick = tick * 2 if str(tick)[0] in "15" else tick * 5 // 2
    for value, name, label in (
        (-tick, "grid", f"−{tick}"),
        (0, "zero", "0"),
        (tick, "grid", f"+{tick}"),
    ):
        y = frame.y(value)
        yield f'<path class="{name}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text class="tick" text-anchor="end" x="{LEFT - 5}" y="{y + 4:.1f}">{label}</text>'


def _draw_dot(frame: Frame, point: Point) -> str:
    """Draw a roll as a dot with its words as a tooltip."""
    title = escape(f"#{point.number} {point.text}: {point.ahead:+.1f}")
    center = f'cx="{frame.x(point.number):.1f}" cy="{frame.y(point.ahead):.1f}"'
    return f'<circle class="pt" data-n="{point.number}" {center} r="3.4"><title>{title}</title></circle>'
