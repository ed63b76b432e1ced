"""Headings that a spreadsheet turned into dates or times: `2-4` into `2-Apr`, `1:3` into `1:03`."""

import re
from collections.abc import Iterator, Sequence

from bot.packs.importing.figures import Span, normalize_figures, read_figures

_MONTHS = (
    "jan janv january januar janvier enero gen gennaio ene",  # codespell:ignore januar
    "feb february februar février fév févr febrero febbraio",  # codespell:ignore februar
    "mar mär mrz march märz mars marzo maart mrt",
    "apr april avr avril abr abril aprile",
    "may mai mayo mag maggio mei",
    "jun june juni juin junio giu giugno",  # codespell:ignore juni
    "jul july juli juil juillet julio lug luglio",  # codespell:ignore juli
    "aug august août aoû agosto ago augustus",
    "sep sept september septembre septiembre set settembre",
    "oct okt october oktober octobre octubre ott ottobre",  # codespell:ignore oktober
    "nov november novembre noviembre",
    "dec dez december dezember déc décembre dic diciembre dicembre",  # codespell:ignore dezember
)
MONTHS = {word: number for number, words in enumerate(_MONTHS, 1) for word in words.split()}
_NAME = r"([a-zà-ÿ]{3,10})\.?"
_DAY_FIRST = re.compile(rf"(\d{{1,2}})\.?[-\s/]*{_NAME}(?:[-\s/]*(?:\d{{4}}|\d{{2}}))?")
_MONTH_FIRST = re.compile(rf"{_NAME}[-\s/]*(\d{{1,2}}|\d{{4}})(?:,?\s*\d{{4}})?")
_IN_FIGURES = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?: 0{1,2}:00(?::00)?)?")
_IN_SIGNS = re.compile(r"(\d{1,2})月(\d{1,2})日")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[t ]0{2}:00(?::00)?)?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::00)?")


def read_date_pairs(text: str) -> list[tuple[int, int]]:
    """Return the pairs of figures that a date may have been typed as, likeliest first, each pair in
    the order of the date; [] for a text that is no date.

    `2-Apr` is (2, 4), `Jan-50` is (1, 50), `1/1/1950` is (1, 1) or (1, 50).
    """
    plain = normalize_figures(text)
    if (day := _DAY_FIRST.fullmatch(plain)) and day[2] in MONTHS:
        return [(int(day[1]), MONTHS[day[2]])]
    if (month := _MONTH_FIRST.fullmatch(plain)) and month[1] in MONTHS:
        return [(MONTHS[month[1]], int(month[2]) % 100)]
    if iso := _ISO.fullmatch(plain):
        pairs = list(_list_pairs(int(iso[2]), int(iso[3]), int(iso[1])))
        if iso[3] != "01":  # an ISO date says which figure is the day
            return pairs[:1]
        return pairs
    if date := _IN_FIGURES.fullmatch(plain):
        return list(_list_pairs(int(date[1]), int(date[2]), int(date[3])))
    if signs := _IN_SIGNS.fullmatch(plain):
        return [(int(signs[1]), int(signs[2]))]
    return []


def _list_pairs(figure: int, next_figure: int, year: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs that a date with a year may have been typed as: its day and month, and, if
    the day is 1, as for a date without a day, its month and the last two digits of its year.
    Nothing for figures that are no day and month.
    """
    lowest = min(figure, next_figure)
    if lowest < 1 or lowest > 12 or max(figure, next_figure) > 31:
        return
    yield figure, next_figure
    if figure == 1:
        yield next_figure, year % 100
    elif next_figure == 1:
        yield figure, year % 100


def is_date(text: str) -> bool:
    """Return whether a text looks like a date of a spreadsheet."""
    return bool(read_date_pairs(text))


def read_date_spans(headings: Sequence[str]) -> list[tuple[Span, ...]]:
    """Return the figures of headings of which some became dates; [] if one is neither figures nor a
    date.

    A range goes up, so 2-Apr and 4-Feb are both 2-4. If a date has two readings, the one counts
    that continues the row before.
    """
    rows = list[tuple[Span, ...]]()
    previous_high: int | None = None
    for heading in headings:
        ranges = [(min(pair), max(pair)) for pair in read_date_pairs(heading)]
        if ranges:
            spans: tuple[Span, ...] = (_choose_range(ranges, previous_high),)
        else:
            spans = read_figures(heading)
        if not spans:
            return []
        previous_high = spans[-1][1]
        rows.append(spans)
    return rows


def _choose_range(ranges: Sequence[tuple[int, int]], previous_high: int | None) -> Span:
    """Return the first range that begins just above `previous_high`, else the first of all."""
    for low, high in ranges:
        if previous_high is not None and low == previous_high + 1:
            return low, high
    return ranges[0]


def read_time_as_odds(text: str) -> str:
    """Return the odds that a time was typed as (`1:03` is `1:3`); "" for other texts, and for a
    full hour.
    """
    time = _TIME.fullmatch(normalize_figures(text))
    if not time or not int(time[2]):
        return ""
    return f"{int(time[1])}:{int(time[2])}"
