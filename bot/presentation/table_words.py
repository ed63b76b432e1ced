"""Keys of rows and columns as cards print them."""

import re
from collections.abc import Callable

ANY_OTHER = {"*": "any other"}
"""The key of the row or case for all that no other names, and its head in words."""
_OR_LESS = re.compile(r"\.\.(-?\d+(?:\.\d+)?)")
_BAND = re.compile(r"(-?\d+(?:\.\d+)?)(?:\.\.|(?<=\d)-)(-?\d+(?:\.\d+)?)")


def format_edge_key(key: object, say: Callable[[object], str]) -> str:
    """Return the key of a row or column as cards print it.

    `..0` becomes `0 or less`, and `-3..-1` becomes `−3 to −1`. `say` formats any other value.
    """
    if key in ANY_OTHER:
        return ANY_OTHER[str(key)]
    if not isinstance(key, str):
        return say(key)
    match = _OR_LESS.fullmatch(key)
    if match:
        return f"{_format_figure(match[1])} or less"
    match = _BAND.fullmatch(key)
    if match:
        low, high = match.groups()
        is_negative = low.startswith("-") or high.startswith("-")
        separator = " to " if is_negative else "-"
        return f"{_format_figure(low)}{separator}{_format_figure(high)}"
    return say(key)


def _format_figure(text: str) -> str:
    return text.replace("-", "\u2212")
