"""Weights and percentages as the rows of a die: 3, 2, 1 become 1-3, 4-5, 6 of a d6."""

import re
from collections.abc import Sequence
from math import gcd

from bot.packs.importing.draft import refused
from bot.packs.importing.figures import MOST_SIDES, Span, plain_figures

_WEIGHT_WORDS = frozenset(
    """
    weight weights weighting frequency freq odds-weight chances share shares tickets
    gewicht gewichtung häufigkeit poids peso
""".split()
)
_CHANCE_WORDS = frozenset("chance percent percentage probability prob % wahrscheinlichkeit".split())
_PERCENT = re.compile(r"(\d{1,3})(?:\.0{1,2})?\s?%")
_WHOLE = re.compile(r"(\d{1,6})(?:\.0{1,2})?")


def is_weight_heading(heading: str) -> bool:
    """Return whether a heading says that a column has weights: `Weight`, `Weight (of 10)`."""
    words = re.findall(r"[^\W\d_]+|%", plain_figures(heading))
    return bool(words) and words[0] in _WEIGHT_WORDS


def is_chance_heading(heading: str) -> bool:
    """Return whether a heading says that a column has chances in percent."""
    words = re.findall(r"[^\W\d_]+|%", plain_figures(heading))
    return bool(words) and words[0] in _CHANCE_WORDS


def weights_of(cells: Sequence[str]) -> list[int]:
    """Return the cells of a column as weights, [] if one is no whole number; 0.5 and 50% are none."""
    weights = [_WHOLE.fullmatch(plain_figures(cell)) for cell in cells]
    return [int(weight[1]) for weight in weights if weight] if all(weights) else []


def percents_of(cells: Sequence[str]) -> list[int]:
    """Return the cells of a column as percentages (`50%`), [] if one is none."""
    percents = [_PERCENT.fullmatch(plain_figures(cell)) for cell in cells]
    return [int(percent[1]) for percent in percents if percent] if all(percents) else []


def spans_of_weights(weights: Sequence[int], title: str) -> tuple[str, list[Span]]:
    """Return the die of the sum of weights, and its faces for each weight that is not 0. Raises
    UserError for weights that no die has.
    """
    common = gcd(*weights)
    if not common:
        raise refused(f"The weights of {title[:40]} are all 0.")
    spans = list[Span]()
    last = 0
    for weight in weights:
        if weight:
            spans.append((last + 1, last + weight // common))
            last += weight // common
    if last > MOST_SIDES:
        raise refused(
            f"The weights of {title[:40]} add up to {last:,}; a die has at most {MOST_SIDES:,} sides."
        )
    if last == 1:  # a single result comes up whatever a die shows
        return "1d2", [(1, 2)]
    return f"1d{last}", spans
