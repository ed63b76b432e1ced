"""The edges of a printed table: the ranges of its rows and columns, and which inputs they stand
for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from bot.rules.inputs.options import Option
from bot.rules.text.normalize import comparison_key, normalize_value, plain_signs

_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)?(?:\.\.|(?<=\d)-)(-?\d+(?:\.\d+)?)?")
_FROM = re.compile(r"(-?\d+(?:\.\d+)?)\+")
_INCHES = re.compile(r"(?<=\d)\s?(?:[\"\u2033\u201d]|in\.?(?![a-z]))")
"""The mark of inches after a figure: `0-15"`."""
_FIGURES = re.compile(r"\d+(?:,\d+)+")
_FIRST_FIGURE = re.compile(r"\d+(?:\.\d+)?")
BEYOND = 0.1
"""The distance from the end of a band to the first figure beyond it, as the card prints `18.1"`."""
_NAME = re.compile(r"[A-Za-z_]\w*")


def list_ranges(data: Mapping[str, Any]) -> frozenset[str]:
    """Return the ranges that a table file prints as rows or columns: `3-4`, `13+`, `2,4,6`."""
    ranges = set[str]()
    for body in list_bodies(data):
        columns = body.get("columns") or {}
        for key in (*(body.get("cells") or ()), *(columns.get("heads") or ())):
            parts = [part.strip() for part in str(key).split(",")]
            ranges.update(part for part in parts if _RANGE.fullmatch(part) or _FROM.fullmatch(part))
            figures = ",".join(parts)
            if _FIGURES.fullmatch(figures):
                ranges.add(figures)
        ranges.update(_list_heading_ranges(columns))
    return frozenset(ranges)


def _list_heading_ranges(columns: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ranges that columns headed by single whole figures stand for."""
    figures = columns.get("from") or ()
    if figures and all(isinstance(figure, int) for figure in figures):
        for lower, following in pairwise(figures):
            yield f"{lower}-{following - 1}"
        yield f"{figures[-1]}+"


