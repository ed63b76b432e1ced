"""The edges of a table as cards print them."""

import re
from collections.abc import Callable

ANY_OTHER = {"*": "any other"}
"""The key of the row or case for all that no other names, and its head in words."""
_OR_LESS = re.compile(r"\.\.(-?\d+(?:\.\d+)?)")
_BAND = re.compile(r"(-?\d+(?:\.\d+)?)(?:\.\.|(?<=\d)-)(-?\d+(?:\.\d+)?)")


def format_edge_key(key: object, say: Callable[[object], str]) -> str:
    """Return the key of a row or column as cards print it: `0 or less` for `..0`, `\u22123 to
    \u22121` for `-3..-1`.
    """
    if key in ANY_OTHER:
        return ANY_OTHER[str(key)]
    if not isinstance(key, str):
        return say(key)
    if found := _OR_LESS.fullmatch(key):
        return f"{_format_figure(found[1])} or less"
    if found := _BAND.fullmatch(key):
        low, high = found.groups()
        is_negative = low.startswith("-") or high.startswith("-")
        return f"{_format_figure(low)}{' to ' if is_negative else '-'}{_format_figure(high)}"
    return say(key)


def _format_figure(text: str) -> str:
    return text.replace("-", "\u2212")
