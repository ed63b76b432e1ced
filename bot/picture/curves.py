"""Figures over a game as pictures: luck from roll to roll, losses from turn to turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from bot.picture.alt import shortened
from bot.picture.font import cut, drawable, width
from bot.picture.svg import BAND, EDGE, FAINT, INK, LINE, WIDE, Canvas, Picture
from bot.picture.words import lines

SIDES = ("#6fa8dc", "#f2b84b", "#79c08b", "#c79be0", "#e58a8d", "#9fb3b8")
"""Of sides, in the order of their names; each line and bar has its name or number beside it as well."""
MOST_TURNS = 24
_PLOT, _AXIS, _SIZE = 300, 52, 19

Track = Sequence[tuple[int, float]]
"""The numbers of events, and how far a side was above what was to be expected after each."""


def luck_picture(title: str, luck: Mapping[str, Track]) -> Picture:
    """For each side how its rolls ran against expectation: above the line they were better."""
    canvas = Canvas()
    canvas.top = 20
    lines(canvas, title, 28, bold=True)
    lines(canvas, "points above or below what the odds promise, roll by roll", 20, FAINT)
    _legend(canvas, [f"{name} {_signed(track[-1][1]) if track else '0'}" for name, track in luck.items()])
    values = [value for track in luck.values() for _, value in track] or [0.0]
    low, high, step = _scale(min(0.0, *values), max(0.0, *values))
    numbers = [number for track in luck.values() for number, _ in track] or [1]
    first, last = min(numbers), max(numbers)
    left, right, top = EDGE + _AXIS, WIDE - EDGE, canvas.top + 14
    scale = _PLOT / (high - low)
    for at in range(round((high - low) / step) + 1):
        value = low + at * step
        y = top + (high - value) * scale
        zero = abs(value) < step / 2
        canvas.line([(left, y), (right, y)], FAINT if zero else LINE, 2 if zero else 1)
        room = (0, y - 12, left - 4, y + 12)
        canvas.text(_signed(value), (left - 8, y + 6), 17, FAINT, anchor="end", room=room)
    wide = (right - left) / max(1, last - first + 1)
    for track, color in zip(luck.values(), _colors(len(luck)), strict=True):
        points: list[tuple[float, float]] = [(left, top + high * scale)]
        for number, value in track:
            points += [(left + (number - first + 1) * wide, points[-1][1])]
            points += [(points[-1][0], top + (high - value) * scale)]
        canvas.line([*points, (right, points[-1][1])], color)
    canvas.top = top + _PLOT + 26
    y = canvas.top
    canvas.text(f"#{first}", (left, y), 17, FAINT, room=(left, y - 17, left + 90, y + 8))
    canvas.text(f"#{last}", (right, y), 17, FAINT, anchor="end", room=(right - 90, y - 17, right, y + 8))
    canvas.top += 20
    said = [
        f"{name}: {_signed(track[-1][1]) if track else '0'} points against expectation after {len(track)} rolls, "
        f"best {_signed(max((value for _, value in track), default=0.0))}, "
        f"worst {_signed(min((value for _, value in track), default=0.0))}."
        for name, track in luck.items()
    ]
    return canvas.picture(shortened([f"{title}."], said))


def losses_picture(title: str, turns: Sequence[str], losses: Mapping[str, Sequence[int]]) -> Picture:
    """What each side lost, turn by turn; of a longer game the last turns."""
    turns, shown = list(turns)[-MOST_TURNS:], {name: list(found)[-MOST_TURNS:] for name, found in losses.items()}
    canvas = Canvas()
    canvas.top = 20
    lines(canvas, title, 28, bold=True)
    lines(canvas, "units lost or reduced, turn by turn", 20, FAINT)
    _legend(canvas, [f"{name} {sum(losses[name])}" for name in losses])
    most = max((count for found in shown.values() for count in found), default=0) or 1
    left, right, top = EDGE, WIDE - EDGE, canvas.top + 30
    wide = (right - left) / max(1, len(turns))
    bar = min(40.0, (wide - 8) / max(1, len(shown)))
    bottom = top + _PLOT * 0.8
    for at, turn in enumerate(turns):
        start = left + at * wide + (wide - bar * len(shown)) / 2
        if at % 2 == 0:
            canvas.box((left + at * wide, top - 26, left + (at + 1) * wide, bottom), BAND, 4)
        for place, (found, color) in enumerate(zip(shown.values(), _colors(len(shown)), strict=True)):
            count = found[at] if at < len(found) else 0
            if count:
                x = start + place * bar
                y = bottom - (bottom - top) * count / most
                canvas.box((x + 1, y, x + bar - 1, bottom), color, 3, "bar")
                size = 18 if bar >= width(str(count), 18) else 12
                room = (x - 6, y - 26, x + bar + 6, y)
                canvas.text(str(count), (x + bar / 2, y - 6), size, INK, anchor="middle", room=room)
        size = _SIZE if wide > width(turn, _SIZE) else 12
        middle = left + (at + 0.5) * wide
        room = (left + at * wide, bottom, left + (at + 1) * wide, bottom + 30)
        canvas.text(cut(drawable(turn), wide, size), (middle, bottom + 22), size, FAINT, anchor="middle", room=room)
    canvas.line([(left, bottom), (right, bottom)], FAINT, 2)
    canvas.top = bottom + 46
    said = [
        f"{name}: {sum(losses[name])} in all"
        + "".join(f", turn {turn} {count}" for turn, count in zip(turns, found, strict=False) if count)
        + "."
        for name, found in shown.items()
    ]
    return canvas.picture(shortened([f"{title}."], said))


def _legend(canvas: Canvas, names: Sequence[str]) -> None:
    """The sides, each with its colour, as many in a line as fit."""
    canvas.top += 6
    x, top = float(EDGE), canvas.top
    for name, color in zip(names, _colors(len(names)), strict=True):
        text = cut(drawable(name), WIDE - 2 * EDGE - 30, 21, True)
        wide = 26 + width(text, 21, True) + 26
        if x > EDGE and x + wide - 26 > WIDE - EDGE:
            x, top = float(EDGE), top + 32
        canvas.box((x, top + 5, x + 18, top + 23), color, 4)
        canvas.text(text, (x + 26, top + 21), 21, INK, bold=True, room=(x + 26, top, WIDE - EDGE, top + 30))
        x += wide
    canvas.top = top + 36


def _colors(count: int) -> list[str]:
    return [SIDES[at % len(SIDES)] for at in range(count)]


def _scale(low: float, high: float) -> tuple[float, float, float]:
    """The lowest and highest line, and the step between lines: some four to eight of them, at round numbers."""
    span = max(high - low, 1.0)
    rough = span / 5
    power = 10 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    return floor(low / step) * step, max(ceil(high / step) * step, floor(low / step) * step + step), step


def _signed(value: float) -> str:
    text = f"{round(value, 1):+g}".replace("-", "\u2212")
    return "0" if text in ("+0", "\u22120") else text
