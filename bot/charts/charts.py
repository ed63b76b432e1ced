"""Charts as pictures: the odds of each target as bars, luck from roll to roll, losses from turn to
turn, and the cards that are left in a deck as chips.
"""

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
    Room,
)
from bot.ui.reply.bars import LEAST, Chance
from bot.ui.reply.parts import Odds, Small
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import GAME, HURT, NOTHING, SHAKEN, Reply

COLORS = {HURT: "#e0565b", SHAKEN: "#e8a33d", GAME: "#6fa8dc", NOTHING: "#8a909a"}
"""Colors of bars, by how grave a result is. They are brighter than those of answers in a chat."""
MOST = 12
"""Maximum number of bar charts in a picture."""
SIDES = ("#6fa8dc", "#f2b84b", "#79c08b", "#c79be0", "#e58a8d", "#9fb3b8")
"""Colors of sides, in their order. Each line and bar also has a name or a number."""
MOST_TURNS = 24
MOST_CARDS = 150
"""Maximum number of different cards in a picture. The answer in words has all of them."""
_SIZE, _ROW, _BAR = 24, 40, 24
_LEAST, _PERCENT, _MAX_WORDS = 96, 76, 250
_PLOT, _AXIS = 300, 52
_CHIP, _DEEP, _PAD, _GAP = 22, 42, 10, 8
_RIGHT = WIDE - EDGE

Track = Sequence[tuple[int, float]]
"""(number of an event, points above the expected ones after it) for each roll of a side."""


def render_odds(title: str, by: str, charts: Iterable[Odds], small: str = "") -> Picture:
    """Draw the odds of each target as bars, a bar for each result.

    `by` says what the odds depend on. `small` is the small print below the charts.
    """
    charts = list(charts)
    canvas = Canvas(title, by)
    for chart in charts[:MOST]:
        canvas.top += 14
        _draw_chart(canvas, chart)
    notes = []
    if len(charts) > MOST:
        notes.append(f"{len(charts) - MOST} more are listed in the answer itself.")
    if small:
        notes.append(small)
    for note in notes:
        canvas.top += 8
        canvas.draw_words(note, 18, FAINT)
    canvas.top += 16
    headline = f"{title} ({by})." if by else f"{title}."
    return canvas.build_picture([headline], map(_describe_chart, charts))


def render_reply_odds(reply: Reply) -> Picture:
    """Draw the odds of an answer, with its small print."""
    small = " ".join(part.text for part in reply.lines if isinstance(part, Small))
    charts = [part for part in reply.lines if isinstance(part, Odds)]
    return render_odds(reply.title, reply.by, charts, small)


def _draw_chart(canvas: Canvas, chart: Odds) -> None:
    """Draw the odds of one target: its heading, then a bar for each result."""
    percent_right = _RIGHT - (_LEAST if chart.least else 0)
    top = canvas.top
    canvas.draw_words(chart.heading, _SIZE, bold=True, right=percent_right)
    if chart.least:
        canvas.draw_text(LEAST, (_RIGHT, top + _SIZE), 20, FAINT, anchor="end")
    longest = 0.0
    for row in chart.rows:
        longest = max(longest, measure_width(replace_missing_letters(row.word), _SIZE))
    words_width = min(_MAX_WORDS, longest + 4)
    for index, row in enumerate(chart.rows):
        tone = chart.tones[index] if index < len(chart.tones) else NOTHING
        color = COLORS.get(tone, COLORS[NOTHING])
        _draw_row(canvas, row, color, words_width, percent_right)


def _draw_row(
    canvas: Canvas, row: Chance, color: str, words_width: float, percent_right: float
) -> None:
    """Draw a result: its words, its bar, and its percentage, which ends at `percent_right`.

    The percentage of this result or a worse one ends at the right margin.
    """
    words = replace_missing_letters(row.word)
    size = _SIZE if measure_width(words, _SIZE) <= words_width else 20
    lines = wrap_text(words, words_width, size)
    top = canvas.top
    height = max(_ROW, len(lines) * size * 1.2 + 12)
    canvas.top += height
    middle = top + height / 2
    bar_top = middle - _BAR / 2
    bar_bottom = middle + _BAR / 2
    left = EDGE + words_width + 16
    right = percent_right - _PERCENT
    if row.came:
        canvas.draw_box((EDGE - 10, top + 2, _RIGHT + 10, canvas.top - 2), CROSS, 6, "came")
    for index, line in enumerate(lines):
        baseline = middle + size * (0.95 - len(lines) * 0.6 + index * 1.2)
        canvas.draw_text(line, (EDGE, baseline), size)
    canvas.draw_box((left, bar_top, right, bar_bottom), PAPER if row.came else BAND, 4)
    if row.chance > 0:
        length = max(3.0, (right - left) * min(1.0, row.chance))
        canvas.draw_box((left, bar_top, left + length, bar_bottom), color, 4, "bar")
    baseline = middle + _SIZE * 0.35
    percent = format_percent(row.chance)
    fill = HIT if row.came else INK
    canvas.draw_text(percent, (percent_right, baseline), _SIZE, fill, bold=True, anchor="end")
    if row.least is not None:
        percent = format_percent(row.least)
        canvas.draw_text(percent, (_RIGHT, baseline), _SIZE, FAINT, anchor="end")


