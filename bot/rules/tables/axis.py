"""Rows and columns of a table, looked up by printed keys such as `2-5`, `13+`, `squad, crew` or
`*`.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from bot.rules.errors import Slip, TableError
from bot.rules.inputs.options import Option

_BAND = re.compile(r"(-?\d+(?:\.\d+)?)?\s*(?:\.\.|(?<=\d)-)\s*(-?\d+(?:\.\d+)?)?")
_FROM = re.compile(r"(-?\d+(?:\.\d+)?)\+")
WIDEST = 10_000
"""Maximum number of whole numbers an input may take if an axis has to answer each of them."""
BLANK = "_"
"""The mark for a cell, a column head or the value of a modifier that the file leaves out: players
type it from their own card.
"""


_Band = tuple[float, float, int]
"""The lower and upper limit of a band, both inclusive, and the position of its row or column."""


class Axis(NamedTuple):
    """One edge of a table, which finds the position of the row or column for a value.

    Bands of numbers are three parallel tuples in rising order. Neighboring decimal bands may share
    a limit. The lower band then answers that figure.
    """

    exact: Mapping[Any, int]
    """The position of each single key."""
    lowers: tuple[float, ...] = ()
    """The lower limits of the bands, inclusive."""
    uppers: tuple[float, ...] = ()
    """Their upper limits, inclusive."""
    bands: tuple[int, ...] = ()
    """Their positions."""
    fallback: int | None = None
    """The position of the key `*`, which answers all other values; None without one."""

    def find(self, value: Any) -> int | None:
        """Return the position of the row or column that answers `value`, or None."""
        position = self.exact.get(value)
        if position is not None:
            return position
        if self.uppers and isinstance(value, int | float):
            index = bisect_left(self.uppers, value)
            if index < len(self.uppers) and self.lowers[index] <= value:
                return self.bands[index]
        return self.fallback


def build_axis(
    keys: Sequence[object],
    file: str,
    *,
    decimal: bool = False,
    clamp: bool = False,
    words: Collection[object] = (),
) -> Axis:
    """Build an Axis from printed keys, in their order.

    `decimal` lets a band begin at the figure at which the band before it ends. `clamp` lets the
    first and last band answer values beyond the printed edges. `words` are the tokens that the
    input of the axis may take: a key `3-2` that is among them (odds) is a word, not a band.
    `file` is named in errors.

    Raises TableError for a key that is given twice, a band that runs downward and bands that
    overlap.
    """
    exact, bands, fallback = _sort_keys(keys, words, file)
    if bands and any(isinstance(key, int) and not isinstance(key, bool) for key in exact):
        bands += _take_whole_numbers(exact)
    bands.sort()
    _check_overlaps(bands, keys, file, decimal=decimal)
    if clamp:
        bands = bands or sorted(_take_whole_numbers(exact))
        _open_outer_bands(bands)
    lowers = tuple([lower for lower, _, _ in bands])
    uppers = tuple([upper for _, upper, _ in bands])
    positions = tuple([position for _, _, position in bands])
    return Axis(exact, lowers, uppers, positions, fallback)


def _sort_keys(
    keys: Sequence[object], words: Collection[object], file: str
) -> tuple[dict[Any, int], list[_Band], int | None]:
    """Return the position of each single key, the bands, and the position of `*` or None.

    Raises TableError for a single key that is given twice and for a band that runs downward.
    """
    exact: dict[Any, int] = {}
    bands: list[_Band] = []
    fallback: int | None = None
    for position, key in enumerate(keys):
        for part in _split_key(key):
            if part == "*":
                fallback = position
                continue
            if part == BLANK:
                continue
            band = None if part in words else _read_band(part)
            if band is None:
                if part in exact:
                    raise TableError(file, "the key is given twice", row=part)
                exact[part] = position
                continue
            lower, upper = band
            if lower > upper:
                problem = "the band runs downward; write the lower number first"
                raise TableError(file, problem, row=part)
            bands.append((lower, upper, position))
    return exact, bands, fallback


def _take_whole_numbers(exact: dict[Any, int]) -> list[_Band]:
    """Remove the whole numbers from `exact`, and return each as a band of one figure."""
    numbers = [key for key in exact if isinstance(key, int)]
    return [(number, number, exact.pop(number)) for number in numbers]


def _check_overlaps(
    bands: Sequence[_Band], keys: Sequence[object], file: str, *, decimal: bool
) -> None:
    """Raise TableError if two of the sorted bands overlap; decimal ones may share a limit."""
    for (_, upper, _), (lower, _, position) in pairwise(bands):
        if lower < upper or (lower == upper and not decimal):
            raise TableError(file, f"overlaps the band before it at {upper:g}", row=keys[position])


def _open_outer_bands(bands: list[_Band]) -> None:
    """Let the first and the last of the sorted bands reach to infinity. Changes `bands`."""
    if not bands:
        return
    _, first_upper, first_position = bands[0]
    bands[0] = (float("-inf"), first_upper, first_position)
    last_lower, _, last_position = bands[-1]
    bands[-1] = (last_lower, float("inf"), last_position)


def build_heading_axis(headings: Sequence[float], *, meaning: str, clamp: bool) -> Axis:
    """Build the Axis of columns headed by single figures, which must rise.

    If `meaning` is `from`, a column takes values from its figure up to the next column; otherwise
    (`to`) it takes values above the column before it, up to its own figure. The outer column is
    open at the side without a figure; `clamp` opens the other side, too. The Axis is empty if a
    heading is blank.
    """
    infinity = float("inf")
    if BLANK in map(str, headings):
        return Axis({})
    if meaning == "from":
        lowers = tuple(headings)
        uppers = (*(_get_value_below(upper) for upper in headings[1:]), infinity)
        lowers = (-infinity, *lowers[1:]) if clamp else lowers
    else:
        uppers = tuple(headings)
        lowers = (-infinity, *headings[:-1])
        uppers = (*uppers[:-1], infinity) if clamp else uppers
    return Axis({}, lowers, uppers, tuple(range(len(headings))))


def find_gaps(axis_: Axis, option: Option) -> Iterable[object]:
    """Return the values that `option` may take and that no key answers, in order.

    Only words, yes or no, and whole numbers with a minimum and a maximum are checked; of any other
    option nothing is returned. Raises Slip for more than WIDEST whole numbers.
    """
    if option.type == "enum":
        domain: Iterable[object] = option.values
    elif option.type == "bool":
        domain = (False, True)
    elif option.type == "int" and option.min is not None and option.max is not None:
        if option.max - option.min > WIDEST:
            raise Slip(f"{option.name} has more than {WIDEST} values: too many to check one by one")
        domain = range(int(option.min), int(option.max) + 1)
    else:
        return ()
    return [value for value in domain if axis_.find(value) is None]


def describe_gap(keys: Sequence[object], axis_: Axis, value: object) -> str:
    """Return the keys on both sides of an unanswered whole number: ` (between 6-7 and 9)`.

    Return "" for any other value, and if less than 1,000 away there is no key on one of the sides.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    key_below = _find_first_key(keys, axis_, range(value - 1, value - 1_000, -1))
    key_above = _find_first_key(keys, axis_, range(value + 1, value + 1_000))
    if key_below is None or key_above is None:
        return ""
    return f" (between {key_below} and {key_above})"


