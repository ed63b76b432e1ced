"""The headings of rows and columns: figures, dates that were figures, odds that became times, or
words. Each guess adds a question.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.packs.importing.figures import (
    Span,
    find_covered_range,
    find_limits,
    format_key,
    format_span,
    is_rising,
    is_thousands,
    normalize_figures,
    read_figures,
    remove_thousands,
)
from bot.packs.importing.note_marks import (
    format_marks_note,
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
AS_TEXT = "Format the cells as text and retype them, or write 2 to 4."


@dataclass(slots=True)
class Headings:
    """Headings that were read: their figures, a tuple of spans for each, and what to look at again.

    `figures` is () if the headings are words. `flat` has all spans in one list.
    """

    figures: tuple[tuple[Span, ...], ...] = ()
    questions: list[str] = field(default_factory=list)
    has_dates: bool = False
    """True if some figures were read from dates."""
    measure: str = ""
    """The unit of measure after all figures, such as m. Measured figures are not rolled."""

    @property
    def flat(self) -> list[Span]:
        return [span for spans in self.figures for span in spans]


def read_headings(headings: Sequence[str]) -> Headings:
    """Return headings as figures if all of them are, and as words otherwise.

    Marks of notes and units of measure after figures are left out, and dates are read as the ranges
    that they may have been. Each of these adds a question.
    """
    plain = _read_plain(headings)
    if plain.figures:
        return plain
    bare = [without_note_mark(heading) for heading in headings]
    if bare != list(headings):
        plain = _read_plain(bare)
        if plain.figures:
            plain.questions.append(format_marks_note(headings, bare))
            return plain
    return _read_measures(headings)


def _read_measures(headings: Sequence[str]) -> Headings:
    """Return headings such as `501-1,000 m` as figures, if all are in one measure or have marks
    between their thousands, and are ranges without a gap; else as words. The measure and the marks
    add questions.
    """
    measure, bare = _split_measure(headings)
    plain = _read_plain([remove_thousands(text) for text in bare])
    has_range = any(low != high for low, high in plain.flat)
    if not has_range or not is_rising(plain.flat) or find_covered_range(plain.flat) is None:
        return Headings()
    plain.measure = measure
    if measure:
        plain.questions.append(f"{measure} is dropped after numbers such as {headings[0][:20]}")
    thousands = [text for text in bare if normalize_figures(text) != remove_thousands(text)]
    if thousands:
        plain.questions.append(
            f"{', '.join(thousands[:2])}: the mark is read as a thousands separator"
        )
    return plain


def _split_measure(headings: Sequence[str]) -> tuple[str, list[str]]:
    """Return the measure after all figures and the headings without it; "" and the headings as they
    are if they have none in common.
    """
    matches = [match for heading in headings if (match := _MEASURED.fullmatch(heading.strip()))]
    measures = {match[2].casefold() for match in matches}
    if len(matches) < len(headings) or len(measures) > 1:
        return "", list(headings)
    return measures.pop(), [match[1] for match in matches]


def _read_plain(headings: Sequence[str]) -> Headings:
    """Return headings as figures if all of them are figures or dates, and no range runs downward;
    else as words.
    """
    texts = _remove_comma_zero(headings)
    rows = tuple(read_figures(text) for text in texts)
    if all(rows):
        if _has_downward_span(rows):
            return Headings()
        return _ask_about_slashes(texts, _read_open_plus(texts, rows))
    if any(is_date(text) for text in texts):
        rows = tuple(read_date_spans(texts))
        if rows and not _has_downward_span(rows):
            return Headings(rows, [_format_dates_question(texts, rows)], has_dates=True)
    return Headings()


def _ask_about_slashes(texts: Sequence[str], headings: Headings) -> Headings:
    """Return headings, with a question added to them if there is a `1/2`, which may be a half and
    not 1 to 2.
    """
    slashes = [text for text in texts if "/" in text]
    if slashes:
        headings.questions.append(f"{', '.join(slashes[:3])} are read as ranges, not as fractions")
    return headings


def _remove_comma_zero(headings: Sequence[str]) -> list[str]:
    """Return headings without the decimals of `1,0`, if there are several and each has some."""
    plain = [normalize_figures(heading) for heading in headings]
    decimals = [_COMMA_ZERO.fullmatch(text) for text in plain]
    if len(headings) > 1 and all(decimals):
        return [decimal[1] for decimal in decimals if decimal]
    return list(headings)


def _has_downward_span(rows: Sequence[tuple[Span, ...]]) -> bool:
    """Return whether a span of a row has a higher figure before a lower one."""
    for low, high in (span for spans in rows for span in spans):
        if low is not None and high is not None and low > high:
            return True
    return False


def _read_open_plus(texts: Sequence[str], rows: tuple[tuple[Span, ...], ...]) -> Headings:
    """Return the figures of headings. If the only `+10` is the first or last of them, and the
    others are ranges up to 9, it is read as 10 or more, which adds a question.
    """
    plus = [number for number, text in enumerate(texts) if normalize_figures(text).startswith("+")]
    if len(plus) != 1 or len(rows) < 2 or plus[0] not in (0, len(rows) - 1):
        return Headings(rows)
    number = plus[0]
    figure = rows[number][0][0]
    other_rows = (*rows[:number], *rows[number + 1 :])
    other_spans = [span for spans in other_rows for span in spans]
    if figure is None or not _ends_before(other_spans, figure):
        return Headings(rows)
    opened = (*rows[:number], ((figure, None),), *rows[number + 1 :])
    return Headings(opened, [f"+{figure} is read as {figure} or more"])


def _ends_before(spans: Sequence[Span], figure: int) -> bool:
    """Return whether spans have no figure below 0, some are ranges, and the highest figure is just
    below `figure`.
    """
    has_ranges = any(low != high for low, high in spans)
    lowest, highest = find_limits(spans)
    return has_ranges and lowest >= 0 and highest + 1 == figure


def _format_dates_question(texts: Sequence[str], rows: Sequence[tuple[Span, ...]]) -> str:
    """Return the question about dates among headings that are read as the ranges in `rows`."""
    dates = list[str]()
    ranges = list[str]()
    for text, spans in zip(texts, rows, strict=True):
        if is_date(text):
            dates.append(text)
            ranges.append(format_key(spans[0]))
    look = "looks like a date" if len(dates) == 1 else "look like dates"
    listed_dates = ", ".join(dates[:4])
    listed_ranges = ", ".join(ranges[:4])
    return f"{listed_dates} {look} that a spreadsheet made from {listed_ranges}: read as originally typed"


def check_dates_of_rows(headings: Sequence[str], statement: str) -> None:
    """Raise UserError if a heading became a date. The `statement`, such as "The heading says 2d6",
    begins the message.
    """
    date = next((heading for heading in headings if is_date(heading)), "")
    if not date:
        return
    low, high = sorted(read_date_pairs(date)[0])
    raise make_import_error(
        f"{statement}, but {date[:20]} looks like a date that the spreadsheet made from {low}-{high}.",
        AS_TEXT,
    )


# -- columns


def read_columns(tops: list[str], questions: list[str]) -> tuple[list[str], Headings]:
    """Return the headings of columns, with odds in place of the times that they became, and what
    they are read as. Guesses are added to `questions`. Raises UserError for dates that may be odds
    either way round.
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
    pairs = [read_date_pairs(date)[0] for date in dates[:3]]
    as_written = ", ".join(f"{day}:{month}" for day, month in pairs)
    reversed_odds = ", ".join(f"{month}:{day}" for day, month in pairs)
    raise make_import_error(
        f"The columns {', '.join(dates[:3])} look like dates that the spreadsheet made from odds: "
        f"{as_written} or {reversed_odds}? Only you can tell.",
        "Format the cells as text and retype them, with a colon: 3:1.",
    )


