"""The rows and columns of a table: printed keys such as `2-5`, `13+`, `squad, crew` or `*`,
found in microseconds.
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
BLANK = "_"
"""In place of a cell, of a column's head or of what a modifier adds: to be typed from one's own
card.
"""


class Axis(NamedTuple):
    """One edge of a table: exact keys in `exact`, bands of numbers in `uppers` and `bands`.

    A band of whole numbers holds both its edges. A band of a decimal number reaches from above the
    band before it up to and including its upper figure, as such bands are printed.
    """

    exact: Mapping[Any, int]
    lowers: tuple[float, ...] = ()
    uppers: tuple[float, ...] = ()
    bands: tuple[int, ...] = ()
    rest: int | None = None

    def find(self, value: Any) -> int | None:
        """Position of the row or column that answers `value`, or None."""
        position = self.exact.get(value)
        if position is not None:
            return position
        if self.uppers and isinstance(value, int | float):
            at = bisect_left(self.uppers, value)
            if at < len(self.uppers) and self.lowers[at] <= value:
                return self.bands[at]
        return self.rest


def build_axis(
    keys: Sequence[object],
    file: str,
    *,
    decimal: bool = False,
    clamp: bool = False,
    words: Collection[object] = (),
) -> Axis:
    """An Axis over printed keys, in their order. Raises TableError for keys that overlap or cannot
    be read.

    `clamp` lets the first and last band answer what is beyond the printed edges. `words` are the
    tokens that the axis stands for: odds of `3-2` are a word, no band.
    """
    exact: dict[Any, int] = {}
    bands: list[tuple[float, float, int]] = []
    rest: int | None = None
    for position, key in enumerate(keys):
        for part in _split_key(key):
            if part in ("*", BLANK):
                rest = position if part == "*" else rest
                continue
            band = None if part in words else _read_band(part)
            if band is None:
                if part in exact:
                    raise TableError(file, "the key is given twice", row=part)
                exact[part] = position
            else:
                if band[0] > band[1]:
                    raise TableError(
                        file, "the band runs downward; write the lower figure first", row=part
                    )
                bands.append((*band, position))
    if bands and any(isinstance(key, int) and not isinstance(key, bool) for key in exact):
        bands += [(key, key, exact.pop(key)) for key in list(exact) if isinstance(key, int)]
    bands.sort()
    for (_, upper, _), (lower, _, position) in pairwise(bands):
        if lower < upper or (lower == upper and not decimal):
            raise TableError(file, f"overlaps the band before it at {upper:g}", row=keys[position])
    if clamp and not bands:
        bands = sorted((key, key, at) for key, at in exact.items() if isinstance(key, int))
        exact = {key: at for key, at in exact.items() if not isinstance(key, int)}
    if clamp and bands:
        bands[0] = (float("-inf"), bands[0][1], bands[0][2])
        bands[-1] = (bands[-1][0], float("inf"), bands[-1][2])
    lowers, uppers, places = zip(*bands, strict=True) if bands else ((), (), ())
    return Axis(exact, lowers, uppers, places, rest)


def build_heading_axis(headings: Sequence[float], *, meaning: str, clamp: bool) -> Axis:
    """Columns headed by single figures: `from` this figure on, or up `to` this figure."""
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
    """Declared values of `option` that no key answers. Raises Slip."""
    if option.type == "enum":
        domain: Iterable[object] = option.values
    elif option.type == "bool":
        domain = (False, True)
    elif option.type == "int" and option.min is not None and option.max is not None:
        if option.max - option.min > WIDEST:
            raise Slip(
                f"{option.name} has more than {WIDEST} values: too many to look at each of them"
            )
        domain = range(int(option.min), int(option.max) + 1)
    else:
        return ()
    return [value for value in domain if axis_.find(value) is None]


def describe_gap(keys: Sequence[object], axis_: Axis, value: object) -> str:
    """` (between 6-7 and 9)`: the keys on both sides of a figure that none answers; empty where
    there are not both.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    sides = (range(value - 1, value - 1_000, -1), range(value + 1, value + 1_000))
    found = [
        next((keys[at] for one in side if (at := axis_.find(one)) is not None), None)
        for side in sides
    ]
    return "" if None in found else f" (between {found[0]} and {found[1]})"


def _get_value_below(upper: float) -> float:
    return upper - 1 if isinstance(upper, int) else upper - 1e-9


def _split_key(key: object) -> list[Any]:
    if not isinstance(key, str):
        return [key]
    return [part.strip() for part in key.split(",")] if "," in key else [key.strip()]


def _read_band(part: object) -> tuple[float, float] | None:
    if not isinstance(part, str):
        return None
    if re.fullmatch(r"-?\d+", part):
        return float(part), float(part)
    if found := _FROM.fullmatch(part):
        return float(found[1]), float("inf")
    found = _BAND.fullmatch(part)
    if not found or (found[1] is None and found[2] is None):
        return None
    return (
        float(found[1]) if found[1] is not None else float("-inf"),
        float(found[2]) if found[2] is not None else float("inf"),
    )
