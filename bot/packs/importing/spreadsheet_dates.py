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
    """Return the two figures that a date may have been typed as, likeliest first, each pair in
    the order of the date; nothing for a text that is no date.

    `2-Apr` is (2, 4), `Jan-50` is (1, 50), `1/1/1950` is (1, 1) or (1, 50).
    """
    plain = normalize_figures(text)
    if (day := _DAY_FIRST.fullmatch(plain)) and day[2] in MONTHS:
        return [(int(day[1]), MONTHS[day[2]])]
    if (month := _MONTH_FIRST.fullmatch(plain)) and month[1] in MONTHS:
        return [(MONTHS[month[1]], int(month[2]) % 100)]
    if iso := _ISO.fullmatch(plain):
        return list(_read_full_date(int(iso[2]), int(iso[3]), int(iso[1])))
    if date := _IN_FIGURES.fullmatch(plain):
        return list(_read_full_date(int(date[1]), int(date[2]), int(date[3])))
    if signs := _IN_SIGNS.fullmatch(plain):
        return [(int(signs[1]), int(signs[2]))]
    return []


def _read_full_date(left: int, right: int, year: int) -> Iterator[tuple[int, int]]:
    if min(left, right) < 1 or max(left, right) > 31 or min(left, right) > 12:
        return
    yield left, right
    if left == 1 or right == 1:
        month = right if left == 1 else left
        yield month, year % 100


def is_date(text: str) -> bool:
    """Return whether a text looks like a date of a spreadsheet."""
    return bool(read_date_pairs(text))


def read_date_spans(headings: Sequence[str]) -> list[tuple[Span, ...]]:
    """Return the figures of rows of which some became dates; nothing if a heading is neither.

    A range goes up, so 2-Apr and 4-Feb are both 2-4. If a date has two readings, the one counts
    that goes on where the row before ended.
    """
    rows = list[tuple[Span, ...]]()
    end: int | None = None
    for heading in headings:
        pairs = read_date_pairs(heading)
        ranges = [(min(pair), max(pair)) for pair in pairs]
        if ranges:
            following = [span for span in ranges if end is not None and span[0] == end + 1]
            spans: tuple[Span, ...] = tuple(following[:1] or ranges[:1])
        else:
            spans = read_figures(heading)
        if not spans:
            return []
        end = spans[-1][1]
        rows.append(spans)
    return rows


def read_time_as_odds(text: str) -> str:
    """Return the odds that a time was typed as (`1:03` is `1:3`); nothing for other texts."""
    time = _TIME.fullmatch(normalize_figures(text))
    if not time or not int(time[2]):
        return ""
    return f"{int(time[1])}:{int(time[2])}"