def _read_times_as_odds(tops: list[str], questions: list[str]) -> list[str]:
    """Return headings such as `1:03` as the odds `1:3`, which adds a question. They stay as they
    are if none has such a zero, or if one is neither time nor odds.
    """
    if not any(_LED_BY_ZERO.fullmatch(top) for top in tops):
        return tops
    odds = [read_time_as_odds(top) or (top if _ODDS.fullmatch(top) else "") for top in tops]
    if not all(odds):
        return tops
    changed = [(top, odd) for top, odd in zip(tops, odds, strict=True) if top != odd]
    pairs = ", ".join(f"{top} as {odd}" for top, odd in changed[:5])
    questions.append(f"times are read as the odds they were typed as: {pairs}")
    return odds


# -- words


def build_word_edge(headings: Sequence[str], label: str, kind: str, questions: list[str]) -> Edge:
    """Return an edge with a different word for each heading, which can be typed.

    A word that differs from its heading by more than blanks and case adds a question. So do
    headings that are missing, have marks of notes, have marks between thousands, or have the same
    word: the later ones get a number then. `kind` is "row" or "column", `label` what the edge is
    called.
    """
    words = list[str]()
    printed_headings = headings
    headings = strip_word_marks(headings)
    if headings != list(printed_headings):
        questions.append(format_marks_note(printed_headings, headings))
    for number, heading in enumerate(headings):
        word = make_word(heading)
        words.append(word or _make_word_for_empty(headings, number, kind, questions))
        if word and normalize_word(word) != normalize_word(heading):
            questions.append(f"{kind} {heading[:40]} is called {word}")
        if is_thousands(heading):
            questions.append(f"{kind} {heading[:20]} is read as a word, not as a number")
    for word, count in Counter(words).items():
        if count > 1:
            questions.append(f"{count} {kind}s are called {word}: all but the first get a number")
    return Edge(label, words=make_unique(words, "other"))


def normalize_word(text: str) -> str:
    """Return a word without the difference of blanks, hyphens for blanks, and case."""
    return re.sub(r"(?<=\S)[\s-]+(?=\S)", "-", text.strip()).casefold()


def _make_word_for_empty(
    headings: Sequence[str], number: int, kind: str, questions: list[str]
) -> str:
    """Return a word for a heading that is empty or has only signs, which adds a question: the word
    of the nearest heading before it with a number, or `other` with a number.
    """
    previous_heading = next(filter(None, reversed(headings[:number])), "")
    previous_word = make_word(previous_heading)
    name = f"{previous_word or 'other'}-{number + 1}"
    if headings[number]:
        questions.append(f"{kind} {headings[number][:20]} is called {name}")
        return name
    question = f"{kind} {number + 1} has no heading and is called {name}"
    if previous_word:
        question += (
            f": is it a second {kind} for {previous_word} (merged cells), or the same one twice?"
        )
    questions.append(question)
    return name


def format_edge(edge: Edge) -> str:
    """Format the headings of an edge in a few words: `−2 to +2`, `1-3, 4-6`, `1:2 to 3:1`. Of more
    than six, only the first two and the last are named.
    """
    if edge.figures:
        spans = [span for row in edge.figures for span in row]
        if len(spans) > 3 and all(low == high for low, high in spans):
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
    """Format a single figure, with a plus sign if others of the `spans` are below 0."""
    figure = span[0] or 0
    is_signed = any((low or 0) < 0 for low, _ in spans)
    return f"+{figure}" if is_signed and figure > 0 else format_span(span)
