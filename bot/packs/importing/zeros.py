"""Rows that begin at 0: ten-sided dice show 0 for 10, and 00 for 100."""

from collections.abc import Sequence

from bot.packs.importing.figures import Span, find_limits

_HIGHEST = {"1d10": 10, "1d100": 100}


def find_die_from_zero(spans: Sequence[Span]) -> str:
    """Return the ten-sided dice whose faces the spans print as 0-9 or 00-99; nothing for others."""
    figures = {
        figure
        for low, high in spans
        if low is not None and high is not None and high - low <= 100
        for figure in range(low, high + 1)
    }
    if any(None in span for span in spans):
        return ""
    for dice, highest in _HIGHEST.items():
        if figures == {*range(highest)}:
            return dice
    return ""


def read_zero_as_highest(
    rows: Sequence[tuple[Span, ...]], dice: str, questions: list[str]
) -> list[tuple[Span, ...]]:
    """Return the rows of a ten-sided die with 0 read as its highest face, which is asked about.

    Rows stay as they are for other dice, and if they have the highest face as well.
    """
    highest = _HIGHEST.get(dice)
    flat = [span for row in rows for span in row]
    if highest is None or not flat or any(None in span for span in flat):
        return list(rows)
    if find_limits(flat)[0] != 0 or find_limits(flat)[1] >= highest:
        return list(rows)
    zero = "0" if highest == 10 else "00"
    questions.append(f"{zero} is read as {highest}, as such a die shows it")
    return [tuple(part for span in row for part in _split_span(span, highest)) for row in rows]


def _split_span(span: Span, highest: int) -> list[Span]:
    low, high = span
    if low != 0:
        return [span]
    if high == 0:
        return [(highest, highest)]
    return [(1, high), (highest, highest)]
