"""Dice that are read as digits, such as d66 (11 to 66) or d666, as the dice of a table: `D66`."""

from collections.abc import Iterable
from itertools import product

from bot.rules.expression.model import DIGIT_DICE, join_digits

D66 = "D66"
PLACES = ("hundreds", "tens", "ones")
_DIGITS = {f"D{number}": count_and_sides for number, count_and_sides in DIGIT_DICE.items()}
_NUMBERS = {
    dice: frozenset(join_digits(digits) for digits in product(range(1, sides + 1), repeat=count))
    for dice, (count, sides) in _DIGITS.items()
}


def digit_dice_called(number: str) -> str:
    """Return the dice that are called by a number, such as `D66` by "66"; "" if none are."""
    dice = f"D{number}"
    return dice if dice in _DIGITS else ""


def is_digit_dice(dice: str) -> bool:
    """Return whether dice are read as digits, such as `D66`, or `D66<` with the lower one first and
    `D66>` with the higher one first.
    """
    return dice.startswith("D")


def places_of(dice: str) -> tuple[str, ...]:
    """Return the place of each die in the number that they show: ("tens", "ones") of `D66`."""
    count, _ = _DIGITS[dice.rstrip("<>")]
    return PLACES[-count:]


def sides_of(dice: str) -> int:
    """Return the sides of each of the dice: 6 of `D66`."""
    return _DIGITS[dice.rstrip("<>")][1]


def numbers_of(dice: str) -> frozenset[int]:
    """Return all numbers that the dice show: 36 of them from 11 to 66 of `D66`."""
    return _NUMBERS[dice]


def digit_dice_for(spans: Iterable[tuple[int | None, int | None]]) -> str:
    """Return the dice whose numbers, all of them, the spans have, such as `D66` for 11-66; "" if
    there are none. Figures between these numbers, such as 17 to 20, do not matter.
    """
    figures = set[int]()
    for low, high in spans:
        numbers_in_span = range(low or 0, min(high or 0, 1_000) + 1)
        figures.update(number for number in numbers_in_span if "0" not in str(number))
    for dice, numbers in _NUMBERS.items():
        if figures >= numbers and max(figures) == max(numbers) and min(figures) == min(numbers):
            return dice
    return ""
