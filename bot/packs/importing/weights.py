"""Weights and percentages as the rows of a die: 3, 2, 1 become 1-3, 4-5, 6 of a d6."""

import re
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from bot.packs.importing.figures import MOST_SIDES, Span, normalize_figures
from bot.packs.importing.table_draft import make_import_error
from bot.rules.text.sum_words import is_sum_word

_WEIGHT_WORDS = frozenset(
    """
    weight weights weighting frequency freq odds-weight chances share shares tickets
    gewicht gewichtung häufigkeit poids peso fréquence frecuencia frequenza waga częstość
""".split()
)
_CHANCE_WORDS = frozenset(
    """
    chance percent percentage probability prob % wahrscheinlichkeit
    probabilité probabilités probabilidad probabilità pourcentage porcentaje percentuale prozent
    prawdopodobieństwo szansa
""".split()
)
_NUMBER = re.compile(r"(\d{1,6}(?:[.,]\d{1,2})?|0[.,]\d{1,4}|\d{1,4}/[1-9]\d{0,3})")
"""A weight, maybe with decimals. Three of them may be thousands, unless a 0 is before them."""
MOST_ROUNDED_SIDES = 1_000
_POINT = re.compile(r"\d[.,]\d")
_PERCENT = re.compile(r"(\d{1,3}(?:[.,]\d{1,2})?)\s?%")


def is_weight_heading(heading: str) -> bool:
    """Return whether a heading says that a column has weights: `Weight`, `Weight (of 10)`."""
    words = re.findall(r"[^\W\d_]+|%", normalize_figures(heading))
    return bool(words) and words[0] in _WEIGHT_WORDS


def is_chance_heading(heading: str) -> bool:
    """Return whether a heading says that a column has chances in percent: `Chance`, `%`."""
    words = re.findall(r"[^\W\d_]+|%", normalize_figures(heading))
    return bool(words) and words[0] in _CHANCE_WORDS


def read_weights(cells: Sequence[str]) -> list[Fraction]:
    """Return the cells of a column as weights (`3`, `2.5`, `2,5`, `1/3`); [] if one is not."""
    return _read_numbers(_NUMBER, cells)


def read_percents(cells: Sequence[str]) -> list[Fraction]:
    """Return the cells of a column as percentages (`50%`, `62,5 %`); [] if one is not."""
    return _read_numbers(_PERCENT, cells)


def _read_numbers(pattern: re.Pattern[str], cells: Sequence[str]) -> list[Fraction]:
    """Return the first group of a pattern in each cell as a number, [] if a cell does not match."""
    numbers = list[Fraction]()
    for cell in cells:
        match = pattern.fullmatch(normalize_figures(cell))
        if not match:
            return []
        numbers.append(Fraction(match[1].replace(",", ".")))
    return numbers


def find_precision(texts: Sequence[str]) -> Fraction:
    """Return the value of one unit in the last decimal place of numbers: 1/10 for `33.3%` and
    `50%`, 1 for whole numbers.
    """
    pointed = [text.strip(" %") for text in texts if _POINT.search(text)]
    decimals = [len(re.split("[.,]", text)[-1]) for text in pointed]
    return Fraction(1, 10 ** max(decimals, default=0))


def find_rounded_faces(chances: Sequence[Fraction], step: Fraction) -> list[int]:
    """Return how many faces each row has on the smallest die with about these chances, in percent;
    [] if there is none. Each may be off by `step`, and none is 0.
    """
    for sides in range(2, MOST_ROUNDED_SIDES + 1):
        faces = [round(chance * sides / 100) for chance in chances]
        if sum(faces) != sides or not all(faces):
            continue
        chances_of_die = [Fraction(count * 100, sides) for count in faces]
        pairs = zip(chances_of_die, chances, strict=True)
        if all(abs(chance_of_die - chance) <= step for chance_of_die, chance in pairs):
            return faces
    return []


def has_sum_row(labels: Sequence[str], weights: Sequence[Fraction]) -> bool:
    """Return whether the last row is the sum of the others: a word such as `Total` is its label,
    and its weight is their sum.
    """
    if len(weights) < 2 or sum(weights[:-1]) != weights[-1]:
        return False
    return is_sum_word(labels[-1])


def _scale_to_whole(weights: Sequence[int | Fraction]) -> list[int]:
    """Return the smallest whole numbers with the same ratios as the weights."""
    scale = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * scale) for weight in weights]
    divisor = gcd(*whole) or 1
    return [weight // divisor for weight in whole]


def has_die(weights: Sequence[Fraction]) -> bool:
    """Return whether a die can have a face for each part of the weights."""
    return sum(_scale_to_whole(weights)) <= MOST_SIDES


def assign_spans(weights: Sequence[int | Fraction], title: str) -> tuple[str, list[Span]]:
    """Return the smallest die for weights, and the faces for each weight that is not 0.

    Weights of 3, 0 and 1 are ("1d4", [(1, 3), (4, 4)]). Raises UserError, with the
    `title` of the table, for weights that no die has.
    """
    whole = _scale_to_whole(weights)
    if not any(whole):
        raise make_import_error(f"The weights in {title[:40]} are all 0.")
    spans = list[Span]()
    sides = 0
    for weight in whole:
        if weight:
            spans.append((sides + 1, sides + weight))
            sides += weight
    if sides > MOST_SIDES:
        raise make_import_error(
            f"The weights of {title[:40]} add up to {sides:,}; a die has at most {MOST_SIDES:,} sides."
        )
    if sides == 1:  # a single result comes up whatever a die shows
        return "1d2", [(1, 2)]
    return f"1d{sides}", spans