def _describe_chart(chart: Odds) -> str:
    """Describe the odds of one target in a sentence."""
    results = []
    for row in chart.rows:
        least = f" ({LEAST} {format_percent(row.least)})" if row.least is not None else ""
        came = ", this roll" if row.came else ""
        results.append(f"{row.word} {format_percent(row.chance)}{least}{came}")
    return f"{chart.heading}: {'; '.join(results)}."


def render_luck(title: str, luck: Mapping[str, Track]) -> Picture:
    """Draw how the rolls of each side ran against expectation. Above zero they were better."""
    canvas = Canvas(title, "points above or below expectation, roll by roll")
    names = []
    points: list[tuple[int, float]] = []
    for name, track in luck.items():
        final = _format_signed(track[-1][1]) if track else "0"
        names.append(f"{name} {final}")
        points += track
    _draw_legend(canvas, names)
    if not points:
        points = [(1, 0.0)]
    first_event = min(points)[0]
    last_event = max(points)[0]
    values = [0.0, *(value for _, value in points)]
    low, high, step = _choose_scale(min(values), max(values))
    left = EDGE + _AXIS
    top = canvas.top + 14
    frame = Frame((left, top, _RIGHT, top + _PLOT), first_event - 1, last_event, low, high)
    for index in range(round((high - low) / step) + 1):
        value = low + index * step
        y = frame.y(value)
        is_zero = abs(value) < step / 2
        canvas.draw_line([(left, y), (_RIGHT, y)], FAINT if is_zero else LINE, 2 if is_zero else 1)
        canvas.draw_text(_format_signed(value), (left - 8, y + 6), 17, FAINT, anchor="end")
    for track, color in zip(luck.values(), _list_colors(len(luck)), strict=True):
        corners = frame.build_step_line(track)
        canvas.draw_line([*corners, (_RIGHT, corners[-1][1])], color)
    canvas.top = top + _PLOT + 26
    canvas.draw_text(f"#{first_event}", (left, canvas.top), 17, FAINT)
    canvas.draw_text(f"#{last_event}", (_RIGHT, canvas.top), 17, FAINT, anchor="end")
    canvas.top += 20
    rows = [_describe_luck(name, [value for _, value in track]) for name, track in luck.items()]
    return canvas.build_picture([f"{title}."], rows)


def _describe_luck(name: str, values: Sequence[float]) -> str:
    """Describe the luck of a side in a sentence: at the end, at its best and at its worst."""
    rolls = len(values)
    values = values or [0.0]
    end = _format_signed(values[-1])
    best = _format_signed(max(values))
    worst = _format_signed(min(values))
    return (
        f"{name}: {end} points against expectation after {rolls} rolls, best {best}, worst {worst}."
    )


def render_losses(
    title: str, turns: Sequence[str], losses: Mapping[str, Sequence[int]], totals: Mapping[str, str]
) -> Picture:
    """Draw the losses of each side as bars, turn by turn. A long game has its last turns alone.

    `totals` are the losses of each side in words. A unit that was weakened and later lost is in two
    bars.
    """
    turns = list(turns)[-MOST_TURNS:]
    counts_by_side = {name: list(counts)[-MOST_TURNS:] for name, counts in losses.items()}
    colors = _list_colors(len(counts_by_side))
    canvas = Canvas(title, "units lost or reduced, turn by turn")
    _draw_legend(canvas, [f"{name} {totals[name]}" for name in losses])
    top = canvas.top + 30
    bottom = top + _PLOT * 0.8
    turn_width = (_RIGHT - EDGE) / max(1, len(turns))
    highest = max((max(counts, default=0) for counts in counts_by_side.values()), default=0) or 1
    bar_width = min(40.0, (turn_width - 8) / max(1, len(counts_by_side)))
    for turn_index, turn in enumerate(turns):
        left = EDGE + turn_index * turn_width
        if turn_index % 2 == 0:
            canvas.draw_box((left, top - 26, left + turn_width, bottom), BAND, 4)
        x = left + (turn_width - bar_width * len(counts_by_side)) / 2
        for index, (counts, color) in enumerate(zip(counts_by_side.values(), colors, strict=True)):
            count = counts[turn_index] if turn_index < len(counts) else 0
            if count:
                bar_top = bottom - (bottom - top) * count / highest
                bar_left = x + index * bar_width
                _draw_losses_bar(
                    canvas, count, (bar_left, bar_top, bar_left + bar_width, bottom), color
                )
        size = 19 if turn_width > measure_width(turn, 19) else 12
        label = shorten_text(replace_missing_letters(turn), turn_width, size)
        center = left + turn_width / 2
        canvas.draw_text(label, (center, bottom + 22), size, FAINT, anchor="middle")
    canvas.draw_line([(EDGE, bottom), (_RIGHT, bottom)], FAINT, 2)
    canvas.top = bottom + 46
    rows = []
    for name, counts in counts_by_side.items():
        pairs = zip(turns, counts, strict=False)
        turn_losses = [f", turn {turn}: {count}" for turn, count in pairs if count]
        rows.append(f"{name}: {totals[name]}{''.join(turn_losses)}.")
    return canvas.build_picture([f"{title}."], rows)


