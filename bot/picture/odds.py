"""Odds as a picture: for each target its results worst first, bars by how grave they are, and this or worse."""

from __future__ import annotations

from collections.abc import Iterable

from bot.interface.reply.bars import LEAST, Chance, percent
from bot.interface.reply.parts import Odds, Small
from bot.interface.reply.reply import Reply
from bot.interface.reply.tone import GAME, HURT, NOTHING, SHAKEN
from bot.picture.alt import shortened
from bot.picture.font import drawable, width, wrap
from bot.picture.svg import BAND, CROSS, EDGE, FAINT, HIT, INK, WIDE, Canvas, Picture
from bot.picture.words import lines

COLORS = {HURT: "#e0565b", SHAKEN: "#e8a33d", GAME: "#6fa8dc", NOTHING: "#8a909a"}
"""Of bars, on the dark card: brighter than those beside an answer."""
MOST = 12
"""So many bar charts are in one picture."""
_SIZE, _ROW, _BAR = 24, 40, 24
_LEAST, _PERCENT, _WORDS = 96, 76, 250


def odds_picture(title: str, by: str, charts: Iterable[Odds], small: str = "") -> Picture:
    """What one decides by, then a bar for every result of every target."""
    listed = list(charts)
    canvas = Canvas()
    canvas.top = 20
    lines(canvas, title, 28, bold=True)
    if by:
        lines(canvas, by, 20, FAINT)
    said = [f"{title}{f' ({by})' if by else ''}."]
    for chart in listed[:MOST]:
        canvas.top += 14
        _chart(canvas, chart)
    rest = [f"{len(listed) - MOST} more are in the answer in words."] if len(listed) > MOST else []
    for line in (*rest, small):
        if line:
            canvas.top += 8
            lines(canvas, line, 18, FAINT)
    canvas.top += 16
    return canvas.picture(shortened(said, [*map(_said, listed)]))


def reply_picture(reply: Reply) -> Picture:
    """The picture of an answer with odds: the same figures, and its small print."""
    small = " ".join(part.text for part in reply.lines if isinstance(part, Small))
    return odds_picture(reply.title, reply.by, [part for part in reply.lines if isinstance(part, Odds)], small)


def _chart(canvas: Canvas, chart: Odds) -> None:
    has_least = bool(chart.least)
    right = WIDE - EDGE
    numbers = right - (_LEAST if has_least else 0)
    top = canvas.top
    lines(canvas, chart.heading, _SIZE, bold=True, right=numbers if has_least else right)
    if has_least:
        canvas.text(LEAST, (right, top + _SIZE), 20, FAINT, anchor="end", room=(numbers, top, right, top + _ROW))
    rows = chart.rows
    longest = max((width(drawable(row.word), _SIZE) for row in rows), default=0)
    words = min(_WORDS, longest + 4)
    for at, row in enumerate(rows):
        tone = chart.tones[at] if at < len(chart.tones) else NOTHING
        _row(canvas, row, COLORS.get(tone, COLORS[NOTHING]), (EDGE + words + 16, numbers - _PERCENT), words)


def _row(canvas: Canvas, row: Chance, color: str, bar: tuple[float, float], words: float) -> None:
    size = _SIZE if width(drawable(row.word), _SIZE) <= words else 20
    said = wrap(drawable(row.word), words, size)
    top, high = canvas.top, max(_ROW, len(said) * size * 1.2 + 12)
    canvas.top += high
    middle = top + high / 2
    left, right = bar
    edge = WIDE - EDGE
    numbers = right + _PERCENT
    if row.came:
        canvas.box((EDGE - 10, top + 2, edge + 10, canvas.top - 2), CROSS, 6, "came")
    y = middle - len(said) * size * 0.6 + size * 0.95
    for line in said:
        canvas.text(line, (EDGE, y), size, INK, bold=False, room=(EDGE, top, EDGE + words + 8, canvas.top))
        y += size * 1.2
    canvas.box((left, middle - _BAR / 2, right, middle + _BAR / 2), BAND if not row.came else "#23262d", 4)
    if row.chance > 0:
        long = max(3.0, (right - left) * min(1.0, row.chance))
        canvas.box((left, middle - _BAR / 2, left + long, middle + _BAR / 2), color, 4, "bar")
    base = middle + _SIZE * 0.35
    fill = HIT if row.came else INK
    canvas.text(
        percent(row.chance),
        (numbers, base),
        _SIZE,
        fill,
        bold=True,
        anchor="end",
        room=(right, top, numbers, canvas.top),
    )
    if row.least is not None:
        room = (numbers, top, edge, canvas.top)
        canvas.text(percent(row.least), (edge, base), _SIZE, FAINT, anchor="end", room=room)


def _said(chart: Odds) -> str:
    told = []
    for row in chart.rows:
        least = f" ({LEAST} {percent(row.least)})" if row.least is not None else ""
        came = ", which came up" if row.came else ""
        told.append(f"{row.word} {percent(row.chance)}{least}{came}")
    return f"{chart.heading}: {'; '.join(told)}."
