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
"""The name of a cell's code in patterns, for cards that print the code and not its meaning."""
HALF = 0.5
_MINUS = "\u2212"


def list_names(pattern: str) -> list[str]:
    """Return the names of the values that a pattern prints."""
    return [field["name"] for field in _FIELD.finditer(pattern)]


def fill_pattern(pattern: str, values: Mapping[str, Any], say: Callable[[object], str]) -> str:
    """Return a cell as its card prints it; `say` puts a single value into words.

    `{name}` is a value, `{+name}` a number with its sign, `{½name}` one with ½ for a half. `{n+name}`
    is the letter n followed by the number with its sign, or n alone for 0. `{name|-}` prints the
    text after the bar if the value is blank (`is_blank`); without a bar a blank value is the word
    for "none". Of a list, `{name.2}` is the second item, and `{name: and/or, or}` all of them with
    their joining words.

    Text in `<...>` is left out if a value in it is blank; a value `{name?}` leaves it out if it is
    0 as well. If a value in it is true, the rest of the text is printed without it.
    """
    without_optional = _OPTIONAL.sub(
        lambda optional: _fill_optional(optional[1], values, say), pattern
    )
    filled = _FIELD.sub(lambda field: _fill_field(field, values, say), without_optional)
    return filled.strip(" ,")


def _get_field_value(field: re.Match[str], values: Mapping[str, Any]) -> Any:
    """Return the value that a field names; of a list the item with the field's number, if any."""
    value = values[field["name"]]
    return value[int(field["item"]) - 1] if field["item"] else value


def _fill_field(
    field: re.Match[str], values: Mapping[str, Any], say: Callable[[object], str]
) -> str:
    """Return the text for one field of a pattern, as `fill_pattern` describes it."""
    value = _get_field_value(field, values)
    if is_blank(value):
        return say("none") if field["blank"] is None else field["blank"]
    if field["letter"]:
        return field["letter"] + (format_signed(value) if value else "")
    if field["sign"] and isinstance(value, int | float):
        return format_signed(value) if field["sign"] == "+" else format_half(value)
    if isinstance(value, list):
        return join_items([say(item) for item in value], field["joiners"])
    return say(value)


def _fill_optional(pattern: str, values: Mapping[str, Any], say: Callable[[object], str]) -> str:
    """Return the text for a pattern in `<...>`; "" if one of its values leaves it out."""
    for field in _FIELD.finditer(pattern):
        value = _get_field_value(field, values)
        if is_blank(value) or (field["positive"] and not value):
            return ""
    without_true = _FIELD.sub(
        lambda field: "" if values[field["name"]] is True else field[0], pattern
    )
    return _FIELD.sub(lambda field: _fill_field(field, values, say), without_true)


def is_blank(value: object) -> bool:
    """Return whether a value of a cell says nothing: None, false, "", "none", [] or ["none"].

    0 is not blank.
    """
    return value is None or value is False or value in ("", "none") or value in ([], ["none"])


def format_signed(value: float) -> str:
    """Return a number with its sign, `+2` or `−1`; 0 has no sign."""
    return f"{value:+g}".replace("-", _MINUS) if value else "0"


def format_half(value: float) -> str:
    """Return a number with ½ for a half: `2½`, `½`. Any other fraction stays decimal."""
    if value % 1 != HALF:
        return f"{value:g}"
    return f"{value - HALF:g}½".removeprefix("0")


def join_items(items: list[str], joiners: str | None) -> str:
    """Join items by ", ", or by joining words.

    `joiners` has one word for each gap, separated by commas: `and/or, or`. The last of them also
    joins all further items.
    """
    if not joiners:
        return ", ".join(items)
    words = [word.strip() for word in joiners.split(",")]
    text = items[0]
    for index, item in enumerate(items[1:]):
        word = words[min(index, len(words) - 1)]
        text += f" {word} {item}"
    return text
