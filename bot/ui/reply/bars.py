"""Chances as bars of a fixed width: in eighths of a block for chat, in # where a terminal has no
such signs.
"""

from collections.abc import Iterable
from math import floor
from textwrap import wrap
from typing import NamedTuple

COLUMNS = 33
"""What fits on a phone in a fixed width, also inside a box."""
CAME = "\u25c0"
"""Behind the result that came up."""
LEAST = "at least"
_EIGHTHS = "\u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588"
_NARROWEST = 3
_FRACTION = 10
_LABEL = 16
MOST_EXACT = 19
"""A fraction of more characters, some nine digits over nine, is left out: it helps nobody, and
words need the room.
"""


class Chance(NamedTuple):
    """One result with its chance from 0 to 1; `least` is that of this or worse, `exact` the chance
    as a fraction.

    `came` is how often it came up.
    """

    word: str
    chance: float
    least: float | None = None
    came: int = 0
    exact: str = ""


class Look(NamedTuple):
    """How bars are drawn: places of the words and of the bar, at most, of the whole line; with
    fractions; in ASCII.

    `grid` is how wide a printed table may be."""

    word: int = 10
    bar: int = 8
    columns: int = COLUMNS
    exact: bool = False
    plain: bool = False
    grid: int = 39


PHONE = Look()
WIDE = Look(12, 24, 78, exact=True, grid=110)


def format_percent(chance: float) -> str:
    """A chance in whole percents; one that is not quite impossible or certain is never shown as
    0 or 100.
    """
    if 0 < chance < 0.01:
        return "<1%"
    if 0.99 < chance < 1:
        return ">99%"
    return f"{floor(chance * 100 + 0.5)}%"


def format_points(difference: float) -> str:
    """How much a chance rises or falls, in percent: `+30`, `\u221213`."""
    number = floor(abs(difference) * 100 + 0.5)
    if not number:
        return "" if not difference else ("<+1" if difference > 0 else "<\u22121")
    return f"+{number}" if difference > 0 else f"\u2212{number}"


def format_rounded_points(chance: float, difference: float) -> str:
    """Return how much a chance has risen or fallen, as the difference of the whole percents that
    are shown: 81% and 90% are 9 apart.
    """
    before = chance - difference
    if not 0.01 <= chance <= 0.99 or not 0.01 <= before <= 0.99:
        return format_points(difference)
    number = floor(chance * 100 + 0.5) - floor(before * 100 + 0.5)
    return format_points(number / 100) if number else format_points(difference)


def draw_bar(chance: float, places: int, *, plain: bool = False) -> str:
    """A bar of so many places, in steps of an eighth; whatever is possible shows at least the
    thinnest.
    """
    if plain:
        return "#" * (max(1, round(chance * places)) if chance > 0 else 0)
    eighths = max(1, round(chance * places * 8)) if chance > 0 else 0
    full, rest = divmod(eighths, 8)
    return _EIGHTHS[7] * full + (_EIGHTHS[rest - 1] if rest else "")


def format_odds_lines(heading: str, chances: Iterable[Chance], look: Look = PHONE) -> list[str]:
    """The heading, and a line for each result: word, bar, percent, this or worse."""
    return [text for text, _ in format_numbered_lines(heading, chances, look)]


def format_numbered_lines(
    heading: str, chances: Iterable[Chance], look: Look = PHONE
) -> list[tuple[str, int]]:
    """The same, each line with the place of its result; -1 for the heading."""
    rows = [row._replace(exact="") if len(row.exact) > MOST_EXACT else row for row in chances]
    exact = max(_FRACTION, *(len(row.exact) + 2 for row in rows)) if look.exact else 0
    has_least = any(row.least is not None for row in rows)
    tail = (
        5
        + exact
        + (len(LEAST) + 1 if has_least else max(len(_format_mark(row.came, look)) for row in rows))
    )
    words, places = _share_columns([row.word for row in rows], look, tail)
    lines = [(text, -1) for text in _format_heading(heading, words + 1 + places + tail, has_least)]
    for number, row in enumerate(rows):
        *above, word = wrap(row.word, words) or [""]
        drawn = (
            f"{word:<{words}} "
            f"{draw_bar(row.chance, places, plain=look.plain):<{places}}{format_percent(row.chance):>5}"
        )
        mark = _format_mark(row.came, look)
        least = format_percent(row.least) if row.least is not None else ""
        end = f"{least:>{len(LEAST) + 1 - len(mark)}}" if has_least else ""
        own = [*above, (drawn + (f"{row.exact:>{exact}}" if exact else "") + mark + end).rstrip()]
        lines += [(text, number) for text in own]
    return lines


def _format_mark(times: int, look: Look) -> str:
    """What is behind a result that came up so often."""
    return (f" {'<' if look.plain else CAME}" if times else "") + (f" {times}" if times > 1 else "")


def format_comparison_lines(
    rows: Iterable[tuple[str, float, float]], look: Look = PHONE
) -> list[str]:
    """A line for each changed thing: what, bar, percent, and the difference that it makes."""
    shown = list(rows)
    words, places = _share_columns([word[:_LABEL] for word, _, _ in shown], look, 5 + 4)
    lines = []
    for word, chance, difference in shown:
        *above, last = wrap(word, words) or [""]
        drawn = f"{last:<{words}} {draw_bar(chance, places, plain=look.plain):<{places}}{format_percent(chance):>5}"
        lines += [*above, f"{drawn}{format_rounded_points(chance, difference):>4}".rstrip()]
    return lines


def _share_columns(words: Iterable[str], look: Look, tail: int) -> tuple[int, int]:
    """Places for the words and for the bar: long words take from the bar, and break where that
    is not enough.
    """
    most = look.columns - tail - 1 - _NARROWEST
    longest = max((len(word) for word in words), default=0)
    width = min(max(look.word, longest), most)
    return width, max(_NARROWEST, min(look.bar, look.columns - tail - 1 - width))


def _format_heading(heading: str, columns: int, has_least: bool) -> list[str]:
    if not has_least:
        return wrap(heading, columns)
    *above, last = wrap(heading, columns - len(LEAST) - 1) or [""]
    return [*above, f"{last:<{columns - len(LEAST)}}{LEAST}"]