def _draw_losses_bar(canvas: Canvas, count: int, room: Room, color: str) -> None:
    """Fill `room` with a bar, and draw the count of losses above it."""
    left, top, right, bottom = room
    canvas.draw_box((left + 1, top, right - 1, bottom), color, 3, "bar")
    width = right - left
    size = 18 if width >= measure_width(str(count), 18) else 12
    canvas.draw_text(str(count), (left + width / 2, top - 6), size, anchor="middle")


def render_deck(
    title: str,
    subtitle: str,
    place: str,
    card_counts: Sequence[tuple[str, int, int]],
    lines: Sequence[str],
) -> Picture:
    """Draw the cards of a deck as chips, in the order of the deck.

    `card_counts` are (name, count at `place`, count in the deck) of each card. A card that is not at
    `place` is only a name. `lines` say in words where the other cards are.
    """
    canvas = Canvas(title, subtitle)
    canvas.draw_words(f"{place}:", 20, FAINT)
    canvas.top += 10
    _draw_chips(canvas, card_counts[:MOST_CARDS])
    notes = list(lines)
    if len(card_counts) > MOST_CARDS:
        notes.insert(0, f"{len(card_counts) - MOST_CARDS} more are listed in the answer itself.")
    for note in notes:
        canvas.draw_words(note, 20, FAINT)
    canvas.top += 14
    sentences = [f"{title}.", f"{subtitle}.", *(f"{line}." for line in lines), f"{place}:"]
    rows = [_format_card(name, count, total) for name, count, total in card_counts if count]
    return canvas.build_picture(sentences, rows)


def _draw_chips(canvas: Canvas, card_counts: Sequence[tuple[str, int, int]]) -> None:
    """Draw a chip for each (name, count at the place, count in the deck), in lines."""
    left = float(EDGE)
    for name, count, total in card_counts:
        words = replace_missing_letters(_format_card(name, count, total))
        label = shorten_text(words, _RIGHT - EDGE - 2 * _PAD, _CHIP)
        width = measure_width(label, _CHIP, True) + 2 * _PAD
        if left + width > _RIGHT:
            left = float(EDGE)
            canvas.top += _DEEP
        room = (left, canvas.top, left + width, canvas.top + _DEEP - _GAP)
        fill = FAINT
        if count == total:
            canvas.draw_box(room, HIT, 6, "left")
            fill = HIT_INK
        elif count:
            canvas.draw_box(room, BAND, 6, "left")
            fill = INK
        canvas.draw_text(label, (left + _PAD, canvas.top + _CHIP + 2), _CHIP, fill, bold=True)
        left += width + _GAP
    canvas.top += _DEEP + 4


def _format_card(name: str, count: int, total: int) -> str:
    """Return the name of a card, with its count if the deck has several: `Fog 1 of 2`."""
    return f"{name} {count} of {total}" if total > 1 else name


def _draw_legend(canvas: Canvas, names: Sequence[str]) -> None:
    """Draw the names of the sides with their colors, as many in a line as fit."""
    x = float(EDGE)
    top = canvas.top + 6
    for name, color in zip(names, _list_colors(len(names)), strict=True):
        text = shorten_text(replace_missing_letters(name), _RIGHT - EDGE - 30, 21, True)
        width = 26 + measure_width(text, 21, True)
        if x > EDGE and x + width > _RIGHT:
            x = float(EDGE)
            top += 32
        canvas.draw_box((x, top + 5, x + 18, top + 23), color, 4)
        canvas.draw_text(text, (x + 26, top + 21), 21, bold=True)
        x += width + 26
    canvas.top = top + 36


def _list_colors(count: int) -> list[str]:
    """Return the colors of so many sides."""
    return [SIDES[index % len(SIDES)] for index in range(count)]


def _choose_scale(low: float, high: float) -> tuple[float, float, float]:
    """Return the lowest and the highest line of a plot, and the step between its lines.

    The plot has about four to eight lines, at round numbers.
    """
    least_step = max(high - low, 1.0) / 5
    power = 10 ** floor(log10(least_step))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least_step)
    lowest_line = floor(low / step) * step
    highest_line = max(ceil(high / step) * step, lowest_line + step)
    return lowest_line, highest_line, step


def _format_signed(value: float) -> str:
    """Format a value with its sign and one decimal at most; 0 has no sign."""
    text = f"{round(value, 1):+g}".replace("-", "\u2212")
    return "0" if text in ("+0", "\u22120") else text