def list_bodies(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every body under `read` of a table file in its order; a body with a `pick` is followed
    by the bodies in the pick.
    """
    bodies = data.get("read") or []
    yield from _walk_bodies(bodies if isinstance(bodies, list) else [bodies])


def _walk_bodies(bodies: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the bodies and those in their picks; skip anything that is no mapping."""
    for body in bodies:
        if not isinstance(body, Mapping):
            continue
        yield body
        picked = body.get("pick")
        if isinstance(picked, Mapping):
            yield from _walk_bodies(picked.values())


def read_range(option: Option, typed: object, ranges: frozenset[str]) -> object:
    """Return the number, as text, for a range as the card prints it.

    A range of `ranges` gives its lower figure, or the upper one if it has no lower; a figure below
    the minimum of the option gives that minimum. A printed list of figures (`2,4,6`) gives the
    first. A plus sign after the maximum of an option is read if that option takes higher numbers
    as its maximum. A number may stand in brackets or have a mark of inches.

    Anything else is returned as it was typed, as is everything for an option that takes no number.
    """
    if not isinstance(typed, str) or option.type not in ("int", "number"):
        return typed
    text = normalize_value(typed)
    text = _INCHES.sub("", text)
    if re.fullmatch(r"\(\d{1,9}\)", text):
        return text.strip("()")
    figures = text.replace(" ", "")
    if figures in ranges and _FIGURES.fullmatch(figures):
        return figures.partition(",")[0]
    is_maximum = option.clamp in ("high", "both") and text == f"{option.max}+"
    match = _RANGE.fullmatch(text) or _FROM.fullmatch(text)
    if match is None or not (text in ranges or is_maximum):
        return text if _is_number(text) else typed
    lower, upper = (*match.groups(), None)[:2]
    figure = lower if lower is not None else upper
    return _raise_to_least(option, figure)


def _raise_to_least(option: Option, figure: str | None) -> str | None:
    """Return a figure, or the least that the option takes if that is higher."""
    if option.min is None or figure is None or float(figure) >= option.min:
        return figure
    return f"{option.min:g}"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d{1,9}(?:\.\d{1,6})?", text) is not None


def list_names(data: Mapping[str, Any]) -> Mapping[tuple[str, str], object]:
    """Return the key of each row and column that the card prints under a name of its own, such as
    `0-15"` or `good morale`.

    Keys of the result are pairs: the input that the row or column is found by, and the name as
    `fold_printed` compares it.
    """
    names: dict[tuple[str, str], object] = {}
    for body in list_bodies(data):
        columns = body.get("columns") or {}
        for key, name in (body.get("names") or {}).items():
            for edge in (body.get("rows"), columns.get("by")):
                names.setdefault((str(edge), fold_printed(str(name))), key)
    return names


def read_name(option: Option, typed: object, names: Mapping[tuple[str, str], object]) -> object:
    """Return the value of `option` that finds the row or column with the printed name `typed`.

    `names` are those of `list_names`. Anything that is no such name is returned as it was typed.
    """
    if not isinstance(typed, str) or option.type not in ("enum", "int", "number"):
        return typed
    name = fold_printed(typed)
    key = names.get((option.name, name))
    if key is None or isinstance(key, bool):
        return typed
    if option.type == "enum":
        return str(key) if str(key) in option.values else typed
    return _find_figure(option, name, str(key)) or typed


def _find_figure(option: Option, name: str, key: str) -> str:
    """Return a figure, as text, that falls into the band `key`, which is printed under `name`.

    It is the key if that is a number, else the figure that the name begins with. For decimal
    options without either it is the lower limit of the band if the name begins with `<`, else a
    figure just above that limit. Return "" if there is no such figure.
    """
    if _is_number(key):
        return key
    figure = _FIRST_FIGURE.match(name)
    if figure is not None:
        return figure[0]
    band = _RANGE.fullmatch(key) or _FROM.fullmatch(key)
    if band is None or option.type != "number":
        return ""
    lower = band[1] or f"{option.min or 0:g}"
    if name.startswith("<"):
        return lower
    return f"{float(lower) + BEYOND:g}"


def fold_printed(name: str) -> str:
    """Return a printed name as it is compared: in lower case, with plain signs and without marks of
    inches.
    """
    return comparison_key(_INCHES.sub("", plain_signs(name)))


def order_by_edges(
    inputs: Iterable[Option], rolled: Iterable[str], data: Mapping[str, Any]
) -> tuple[Option, ...]:
    """Return the inputs in the order in which values without names are read: first those that find
    a row or column, then other required ones, then those that may be left out.

    An input in `rolled` finds a row or column by its die. If a row or column is found by a formula
    or a derived value, the inputs in it that are required or rolled count; if none are, all of them.
    """
    inputs = tuple(inputs)
    rolled = frozenset(rolled)
    names = {option.name for option in inputs}
    needed = {option.name for option in inputs if option.is_required} | rolled
    derived = data.get("derive") or {}
    edges = set(rolled)
    for body in list_bodies(data):
        columns = body.get("columns") or {}
        bands = body.get("bands") or {}
        for edge in (body.get("rows"), columns.get("by"), bands.get("by"), body.get("by")):
            if edge in names:
                edges.add(str(edge))
                continue
            formula_inputs = _list_formula_inputs(str(edge or ""), derived, names)
            edges |= formula_inputs & needed or formula_inputs

    def get_order(option: Option) -> tuple[bool, bool]:
        return option.name not in edges, option.name not in needed

    return tuple(sorted(inputs, key=get_order))


def _list_formula_inputs(formula: str, derived: Mapping[str, Any], names: set[str]) -> set[str]:
    """Return those of `names` that a formula uses, itself or through the formulas of `derived`."""
    inputs = set[str]()
    pending = _NAME.findall(formula)
    followed = set[str]()
    while pending:
        name = pending.pop()
        if name in names:
            inputs.add(name)
        elif name in derived and name not in followed:
            followed.add(name)
            pending += _NAME.findall(str(derived[name]))
    return inputs
