"""The plot of luck: what results were worth less what was to be expected, event by event, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from bot.report.luck import Luck, Point

WIDTH, HEIGHT = 640, 176
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 12, 22
MOST_POINTS, MOST_DOTS = 300, 120
ROOM = 44
"""So far apart are the names of turns below the plot."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where events and points are in the plot."""

    first: int
    last: int
    reach: float

    def x(self, number: float) -> float:
        far = max(0.0, number - self.first) / max(self.last - self.first, 1)
        return LEFT + (WIDTH - LEFT - RIGHT) * far

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.reach - value) / (2 * self.reach)


def luck_svg(luck: Luck, whose: str, side: int, turns: Sequence[tuple[int, int]], span: tuple[int, int]) -> Markup:
    """The plot of one side; none without a roll that counts. `turns` are (turn, first event), `span` the event before
    the first roll of anybody, and the last event."""
    if not luck.points:
        return Markup("")
    reach = max(1.0, *(max(abs(point.ahead), 2 * point.deviation) for point in luck.points)) * 1.06
    first, last = span
    frame, points = _Frame(first, last, reach), _fewer(luck.points)
    steps = [(frame.x(first), frame.y(0))]
    for point in points:
        steps += [(frame.x(point.number), steps[-1][1]), (frame.x(point.number), frame.y(point.ahead))]
    end = points[-1]
    title = f"{whose}: {luck.sentence}"
    pieces = [
        f'<svg class="luck side-{side}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="luck-t{side}">',
        f'<title id="luck-t{side}">{escape(title)}</title>',
        f'<path class="band2" d="{_band(frame, points, 2)}"/><path class="band1" d="{_band(frame, points, 1)}"/>',
        *_turns(frame, turns),
        *_grid(frame),
        f'<path class="run" d="{_line(steps)}"/>',
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


def _line(places: Iterable[tuple[float, float]]) -> str:
    return "".join(f"{'L' if at else 'M'}{x:.1f} {y:.1f}" for at, (x, y) in enumerate(places))


def _band(frame: _Frame, points: Sequence[Point], times: int) -> str:
    """Between so many standard deviations above and below."""
    above = [(frame.x(point.number), frame.y(times * point.deviation)) for point in points]
    below = [(frame.x(point.number), frame.y(-times * point.deviation)) for point in reversed(points)]
    return _line([(frame.x(frame.first), frame.y(0)), *above, *below]) + "Z"


def _turns(frame: _Frame, turns: Sequence[tuple[int, int]]) -> Iterable[str]:
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


def _grid(frame: _Frame) -> Iterable[str]:
    """Zero, and a round number above and below it."""
    tick = 1
    while tick * 2.2 < frame.reach:
        tick = tick * 2 if str(tick)[0] in "15" else tick * 5 // 2
    for value in (-tick, 0, tick):
        sign = "+" if value > 0 else "−" if value < 0 else ""
        y = frame.y(value)
        yield f'<path class="{"grid" if value else "zero"}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text class="tick" text-anchor="end" x="{LEFT - 5}" y="{y + 4:.1f}">{sign}{abs(value)}</text>'


def _dot(frame: _Frame, point: Point) -> str:
    title = escape(f"#{point.number} {point.text}: {point.ahead:+.1f}")
    return (
        f'<circle class="pt" data-n="{point.number}" cx="{frame.x(point.number):.1f}" '
        f'cy="{frame.y(point.ahead):.1f}" r="3.4"><title>{title}</title></circle>'
    )
