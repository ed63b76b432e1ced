"""Chances as bars in a font of a fixed width: in eighths of a block for chat, in # for terminals
that lack these signs.
"""

from collections.abc import Iterable
from textwrap import wrap
from typing import NamedTuple

from bot.ui.reply.percents import format_percent, format_rounded_points

COLUMNS = 33
"""Number of characters of a fixed width that fit on a phone, also inside a box."""
CAME = "\u25c0"
"""The arrow after a result that was rolled."""
LEAST = "at least"
_EIGHTHS = "\u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588"
_NARROWEST = 3
_FRACTION = 10
_LABEL = 16
_PERCENT = 5
_DIFFERENCE = 4
MOST_EXACT = 19
"""Maximum number of characters of a fraction. A longer one, about nine digits over nine, is left
out: it helps nobody, and words need the room.
"""


class Chance(NamedTuple):
    """A result with its chance from 0 to 1. `least` is the chance of this result or a worse one,
    `exact` the chance as a fraction, and `came` how often the result was rolled.
    """

    word: str
    chance: float
    least: float | None = None
    came: int = 0
    exact: str = ""


class Look(NamedTuple):
    """The widths of odds on a screen, in characters: of the words, of the bars (at most), and of
    the whole line. `grid` is the width of a printed table.

    `exact`: chances are also shown as fractions. `plain`: bars are drawn in ASCII.
    """

    word: int = 10
    bar: int = 8
    columns: int = COLUMNS
    exact: bool = False
    plain: bool = False
    grid: int = 39


PHONE = Look()
WIDE = Look(12, 24, 78, exact=True, grid=110)


def draw_bar(chance: float, places: int, *, plain: bool = False) -> str:
    """Return the bar of a chance, of `places` characters for 1, in steps of an eighth.

    A possible result has at least the thinnest bar. `plain` draws with # instead.
    """
    if plain:
        return "#" * (max(1, round(chance * places)) if chance > 0 else 0)
    eighths = max(1, round(chance * places * 8)) if chance > 0 else 0
    full_blocks, remainder = divmod(eighths, 8)
    return _EIGHTHS[7] * full_blocks + (_EIGHTHS[remainder - 1] if remainder else "")


def format_odds_lines(heading: str, chances: Iterable[Chance], look: Look = PHONE) -> list[str]:
    """Return the heading, and a line for each result: word, bar, percent, and the chance of this
    or worse.
    """
    return [text for text, _ in format_numbered_lines(heading, chances, look)]


def format_numbered_lines(
    heading: str, chances: Iterable[Chance], look: Look = PHONE
) -> list[tuple[str, int]]:
    """Return the lines of format_odds_lines, each with the index of its result; -1 for the
    heading.
    """
    rows = [row._replace(exact="") if len(row.exact) > MOST_EXACT else row for row in chances]
    exact_width = max(_FRACTION, *(len(row.exact) + 2 for row in rows)) if look.exact else 0
    has_least = any(row.least is not None for row in rows)
    if has_least:
        end_width = len(LEAST) + 1
    else:
        end_width = max(len(_format_mark(row.came, look)) for row in rows)
    tail_width = _PERCENT + exact_width + end_width
    word_width, bar_width = _share_columns([row.word for row in rows], look, tail_width)
    line_width = word_width + 1 + bar_width + tail_width
    lines = [(text, -1) for text in _format_heading(heading, line_width, has_least=has_least)]
    for index, row in enumerate(rows):
        *lines_above, word = wrap(row.word, word_width) or [""]
        exact = f"{row.exact:>{exact_width}}" if exact_width else ""
        end = _format_end(row, look, end_width if has_least else 0)
        line = f"{_format_bar(word, row.chance, word_width, bar_width, look)}{exact}{end}"
        lines += [(text, index) for text in (*lines_above, line.rstrip())]
    return lines


def _format_bar(word: str, chance: float, word_width: int, bar_width: int, look: Look) -> str:
    """Return a word with the bar of its chance and the percent."""
    bar = draw_bar(chance, bar_width, plain=look.plain)
    return f"{word:<{word_width}} {bar:<{bar_width}}{format_percent(chance):>{_PERCENT}}"


def _format_end(row: Chance, look: Look, width: int) -> str:
    """Return the end of a result's line: its mark, and aligned right to `width` the chance of this
    result or a worse one (0: without that column).
    """
    mark = _format_mark(row.came, look)
    if not width:
        return mark
    least = format_percent(row.least) if row.least is not None else ""
    return f"{mark}{least:>{width - len(mark)}}"


def _format_mark(times: int, look: Look) -> str:
    """Return the mark after a result that was rolled `times` times: an arrow, and the number if it
    is above 1. "" for 0.
    """
    if not times:
        return ""
    arrow = "<" if look.plain else CAME
    return f" {arrow} {times}" if times > 1 else f" {arrow}"


def format_comparison_lines(
    rows: Iterable[tuple[str, float, float]], look: Look = PHONE
) -> list[str]:
    """Return a line for each (words, chance, difference) in `rows`: words, bar, percent, and the
    difference in points. Long words go on lines of their own above it.
    """
    rows = list(rows)
    labels = [word[:_LABEL] for word, _, _ in rows]
    word_width, bar_width = _share_columns(labels, look, _PERCENT + _DIFFERENCE)
    lines = []
    for text, chance, difference in rows:
        *lines_above, word = wrap(text, word_width) or [""]
        bar = _format_bar(word, chance, word_width, bar_width, look)
        points = format_rounded_points(chance, difference)
        lines += [*lines_above, f"{bar}{points:>{_DIFFERENCE}}".rstrip()]
    return lines


def _share_columns(words: Iterable[str], look: Look, tail_width: int) -> tuple[int, int]:
    """Return the widths of the words and of the bars, in a line that ends with `tail_width` other
    characters.

    Long words take room from the bars; if that is not enough, they will be broken.
    """
    room = look.columns - tail_width - 1
    longest = max((len(word) for word in words), default=0)
    word_width = min(max(look.word, longest), room - _NARROWEST)
    return word_width, max(_NARROWEST, min(look.bar, room - word_width))


def _format_heading(heading: str, columns: int, *, has_least: bool) -> list[str]:
    """Return the lines of a heading; `has_least`: the last one ends with LEAST, as the head of that
    column.
    """
    if not has_least:
        return wrap(heading, columns)
    *lines_above, line = wrap(heading, columns - len(LEAST) - 1) or [""]
    return [*lines_above, f"{line:<{columns - len(LEAST)}}{LEAST}"]
