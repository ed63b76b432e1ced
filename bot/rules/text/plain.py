"""Removal of signs that are invisible, move the cursor or change the direction of a line, from text
to display.

`normalize.py` has the forms in which texts are stored and compared.
"""

import re
from functools import cache

from bot.rules.text.normalize import normalize_name, replace_strays, without_invisible

_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
"""Signs that typed text must not have: controls, signs without width, changes of direction, halves
of a surrogate pair. Tab and newline are allowed.
"""
_TO_THE_LEFT = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""Letters that are read from right to left."""


@cache
def _compile_any_of(signs: str) -> re.Pattern[str]:
    """Return the pattern for one of the signs, compiled at the first call: most processes that end
    after one answer never need it.
    """
    return re.compile(f"[{signs}]")


def has_control(text: str) -> bool:
    """Return whether a text has controls or invisible signs that `remove_control` would remove."""
    return not text.isprintable() and remove_control(text) != text


def remove_control(text: str) -> str:
    """Return a typed text without controls, invisible signs and changes of direction. Tabs, line
    breaks and signs that an emoji or a script needs stay.
    """
    return str(text) if text.isprintable() else replace_strays(text, _compile_any_of(_CONTROL), "")


def make_one_line(text: str) -> str:
    """Return a text to display in one line, with `?` for each sign that `remove_control` would
    remove and for tabs and line breaks.
    """
    if text.isprintable():
        return str(text)
    return replace_strays(text, _compile_any_of(rf"\t\n{_CONTROL}"), "?")


def make_storable(text: str) -> str:
    """Return a text that every store accepts: `?` for half of a surrogate pair, which UTF-8 cannot
    write, and a replacement character for NUL. Any other text is returned as the same object.
    """
    if text.isascii() and "\0" not in text:
        return text
    stored = text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if stored == text else stored


def remove_invisible(text: str) -> str:
    """Return a text without invisible signs and changes of direction, which only deceive."""
    return without_invisible(text)


def isolate_text(text: str) -> str:
    """Return a text without invisible signs, with its words that run from right to left isolated,
    so that numbers next to them keep their places.
    """
    text = remove_invisible(text)
    if text.isascii():
        return text
    return re.sub(rf"[{_TO_THE_LEFT}]+(?: +[{_TO_THE_LEFT}]+)*", "\u2068\\g<0>\u2069", text)


def clean_name(text: str, max_length: int = 32) -> str:
    """Return a typed name in one line, without invisible signs, cut to `max_length` characters.

    It may be "".
    """
    name = normalize_name(text)
    return name if len(name) <= max_length else normalize_name(name[:max_length])


def format_person_name(name: str) -> str:
    """Return a person's name to display, at most 60 characters; `somebody` if nothing is left."""
    return clean_name(name, 60) or "somebody"


def cut_text(text: str, length: int) -> str:
    """Return a text in one line of at most `length` characters.

    A longer one ends at a word, with an ellipsis; an empty one is `-`.
    """
    text = " ".join(text.split()) or "-"
    if len(text) <= length:
        return text
    whole_words = text[: length - 1].rpartition(" ")[0]
    return whole_words.rstrip(" ,;:(") + "…"
