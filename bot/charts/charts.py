"""Charts as pictures: odds as bars for each target, luck from roll to roll, losses from turn to
turn, and what is left of a deck: each of its cards as a chip, and only as its name where none is
left."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10

from bot.charts.font import measure_width, replace_missing_letters, shorten_text, wrap_text
from bot.charts.svg import (
    BAND,
    CROSS,
    EDGE,
    FAINT,
    HIT,
    HIT_INK,
    INK,
    LINE,
    PAPER,
    WIDE,
    Canvas,
    Frame,
    Picture,
)
from bot.ui.reply.bars import LEAST, Chance, format_percent
from bot.ui.reply.parts import Odds, Small
from bot.ui.reply.reply import GAME, HURT, NOTHING, SHAKEN, Reply

COLORS = {HURT: "#e0565b", SHAKEN: "#e8a33d", GAME: "#6fa8dc", NOTHING: "#8a909a"}
"""Of bars, on the dark card: brighter than those beside an answer."""
MOST = 12
"""So many bar charts are in one picture."""
SIDES = ("#6fa8dc", "#f2b84b", "#79c08b", "#c79be0", "#e58a8d", "#9fb3b8")
"""Of sides, in the order of their names; each line and bar has its name or number beside it as
well.
"""
MOST_TURNS = 24
MOST_CARDS = 150
"""Different cards of a picture; the others are in the answer in words."""
_SIZE, _ROW, _BAR = 24, 40, 24
_LEAST, _PERCENT, _WORDS = 96, 76, 250
_PLOT, _AXIS = 300, 52
_CHIP, _DEEP, _PAD, _GAP = 22, 42, 10, 8
_RIGHT = WIDE - EDGE

Track = Sequence[tuple[int, float]]
"""The numbers of events, and how far a side was above what was to be expected after each."""


def render_odds(title: str, by: str, charts: Iterable[Odds], small: str = "") -> Picture:
    """What one decides by, then a bar for every result of every target."""
    listed = list(charts)
    canvas = Canvas(title, by)
    for chart in listed[:MOST]:
        canvas.top += 14
        _draw_chart(canvas, chart)
    rest = [f"{len(listed) - MOST} more are in the answer in words."] if len(listed) > MOST else []
    for line in filter(None, (*rest, small)):
        canvas.top += 8
        canvas.draw_words(line, 18, FAINT)
    canvas.top += 16
    return canvas.build_picture(
        [f"{title}{f' ({by})' if by else ''}."], map(_describe_chart, listed)
    )


def render_reply_odds(reply: Reply) -> Picture:
    """The picture of an answer with odds: the same figures, and its small print."""
    small = " ".join(part.text for part in reply.lines if isinstance(part, Small))
    return render_odds(
        reply.title, reply.by, [part for part in reply.lines if isinstance(part, Odds)], small
    )


def _draw_chart(canvas: Canvas, chart: Odds) -> None:
    numbers = _RIGHT - (_LEAST if chart.least else 0)
    top = canvas.top
    canvas.draw_words(chart.heading, _SIZE, bold=True, right=numbers)
    if chart.least:
        canvas.draw_text(LEAST, (_RIGHT, top + _SIZE), 20, FAINT, anchor="end")
    words = min(
        _WORDS,
        max(
            (measure_width(replace_missing_letters(row.word), _SIZE) for row in chart.rows),
            default=0,
        )
        + 4,
    )
    for at, row in enumerate(chart.rows):
        tone = chart.tones[at] if at < len(chart.tones) else NOTHING
        _draw_row(canvas, row, COLORS.get(tone, COLORS[NOTHING]), words, numbers)


def _draw_row(canvas: Canvas, row: Chance, color: str, words: float, numbers: float) -> None:
    """A result: its words in so much room, its bar, and its percentages, which end at `numbers`
    and at the edge.
    """
    size = _SIZE if measure_width(replace_missing_letters(row.word), _SIZE) <= words else 20
    said = wrap_text(replace_missing_letters(row.word), words, size)
    top = canvas.top
    high = max(_ROW, len(said) * size * 1.2 + 12)
    canvas.top += high
    middle = top + high / 2
    left = EDGE + words + 16
    right = numbers - _PERCENT
    if row.came:
        canvas.draw_box((EDGE - 10, top + 2, _RIGHT + 10, canvas.top - 2), CROSS, 6, "came")
    for at, line in enumerate(said):
        canvas.draw_text(line, (EDGE, middle + size * (0.95 - len(said) * 0.6 + at * 1.2)), size)
    canvas.draw_box(
        (left, middle - _BAR / 2, right, middle + _BAR / 2), PAPER if row.came else BAND, 4
    )
    if row.chance > 0:
        long = max(3.0, (right - left) * min(1.0, row.chance))
        canvas.draw_box((left, middle - _BAR / 2, left + long, middle + _BAR / 2), color, 4, "bar")
    base = middle + _SIZE * 0.35
    canvas.draw_text(
        format_percent(row.chance),
        (numbers, base),
        _SIZE,
        HIT if row.came else INK,
        bold=True,
        anchor="end",
    )
    if row.least is not None:
        canvas.draw_text(format_percent(row.least), (_RIGHT, base), _SIZE, FAINT, anchor="end")


def _describe_chart(chart: Odds) -> str:
    told = []
    for row in chart.rows:
        least = f" ({LEAST} {format_percent(row.least)})" if row.least is not None else ""
        came = ", which came up" if row.came else ""
        told.append(f"{row.word} {format_percent(row.chance)}{least}{came}")
    return f"{chart.heading}: {'; '.join(told)}."


def render_luck(title: str, luck: Mapping[str, Track]) -> Picture:
    """For each side how its rolls ran against expectation: above the line they were better."""
    canvas = Canvas(title, "points above or below what the odds promise, roll by roll")
    _draw_legend(
        canvas,
        [
            f"{name} {_format_signed(track[-1][1]) if track else '0'}"
            for name, track in luck.items()
        ],
    )
    points = [point for track in luck.values() for point in track] or [(1, 0.0)]
    first = min(points)[0]
    last = max(points)[0]
    low, high, step = _choose_scale(
        min(0.0, *(value for _, value in points)), max(0.0, *(value for _, value in points))
    )
    left = EDGE + _AXIS
    top = canvas.top + 14
    frame = Frame((left, top, _RIGHT, top + _PLOT), first - 1, last, low, high)
    for at in range(round((high - low) / step) + 1):
        value = low + at * step
        y = frame.y(value)
        is_zero = abs(value) < step / 2
        canvas.draw_line([(left, y), (_RIGHT, y)], FAINT if is_zero else LINE, 2 if is_zero else 1)
        canvas.draw_text(_format_signed(value), (left - 8, y + 6), 17, FAINT, anchor="end")
    for track, color in zip(luck.values(), _list_colors(len(luck)), strict=True):
        steps = frame.build_step_line(track)
        canvas.draw_line([*steps, (_RIGHT, steps[-1][1])], color)
    canvas.top = top + _PLOT + 26
    canvas.draw_text(f"#{first}", (left, canvas.top), 17, FAINT)
    canvas.draw_text(f"#{last}", (_RIGHT, canvas.top), 17, FAINT, anchor="end")
    canvas.top += 20
    return canvas.build_picture(
        [f"{title}."],
        (_describe_luck(name, [value for _, value in track]) for name, track in luck.items()),
    )


def _describe_luck(name: str, values: Sequence[float]) -> str:
    """How the luck of a side ran, in words."""
    end, best, worst = map(
        _format_signed, (values[-1], max(values), min(values)) if values else (0.0, 0.0, 0.0)
    )
    return f"{name}: {end} points against expectation after {len(values)} rolls, best {best}, worst {worst}."


def render_losses(
    title: str, turns: Sequence[str], losses: Mapping[str, Sequence[int]], totals: Mapping[str, str]
) -> Picture:
    """Draw what each side lost, turn by turn; of a longer game the last turns.

    `totals` say in words what each side has lost in all: a unit that is weakened and then lost is
    in two bars.
    """
    turns = list(turns)[-MOST_TURNS:]
    shown = {name: list(found)[-MOST_TURNS:] for name, found in losses.items()}
    canvas = Canvas(title, "units lost or reduced, turn by turn")
    _draw_legend(canvas, [f"{name} {totals[name]}" for name in losses])
    top = canvas.top + 30
    bottom = top + _PLOT * 0.8
    wide = (_RIGHT - EDGE) / max(1, len(turns))
    most = max((count for found in shown.values() for count in found), default=0) or 1
    bar = min(40.0, (wide - 8) / max(1, len(shown)))
    for at, turn in enumerate(turns):
        left = EDGE + at * wide
        start = left + (wide - bar * len(shown)) / 2
        if at % 2 == 0:
            canvas.draw_box((left, top - 26, left + wide, bottom), BAND, 4)
        for place, (found, color) in enumerate(
            zip(shown.values(), _list_colors(len(shown)), strict=True)
        ):
            if count := found[at] if at < len(found) else 0:
                x = start + place * bar
                y = bottom - (bottom - top) * count / most
                canvas.draw_box((x + 1, y, x + bar - 1, bottom), color, 3, "bar")
                size = 18 if bar >= measure_width(str(count), 18) else 12
                canvas.draw_text(str(count), (x + bar / 2, y - 6), size, anchor="middle")
        size = 19 if wide > measure_width(turn, 19) else 12
        canvas.draw_text(
            shorten_text(replace_missing_letters(turn), wide, size),
            (left + wide / 2, bottom + 22),
            size,
            FAINT,
            anchor="middle",
        )
    canvas.draw_line([(EDGE, bottom), (_RIGHT, bottom)], FAINT, 2)
    canvas.top = bottom + 46
    said = []
    for name, found in shown.items():
        lost = [
            f", turn {turn}: {count}" for turn, count in zip(turns, found, strict=False) if count
        ]
        said.append(f"{name}: {totals[name]}{''.join(lost)}.")
    return canvas.build_picture([f"{title}."], said)


def render_deck(
    title: str, under: str, where: str, listed: Sequence[tuple[str, int, int]], lines: Sequence[str]
) -> Picture:
    """(its name, how many are `where` all can tell no more, how many there are) of each card in the
    order of the deck; then in words where the others are."""
    canvas = Canvas(title, under)
    left = float(EDGE)
    canvas.draw_words(f"{where}:", 20, FAINT)
    canvas.top += 10
    for name, count, all in listed[:MOST_CARDS]:
        said = shorten_text(
            replace_missing_letters(f"{name} {count} of {all}" if all > 1 else name),
            _RIGHT - EDGE - 2 * _PAD,
            _CHIP,
        )
        wide = measure_width(said, _CHIP, True) + 2 * _PAD
        if left + wide > _RIGHT:
            left = float(EDGE)
            canvas.top = canvas.top + _DEEP
        room = (left, canvas.top, left + wide, canvas.top + _DEEP - _GAP)
        if count:
            canvas.draw_box(room, HIT if count == all else BAND, 6, "left")
        fill = HIT_INK if count == all else INK if count else FAINT
        canvas.draw_text(said, (left + _PAD, canvas.top + _CHIP + 2), _CHIP, fill, bold=True)
        left += wide + _GAP
    canvas.top += _DEEP + 4
    more = (
        [f"{len(listed) - MOST_CARDS} more are in the answer in words."]
        if len(listed) > MOST_CARDS
        else []
    )
    for line in (*more, *lines):
        canvas.draw_words(line, 20, FAINT)
    canvas.top += 14
    there = [
        f"{name} {count} of {all}" if all > 1 else name for name, count, all in listed if count
    ]
    return canvas.build_picture(
        [f"{title}.", f"{under}.", *(f"{line}." for line in lines), f"{where}:"], there
    )


def _draw_legend(canvas: Canvas, names: Sequence[str]) -> None:
    """The sides, each with its colour, as many in a line as fit."""
    x = float(EDGE)
    top = canvas.top + 6
    for name, color in zip(names, _list_colors(len(names)), strict=True):
        text = shorten_text(replace_missing_letters(name), _RIGHT - EDGE - 30, 21, True)
        wide = 26 + measure_width(text, 21, True)
        if x > EDGE and x + wide > _RIGHT:
            x = float(EDGE)
            top = top + 32
        canvas.draw_box((x, top + 5, x + 18, top + 23), color, 4)
        canvas.draw_text(text, (x + 26, top + 21), 21, bold=True)
        x += wide + 26
    canvas.top = top + 36


def _list_colors(count: int) -> list[str]:
    return [SIDES[at % len(SIDES)] for at in range(count)]


def _choose_scale(low: float, high: float) -> tuple[float, float, float]:
    """The lowest and highest line, and the step between lines: some four to eight of them, at
    round numbers.
    """
    rough = max(high - low, 1.0) / 5
    power = 10 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    return (
        floor(low / step) * step,
        max(ceil(high / step) * step, floor(low / step) * step + step),
        step,
    )


def _format_signed(value: float) -> str:
    text = f"{round(value, 1):+g}".replace("-", "\u2212")
    return "0" if text in ("+0", "\u22120") else text
