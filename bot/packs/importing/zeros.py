"""Rows that begin at 0: ten-sided dice show 0 for 10, and 00 for 100."""

from collections.abc import Sequence

from bot.packs.importing.figures import Span, find_limits

_HIGHEST = {"1d10": 10, "1d100": 100}


def find_die_from_zero(spans: Sequence[Span]) -> str:
    """Return the ten-sided dice whose faces spans print as 0-9 (`1d10`) or 00-99 (`1d100`); "" for
    other spans.
    """
    figures = set[int]()
    for low, high in spans:
        if low is None or high is None:
            return ""
        if high - low <= 100:
            figures.update(range(low, high + 1))
    for dice, highest in _HIGHEST.items():
        if figures == {*range(highest)}:
            return dice
    return ""


def read_zero_as_highest(
    rows: Sequence[tuple[Span, ...]], dice: str, questions: list[str]
) -> list[tuple[Span, ...]]:
    """Return the rows of a ten-sided die with 0 read as its highest face, which adds a question.

    Rows stay as they are for other dice, if they are open-ended, and if they have the highest face
    as well.
    """
    highest = _HIGHEST.get(dice)
    spans = [span for row in rows for span in row]
    if highest is None or not spans or any(None in span for span in spans):
        return list(rows)
    lowest_figure, highest_figure = find_limits(spans)
    if lowest_figure != 0 or highest_figure >= highest:
        return list(rows)
    zero = "0" if highest == 10 else "00"
    questions.append(f"{zero} is read as {highest}, as on a die with that face")
    return [tuple(part for span in row for part in _split_span(span, highest)) for row in rows]


def _split_span(span: Span, highest: int) -> list[Span]:
    """Return a span with its 0, if any, as a span of its own: 0-4 is 1-4 and the `highest`."""
    low, high = span
    if low != 0:
        return [span]
    if high == 0:
        return [(highest, highest)]
    return [(1, high), (highest, highest)]
