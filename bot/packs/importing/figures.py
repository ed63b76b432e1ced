"""Figures as cards print them (`2-5`, `13+`, `3 or less`), and the dice whose totals they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Span = tuple[int | None, int | None]
"""From this figure to that one, both counted in; None where it is open."""

_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")
_N = r"(-?\d{1,5})"
_BETWEEN = re.compile(rf"{_N}\s*(?:-|\.\.|to|bis|/)\s*{_N}")
_MORE = re.compile(rf"(?:>=|≥)\s*{_N}|{_N}\s*(?:\+|or\s+(?:more|higher|above|over|better)|and\s+(?:up|above|over))")
_LESS = re.compile(rf"(?:<=|≤)\s*{_N}|{_N}\s*(?:-|or\s+(?:less|lower|below|under|fewer)|and\s+(?:below|under))")
_DICE = re.compile(r"(?<![a-z0-9])(\d{0,2})\s*[dw]\s*(66|\d{1,4}|%)(?![0-9])", re.IGNORECASE)
_MODIFIED = re.compile(r"\+|\bdrms?\b|\bmod", re.IGNORECASE)
D66 = "D66"
ONES = tuple(f"1d{sides}" for sides in (2, 3, 4, 6, 8, 10, 12, 20, 30, 100))
SEVERAL = ("2d6", "3d6", "2d10", "2d4", "2d8", "2d12", "2d20", "4d6", "3d10")


def figures(text: str) -> tuple[Span, ...]:
    """The figures of a heading, several where it lists them; nothing where it is a word."""
    said = " ".join(text.translate(_DASHES).casefold().split())
    spans = [_span(said)] if said else []
    if spans == [None] and "," in said:
        spans = [_span(part.strip()) for part in said.split(",") if part.strip()]
    found = tuple(span for span in spans if span is not None)
    return found if len(found) == len(spans) else ()


def _span(text: str) -> Span | None:
    if re.fullmatch(_N, text):
        return int(text), int(text)
    if found := _BETWEEN.fullmatch(text):
        low, high = int(found[1]), int(found[2])
        return low, 100 if high == 0 and found[2] == "00" else high
    if found := _MORE.fullmatch(text):
        return int(found[1] or found[2]), None
    if found := _LESS.fullmatch(text):
        return None, int(found[1] or found[2])
    if found := re.fullmatch(rf"([<>])\s*{_N}", text):
        return (int(found[2]) + 1, None) if found[1] == ">" else (None, int(found[2]) - 1)
    return None


def written(span: Span) -> str:
    """A span as a key of a table."""
    low, high = span
    if low is None:
        return f"..{high}"
    if high is None:
        return f"{low}+"
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low}..{high}"


def is_rising(spans: Iterable[Span]) -> bool:
    """Whether each span runs upward and begins behind the one before it."""
    last: int | None = None
    for number, (low, high) in enumerate(spans):
        if (low is None and number) or (low is not None and last is not None and low <= last):
            return False
        if low is not None and high is not None and high < low:
            return False
        if last is None and number:
            return False
        last = high
    return True


def covered(spans: Iterable[Span], *, inner: bool = False) -> tuple[int, int] | None:
    """The whole range of figures that the spans cover without a gap; open ends count as their printed figure.

    `inner` leaves lines with an open end out of it, except for that figure where it is next to the rest.
    """
    found: set[int] = set()
    for low, high in spans:
        if low is None or high is None:
            edge = high if low is None else low
            if not inner and edge is not None:
                found.add(edge)
            continue
        if high < low or high - low > 10_000:
            return None
        found.update(range(low, high + 1))
    if not found or len(found) != max(found) - min(found) + 1:
        return None
    return min(found), max(found)


def totals(dice: str) -> tuple[int, int]:
    """The lowest and highest total of dice such as 2d6."""
    count, _, sides = dice.partition("d")
    return int(count or 1), int(count or 1) * int(sides)


def dice_for(spans: Sequence[Span]) -> str:
    """The dice whose totals the figures are, exactly or with open ends; nothing where there are none."""
    for inner in (False, True):
        reach = covered(spans, inner=inner)
        found = next((dice for dice in (*ONES, *SEVERAL) if totals(dice) == reach), "")
        if found:
            return found
    return D66 if is_d66(spans) else ""


def is_d66(spans: Iterable[Span]) -> bool:
    """Whether the figures are two dice read as tens and ones, all 36 of them."""
    found = {figure for low, high in spans for figure in range(low or 0, (high or 0) + 1) if "0" not in str(figure)}
    return {tens * 10 + ones for tens in range(1, 7) for ones in range(1, 7)} <= found and max(found) <= 66


def dice_said(text: str) -> str:
    """The first dice that a text names, such as `2d6`; nothing where it names none that can be rolled."""
    found = _DICE.search(text)
    if not found:
        return ""
    if found[2] == "66":
        return D66
    count, sides = int(found[1] or 1), 100 if found[2] == "%" else int(found[2])
    return f"{count}d{sides}" if 1 <= count <= 40 and 2 <= sides <= 9_999 and count * sides <= 10_000 else ""


def is_modified(text: str) -> bool:
    """Whether a heading says that something is added to its dice: `2d6 + DRM`."""
    found = _DICE.search(text)
    return bool(found and _MODIFIED.search(text[found.end() :]))