def _find_first_key(keys: Sequence[object], axis_: Axis, numbers: Iterable[int]) -> object:
    """Return the key that answers the first of the numbers which has an answer, or None."""
    for number in numbers:
        position = axis_.find(number)
        if position is not None:
            return keys[position]
    return None


def _get_value_below(upper: float) -> float:
    """Return a figure just below the limit, so that a typed 2.5 is still below 3."""
    return upper - 1e-9


def _split_key(key: object) -> list[Any]:
    """Return the parts of a key between its commas, without spaces at their ends."""
    if not isinstance(key, str):
        return [key]
    return [part.strip() for part in key.split(",")]


def _read_band(part: object) -> tuple[float, float] | None:
    """Return the limits of a band `2-5`, `2..5`, `13+`, `..4` or `7`; None for anything else.

    An open side is infinite. Only text is a band: a number of the file's own is a single key.
    """
    if not isinstance(part, str):
        return None
    if re.fullmatch(r"-?\d+", part):
        return float(part), float(part)
    open_band = _FROM.fullmatch(part)
    if open_band:
        return float(open_band[1]), float("inf")
    band = _BAND.fullmatch(part)
    if not band or (band[1] is None and band[2] is None):
        return None
    lower = float("-inf") if band[1] is None else float(band[1])
    upper = float("inf") if band[2] is None else float(band[2])
    return lower, upper
