"""The headings of rows and columns: figures, dates that were figures, odds that became times, or
words. Each guess is asked about.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.packs.importing.figures import (
    Span,
    find_covered_range,
    format_key,
    format_span,
    is_rising,
    is_thousands,
    normalize_figures,
    read_figures,
    remove_thousands,
)
from bot.packs.importing.note_marks import (
    note_of_marks,
    strip_word_marks,
    without_note_mark,
)
from bot.packs.importing.spreadsheet_dates import (
    is_date,
    read_date_pairs,
    read_date_spans,
    read_time_as_odds,
)
from bot.packs.importing.table_draft import Edge, make_import_error, make_unique, make_word

_MEASURED = re.compile(r"(.*\d[+-]?)\s*([^\W\d_]{1,12}|[\"″”])\.?")
_COMMA_ZERO = re.compile(r"([-+]?\d{1,4}),0{1,2}")
_ODDS = re.compile(r"(\d{1,3})\s*:\s*(\d{1,3})")
_LED_BY_ZERO = re.compile(r"\d{1,2}:0\d(?::00)?")
AS_TEXT = "Format the cells as text and type them again, or write 2 to 4."


@dataclass(slots=True)
class Headings:
    """The figures of headings, () if they are words, and what to look at again."""

    figures: tuple[tuple[Span, ...], ...] = ()
    questions: list[str] = field(default_factory=list)
    has_dates: bool = False
    measure: str = ""
    """The unit of measure behind all figures, such as m or hexes; what is measured is not rolled."""

    @property
    def flat(self) -> list[Span]:
        return [span for spans in self.figures for span in spans]


def read_headings(headings: Sequence[str]) -> Headings:
    """Return headings as figures if all of them are, maybe without marks of notes; dates among them
    as the ranges that they may have been.
    """
    read = _read_plain(headings)
    if read.figures:
        return read
    bare = [without_note_mark(heading) for heading in headings]
    if bare != list(headings):
        read = _read_plain(bare)
        if read.figures:
            read.questions.append(note_of_marks(headings, bare))
            return read
    return _read_measures(headings)


def _read_measures(headings: Sequence[str]) -> Headings:
    """Return headings such as `501-1,000 m` as figures, if all are in one measure or have marks
    between their thousands, and are ranges without a gap. Both are asked about.
    """
    measure, bare = _split_measure(headings)
    read = _read_plain([remove_thousands(text) for text in bare])
    has_range = any(low != high for low, high in read.flat)
    if not has_range or not is_rising(read.flat) or find_covered_range(read.flat) is None:
        return Headings()
    read.measure = measure
    if measure:
        read.questions.append(f"{measure} is left out behind figures such as {headings[0][:20]}")
    thousands = [text for text in bare if normalize_figures(text) != remove_thousands(text)]
    if thousands:
        read.questions.append(f"{', '.join(thousands[:2])}: the mark is one of thousands")
    return read


def _split_measure(headings: Sequence[str]) -> tuple[str, list[str]]:
    """Return the measure behind all figures and these without it; "" if they have none in
    common.
    """
    matches = [_MEASURED.fullmatch(heading.strip()) for heading in headings]
    found = [match for match in matches if match]
    measures = {match[2].casefold() for match in found}
    if len(found) < len(headings) or len(measures) > 1:
        return "", list(headings)
    return measures.pop(), [match[1] for match in found]


def _read_plain(headings: Sequence[str]) -> Headings:
    texts = _remove_comma_zero(headings)
    rows = tuple(read_figures(text) for text in texts)
    if all(rows):
        if any(_runs_downward(span) for spans in rows for span in spans):
            return Headings()
        return _ask_about_slashes(texts, _read_open_plus(texts, rows))
    if any(is_date(text) for text in texts):
        dated = read_date_spans(texts)
        if dated and not any(_runs_downward(span) for spans in dated for span in spans):
            return Headings(tuple(dated), [_ask_about_dates(texts, dated)], has_dates=True)
    return Headings()


def _ask_about_slashes(texts: Sequence[str], headings: Headings) -> Headings:
    """Return headings with a question about `1/2`, which may be a half and not 1 to 2."""
    slashes = [text for text in texts if "/" in text]
    if slashes:
        headings.questions.append(f"{', '.join(slashes[:3])} are read as ranges, not as fractions")
    return headings


def _remove_comma_zero(headings: Sequence[str]) -> list[str]:
    """Return headings without the decimals of `1,0`, if every heading has some."""
    plain = [normalize_figures(heading) for heading in headings]
    decimals = [_COMMA_ZERO.fullmatch(text) for text in plain]
    if len(headings) > 1 and all(decimals):
        return [decimal[1] for decimal in decimals if decimal]
    return list(headings)


def _runs_downward(span: Span) -> bool:
    low, high = span
    return low is not None and high is not None and low > high


def _read_open_plus(texts: Sequence[str], rows: tuple[tuple[Span, ...], ...]) -> Headings:
    """Return the figures; a single `+10` beside `4-` or after 5-9 is 10 or more, which is asked
    about.
    """
    plus = [number for number, text in enumerate(texts) if normalize_figures(text).startswith("+")]
    if len(plus) != 1 or len(rows) < 2 or plus[0] not in (0, len(rows) - 1):
        return Headings(rows)
    number = plus[0]
    figure = rows[number][0][0]
    others = [span for spans in (*rows[:number], *rows[number + 1 :]) for span in spans]
    if figure is None or not _ends_before(others, figure):
        return Headings(rows)
    opened = (*rows[:number], ((figure, None),), *rows[number + 1 :])
    return Headings(opened, [f"+{figure} is read as {figure} or more"])


def _ends_before(spans: Sequence[Span], figure: int) -> bool:
    """Return whether spans are bands of figures from 0 up, and the highest is next to `figure`."""
    ends = [end for span in spans for end in span if end is not None]
    has_bands = any(low != high for low, high in spans)
    return has_bands and min(ends) >= 0 and max(ends) + 1 == figure


def _ask_about_dates(texts: Sequence[str], rows: Sequence[tuple[Span, ...]]) -> str:
    dated = [text for text in texts if is_date(text)]
    ranges = [
        format_key(spans[0]) for text, spans in zip(texts, rows, strict=True) if is_date(text)
    ]
    look = "looks like a date" if len(dated) == 1 else "look like dates"
    return (
        f"{', '.join(dated[:4])} {look} that a spreadsheet made of {', '.join(ranges[:4])}: read so"
    )


def check_dates_of_rows(headings: Sequence[str], what: str) -> None:
    """Raise UserError if rows that `what` says are rolled became dates."""
    dated = next((heading for heading in headings if is_date(heading)), "")
    if not dated:
        return
    low, high = sorted(read_date_pairs(dated)[0])
    raise make_import_error(
        f"{what}, but {dated[:20]} looks like a date that the spreadsheet made of {low}-{high}.",
        AS_TEXT,
    )


# -- columns


def read_columns(tops: list[str], questions: list[str]) -> tuple[list[str], Headings]:
    """Return the headings of columns, with odds in place of the times that they became, and their
    figures. Raises UserError for dates that may be odds either way round.
    """
    tops = _read_times_as_odds(tops, questions)
    columns = read_headings(tops)
    dates = [top for top in tops if is_date(top)]
    is_whole = (
        columns.figures and is_rising(columns.flat) and find_covered_range(columns.flat) is not None
    )
    if not dates or is_whole:
        questions += columns.questions
        return tops, columns
    pairs = [read_date_pairs(date)[0] for date in dates]
    there = ", ".join(f"{left}:{right}" for left, right in pairs[:3])
    back = ", ".join(f"{right}:{left}" for left, right in pairs[:3])
    raise make_import_error(
        f"The columns {', '.join(dates[:3])} look like dates that the spreadsheet made of odds: "
        f"{there} or {back}? Only you can tell.",
        "Format the cells as text and type them again, with a colon: 3:1.",
    )


def _read_times_as_odds(tops: list[str], questions: list[str]) -> list[str]:
    """Return headings such as `1:03` as the odds `1:3`, which is asked about."""
    if not any(_LED_BY_ZERO.fullmatch(top) for top in tops):
        return tops
    odds = [read_time_as_odds(top) or (top if _ODDS.fullmatch(top) else "") for top in tops]
    if not all(odds):
        return tops
    changed = [(top, odd) for top, odd in zip(tops, odds, strict=True) if top != odd]
    pairs = ", ".join(f"{top} as {odd}" for top, odd in changed[:5])
    questions.append(f"times are read as the odds that they were typed as: {pairs}")
    return odds


# -- words


def build_word_edge(headings: Sequence[str], label: str, what: str, questions: list[str]) -> Edge:
    """Return an edge with words that can be typed; each that differs from its heading by more
    than blanks and case is asked about. `what` says whether they are rows or columns.
    """
    words = list[str]()
    printed_headings = headings
    headings = strip_word_marks(headings)
    if headings != list(printed_headings):
        questions.append(note_of_marks(printed_headings, headings))
    for number, heading in enumerate(headings):
        text = make_word(heading)
        if text:
            words.append(text)
        else:
            words.append(_make_word_for_empty(headings, number, what, questions))
        if text and normalize_word(text) != normalize_word(heading):
            questions.append(f"{what} {heading[:40]} is called {text}")
        if is_thousands(heading):
            questions.append(f"{what} {heading[:20]} is read as a word, not as a number")
    for text, count in Counter(words).items():
        if count > 1:
            questions.append(f"{count} {what}s are called {text}: the later ones get a number")
    return Edge(label, words=make_unique(words, "other"))


def normalize_word(text: str) -> str:
    """Return a word without the difference of blanks, hyphens for blanks, and case."""
    return re.sub(r"(?<=\S)[\s-]+(?=\S)", "-", text.strip()).casefold()


def _make_word_for_empty(
    headings: Sequence[str], number: int, what: str, questions: list[str]
) -> str:
    before = next((make_word(heading) for heading in reversed(headings[:number]) if heading), "")
    name = f"{before}-{number + 1}" if before else f"other-{number + 1}"
    if headings[number]:
        questions.append(f"{what} {headings[number][:20]} is called {name}")
        return name
    text = f"{what} {number + 1} has no heading, and is called {name}"
    if before:
        text += f": is it a second {what} of {before} (merged cells), or the same twice?"
    questions.append(text)
    return name


def format_edge(edge: Edge) -> str:
    """Return the headings of an edge in a few words: `−2 to +2`, `1-3, 4-6`, `1:2 to 3:1`."""
    if edge.figures:
        spans = [span for row in edge.figures for span in row]
        if all(low == high for low, high in spans) and len(spans) > 3:
            return f"{_format_with_sign(spans[0], spans)} to {_format_with_sign(spans[-1], spans)}"
        texts = [" and ".join(map(format_span, row)) for row in edge.figures]
    else:
        texts = list(edge.words)
        if len(texts) > 3 and all(_ODDS.fullmatch(text) for text in texts):
            return f"{texts[0]} to {texts[-1]}"
    if len(texts) > 6:
        return f"{texts[0]}, {texts[1]} … {texts[-1]}"
    return ", ".join(texts)


def _format_with_sign(span: Span, spans: Sequence[Span]) -> str:
    """Return a figure, with a plus sign if others are below 0."""
    figure = span[0] or 0
    is_signed = any((low or 0) < 0 for low, _ in spans)
    return f"+{figure}" if is_signed and figure > 0 else format_span(span)
