"""Figures as cards and spreadsheets print them (`2-5`, `13+`, `3 or less`, `2.0`), and the dice
whose totals they are.
"""

import re
from collections.abc import Iterable, Sequence

from bot.packs.importing.digit_dice import D66, digit_dice_called, digit_dice_for, numbers_of
from bot.rules.text.normalize import has_raised_signs, open_signs

Span = tuple[int | None, int | None]
"""The lowest and the highest figure of a range, both included. None stands for an open end."""

_N = r"([-+]?\d{1,5})"
_BETWEEN = re.compile(rf"(?:from )?{_N}%?\s*(?:-|\.{{2,3}}|~|to|thru|through|bis|à|/)\s*{_N}%?")
_AND = r"(?:or|and|&|und|oder|et|ou|y|o|u|e|i|lub)"
"""And, or: in English, German, French, Spanish, Italian and Polish."""
_MORE = re.compile(
    rf"(?:>=|≥|at least |mindestens |ab )\s*{_N}"
    rf"|{_N}\s*(?:(?:{_AND}\s+)?\+|up|onwards?"
    rf"|{_AND}\s+(?:more|higher|above|over|better|greater|up|later|mehr|höher|plus|más|mas|più"
    rf"|więcej))"
)
_LESS = re.compile(
    rf"(?:<=|≤|at most |up to |höchstens |bis )\s*{_N}"
    rf"|{_N}\s*(?:-|down"
    rf"|{_AND}\s+(?:less|lower|below|under|fewer|down|earlier|weniger|niedriger|moins|menos|meno"
    rf"|mniej))"
)
_STRICT = re.compile(
    rf"(<|>|less than |fewer than |under |below |more than |greater than |over |above )\s*{_N}"
)
_UPWARD = (">", "more", "greater", "over", "above")
_LIST_OF_FIGURES = re.compile(r",|(?<=\d)\s+(?:or|and|&)\s+(?=\d)")
_POINT_ZERO = re.compile(r"([-+]?\d{1,5})\.0{1,2}")
"""A whole number as a spreadsheet writes it with decimals; three zeros may be thousands."""
_LIST_MARK = re.compile(r"#?\s*+(\d{1,5}+)\s*+[.):]|#\s*+(\d{1,5}+)")
"""A number as lists print it: `1.`, `2)`, `#4`. `(3)` may be a negative number."""
_ORDINAL = re.compile(r"(?<![\d.,])(\d{1,4})(?:st|nd|rd|th)(?![^\W_])")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:[,.' ]\d{3})+")
_THOUSANDS_MARK = re.compile(r"(?<=\d)[,.' ](?=\d{3}(?!\d))")
_DICE = re.compile(r"(?<![a-z0-9])(?:(\d{1,2})\s*)?[dw]\s*(\d{1,4}|%)(?![0-9])", re.IGNORECASE)
_MODIFIED = re.compile(r"\+|\bdrms?\b|\bmod", re.IGNORECASE)
PAIRS = tuple(sorted(numbers_of(D66)))
"""The 36 figures that two dice show, read as tens and ones."""
ONES = tuple(f"1d{sides}" for sides in (2, 3, 4, 6, 8, 10, 12, 20, 30, 100))
SEVERAL = ("2d6", "3d6", "2d10", "2d4", "2d8", "2d12", "2d20", "4d6", "3d10")
MOST_SIDES, MOST_TOTAL = 9_999, 10_000


def normalize_figures(text: str) -> str:
    """Return a heading with ASCII digits, signs and dashes, in lower case, each blank single. A
    heading with raised signs, such as `1²`, keeps its signs.
    """
    if not has_raised_signs(text):
        text = open_signs(text)
    return " ".join(text.casefold().split())


def read_figures(text: str) -> tuple[Span, ...]:
    """Return the figures of a heading, several if it lists them (`2, 4-6`); () if it is a word."""
    plain = _ORDINAL.sub(r"\1", normalize_figures(text))
    if not plain:
        return ()
    span = _read_span(plain)
    if span is not None:
        return (span,)
    parts = _LIST_OF_FIGURES.split(plain)
    if len(parts) < 2 or _THOUSANDS.fullmatch(plain):
        return ()
    spans = list[Span]()
    for part in parts:
        if not part.strip():
            continue
        span = _read_span(part.strip())
        if span is None:
            return ()
        spans.append(span)
    return tuple(spans)


def _read_span(text: str) -> Span | None:
    """Return the figures of a normalized text that has a single figure or range, else None. The 00
    at the end of `96-00` is 100.
    """
    if re.fullmatch(_N, text):
        return int(text), int(text)
    if whole := _POINT_ZERO.fullmatch(text):
        return int(whole[1]), int(whole[1])
    if mark := _LIST_MARK.fullmatch(text):
        number = int(mark[1] or mark[2])
        return number, number
    if between := _BETWEEN.fullmatch(text):
        high = 100 if between[2] == "00" else int(between[2])
        return int(between[1]), high
    if open_above := _MORE.fullmatch(text):
        return int(open_above[1] or open_above[2]), None
    if open_below := _LESS.fullmatch(text):
        return None, int(open_below[1] or open_below[2])
    if strict := _STRICT.fullmatch(text):
        figure = int(strict[2])
        return (figure + 1, None) if strict[1].startswith(_UPWARD) else (None, figure - 1)
    return None


def is_ordinal(text: str) -> bool:
    """Return whether a text counts with an ordinal: `1st`, `7th-8th`."""
    return _ORDINAL.search(normalize_figures(text)) is not None


def remove_thousands(text: str) -> str:
    """Return a text without the marks between thousands: `501-1,000` is `501-1000`."""
    return _THOUSANDS_MARK.sub("", normalize_figures(text))


def is_thousands(text: str) -> bool:
    """Return whether a text is a number with a mark between its thousands: 1,000 or 1.000."""
    return _THOUSANDS.fullmatch(normalize_figures(text)) is not None


def format_key(span: Span) -> str:
    """Format a span as a key of a table: `3`, `2-5`, `-2..0`, `13+`, `..1`."""
    low, high = span
    if low is None:
        return f"..{high}"
    if high is None:
        return f"{low}+"
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low}..{high}"


