"""The words of a table: its tokens, outputs and edges as the players of its game say them."""

import re
from collections.abc import Callable, Mapping

from bot.rules.text.line import minus

ANY_OTHER = {"*": "any other"}
"""The key of the row or case for all that no other names, and its head in words."""
_HYPHEN = re.compile(r"(?<=[a-z])-|-(?=[a-z])|_")
_OR_LESS = re.compile(r"\.\.(-?\d+(?:\.\d+)?)")
_BAND = re.compile(r"(-?\d+(?:\.\d+)?)(?:\.\.|(?<=\d)-)(-?\d+(?:\.\d+)?)")


def said(value: object, words: Mapping[str, str]) -> str:
    """Return a key or value of a table as players say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return minus(value)
    if isinstance(value, list | tuple):
        return ", ".join(said(item, words) for item in value)
    text = str(value)
    if word := words.get(text):
        return word
    if ", " in text:
        return ", ".join(said(part, words) for part in text.split(", "))
    pieces = [piece for part in text.strip("_").split() for piece in _HYPHEN.split(part)]
    return " ".join(_word(piece, words) for piece in pieces if piece) or text


def _word(piece: str, words: Mapping[str, str]) -> str:
    """Return a part of a token as the game says it; a single letter is no word of its own there."""
    return piece if len(piece) == 1 else words.get(piece, piece)


def label(name: object, words: Mapping[str, str], say: Callable[[object], str]) -> str:
    """Return the name of an output as the game says it: `output b` in its words, else the name."""
    return words.get(f"output {name}") or say(name)


def print_edge(key: object, say: Callable[[object], str]) -> str:
    """Return the key of a row or column as cards print it: `0 or less` for `..0`, `\u22123 to
    \u22121` for `-3..-1`.
    """
    if key in ANY_OTHER:
        return ANY_OTHER[str(key)]
    if not isinstance(key, str):
        return say(key)
    if found := _OR_LESS.fullmatch(key):
        return f"{_figure(found[1])} or less"
    if found := _BAND.fullmatch(key):
        low, high = found.groups()
        is_negative = low.startswith("-") or high.startswith("-")
        return f"{_figure(low)}{' to ' if is_negative else '-'}{_figure(high)}"
    return say(key)


def _figure(text: str) -> str:
    return text.replace("-", "\u2212")
