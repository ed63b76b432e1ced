"""Patterns that print a cell of several values as its card has it: `{enter}[{extra}]`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_FIELD = re.compile(
    r"\{(?:(?P<letter>[a-z])(?=\+))?(?P<sign>[+½]?)(?P<name>\w+)(?:\.(?P<item>\d+))?(?P<positive>\?)?"
    r"(?:\|(?P<blank>[^{}:]*))?(?:: (?P<joiners>[^{}]*))?\}"
)
_OPTIONAL = re.compile(r"<([^<>]*)>")
CODE = "code"
"""The name of a cell's code in patterns, for cards that print the code and not what it means."""
HALF = 0.5
_MINUS = "\u2212"


def list_names(pattern: str) -> list[str]:
    """Return the names of the values that a pattern prints."""
    return [found["name"] for found in _FIELD.finditer(pattern)]


def fill_pattern(pattern: str, values: Mapping[str, Any], say: Callable[[object], str]) -> str:
    """Return a cell as its card prints it; `say` puts a single value into words.

    `{name}` is a value, `{+name}` a number with its sign, `{n+name}` one that is added to n,
    `{½name}` one with ½ for a half, `{name|-}` a dash if there is none. Of a list, `{name.2}` is
    the second item, and
    `{name: and/or, or}` all of them with their joining words. Text in `<...>` is left out if a
    value in it is none or no; of `{name?}` also if it is 0.
    """

    def get_value(found: re.Match[str]) -> Any:
        value = values[found["name"]]
        return value[int(found["item"]) - 1] if found["item"] else value

    def fill_field(found: re.Match[str]) -> str:
        value = get_value(found)
        if is_blank(value):
            return say("none") if found["blank"] is None else found["blank"]
        if found["letter"]:
            return found["letter"] + (format_signed(value) if value else "")
        if found["sign"] and isinstance(value, int | float):
            return format_signed(value) if found["sign"] == "+" else format_half(value)
        if isinstance(value, list):
            return join_items([say(item) for item in value], found["joiners"])
        return say(value)

    def fill_optional(found: re.Match[str]) -> str:
        fields = list(_FIELD.finditer(found[1]))
        for place in fields:
            value = get_value(place)
            if is_blank(value) or (place["positive"] and not value):
                return ""
        bare = _FIELD.sub(lambda it: "" if values[it["name"]] is True else it[0], found[1])
        return _FIELD.sub(fill_field, bare)

    return _FIELD.sub(fill_field, _OPTIONAL.sub(fill_optional, pattern)).strip(" ,")


def is_blank(value: object) -> bool:
    """Return whether a value of a cell is nothing: none, no, or a list with nothing in it."""
    return value is None or value is False or value in ("", "none") or value in ([], ["none"])


def format_signed(value: float) -> str:
    """Return a number with its sign; 0 has none."""
    return f"{value:+g}".replace("-", _MINUS) if value else "0"


def format_half(value: float) -> str:
    """Return a number with ½ for a half: `2½`."""
    if value % 1 != HALF:
        return f"{value:g}"
    return f"{value - HALF:g}½".removeprefix("0")


def join_items(items: list[str], joiners: str | None) -> str:
    """Join items by ", ", or by the words of `joiners`, of which the last goes on to the end."""
    if not joiners:
        return ", ".join(items)
    words = [word.strip() for word in joiners.split(",")]
    text = items[0]
    for place, item in enumerate(items[1:]):
        text += f" {words[min(place, len(words) - 1)]} {item}"
    return text