def format_span(span: Span) -> str:
    """Return a span as people write it: `4 or less`, `−2 to −1`, `5-9`."""
    low, high = span
    if low is None:
        return f"{format_signed(high)} or less"
    if high is None:
        return f"{format_signed(low)} or more"
    if low == high:
        return format_signed(low)
    return f"{low}-{high}" if low >= 0 else f"{format_signed(low)} to {format_signed(high)}"


def format_signed(figure: int | None) -> str:
    """Return a figure with the minus sign that is printed."""
    return str(figure).replace("-", "\N{MINUS SIGN}")


def is_rising(spans: Iterable[Span]) -> bool:
    """Return whether no span runs downward, and each begins above the end of the one before it.
    Only the first may be open below, and only the last open above.
    """
    previous_high: int | None = None
    for number, (low, high) in enumerate(spans):
        if number and (low is None or previous_high is None):
            return False
        if low is not None and previous_high is not None and low <= previous_high:
            return False
        if low is not None and high is not None and high < low:
            return False
        previous_high = high
    return True


def find_covered_range(spans: Iterable[Span], *, inner: bool = False) -> tuple[int, int] | None:
    """Return the lowest and highest figure of spans that leave no gap between them; None for spans
    with a gap, for a span that runs downward or has more than 10,001 figures, and for none at all.

    A span with an open end counts as the figure that it prints (`5+` as 5). With `inner`, such
    spans are left out.
    """
    figures = set[int]()
    for low, high in spans:
        if low is None or high is None:
            edge = high if low is None else low
            if not inner and edge is not None:
                figures.add(edge)
            continue
        if high < low or high - low > 10_000:
            return None
        figures.update(range(low, high + 1))
    if not figures or len(figures) != max(figures) - min(figures) + 1:
        return None
    return min(figures), max(figures)


def is_stepped(spans: Sequence[Span]) -> bool:
    """Return whether there are several single figures with gaps between them, such as 1, 4, 8, 12+:
    each stands for the figures up to the next one. Only the last may be open above.
    """
    *body, (last_low, last_high) = spans
    if not body or any(low != high for low, high in body):
        return False
    if last_low is None or last_high not in (None, last_low):
        return False
    return find_covered_range(spans) is None


def find_limits(spans: Iterable[Span]) -> tuple[int, int]:
    """Return the lowest and the highest figure that the spans print."""
    figures = [figure for span in spans for figure in span if figure is not None]
    return min(figures), max(figures)


def get_totals(dice: str) -> tuple[int, int]:
    """Return the lowest and highest total of dice such as 2d6."""
    count, _, sides = dice.partition("d")
    return int(count or 1), int(count or 1) * int(sides)


def find_dice(spans: Sequence[Span]) -> str:
    """Return the first usual dice whose totals the figures are, "" if there are none. Rows with
    open ends may stand outside the totals. Dice read as digits (`D66`) are among them.
    """
    for inner in (False, True):
        reach = find_covered_range(spans, inner=inner)
        dice = next((dice for dice in (*ONES, *SEVERAL) if get_totals(dice) == reach), "")
        if dice:
            return dice
    return digit_dice_for(spans)


def find_named_dice(text: str) -> str:
    """Return the first dice that a text names, such as `2d6`, or `D66` for dice read as digits; ""
    if it names none, or if they cannot be rolled.
    """
    dice = _DICE.search(open_signs(text))
    if not dice:
        return ""
    count = int(dice[1] or 1)
    if count == 1 and (digits := digit_dice_called(dice[2])):
        return digits
    sides = 100 if dice[2] == "%" else int(dice[2])
    return f"{count}d{sides}" if can_be_rolled(count, sides) else ""


def remove_dice(text: str) -> str:
    """Return a title without the first dice that it names, and the brackets or the word Roll around
    them: `Weather (d6)` is `Weather`.
    """
    plain = open_signs(text)
    dice = _DICE.search(plain)
    if not dice:
        return text
    text_before = plain[: dice.start()].rstrip(" ([:-")
    if text_before.casefold().endswith(("(roll", "[roll")):
        text_before = text_before[: -len("(roll")].rstrip(" :-")
    text_after = plain[dice.end() :].lstrip(" )]:.-")
    return f"{text_before} {text_after}".strip()


def can_be_rolled(count: int, sides: int) -> bool:
    """Return whether a table can have these dice."""
    return 1 <= count <= 40 and 2 <= sides <= MOST_SIDES and count * sides <= MOST_TOTAL


def is_modified(text: str) -> bool:
    """Return whether a heading says that something is added to its dice: `2d6 + DRM`."""
    dice = _DICE.search(text)
    return bool(dice and _MODIFIED.search(text[dice.end() :]))
