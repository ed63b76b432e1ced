"""Text hygiene: what moves the cursor, turns a line round or cannot be seen is kept out of what is
shown. `normalize.py` has the forms in which texts are stored and compared.
"""

import re
from functools import cache

from bot.rules.text.normalize import normalize_name, replace_strays, without_invisible

_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
"""What has no place in anything typed: controls, widths of zero, changes of direction. Tab and
newline may stay.
"""
_TO_THE_LEFT = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""Letters that are read from right to left."""


@cache
def _compile_any_of(signs: str) -> re.Pattern[str]:
    """Made when it is first needed: most processes that end after one answer never see such a
    sign.
    """
    return re.compile(f"[{signs}]")


def has_control(text: str) -> bool:
    """Return whether there is something in the text that has no place in anything typed."""
    return not text.isprintable() and remove_control(text) != text


def remove_control(text: str) -> str:
    """What was typed without what has no place in it."""
    return str(text) if text.isprintable() else replace_strays(text, _compile_any_of(_CONTROL), "")


def make_one_line(text: str) -> str:
    """A text as it may be shown in one line: what moves the cursor, turns the line or cannot be
    written becomes `?`.
    """
    if text.isprintable():
        return str(text)
    return replace_strays(text, _compile_any_of(rf"\t\n{_CONTROL}"), "?")


def make_storable(text: str) -> str:
    """A text as every store can hold it: half a character, which no UTF-8 has, and NUL become
    signs of their own.
    """
    if text.isascii() and "\0" not in text:
        return text
    found = text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if found == text else found


def remove_invisible(text: str) -> str:
    """Text without what cannot be seen or turns its direction: such characters only spoof."""
    return without_invisible(text)


def isolate_text(text: str) -> str:
    """Visible text whose words from right to left turn nothing beside them: set apart, numbers
    keep their places.
    """
    text = remove_invisible(text)
    if text.isascii():
        return text
    return re.sub(rf"[{_TO_THE_LEFT}]+(?: +[{_TO_THE_LEFT}]+)*", "\u2068\\g<0>\u2069", text)


def clean_name(text: str, most: int = 32) -> str:
    """A name in one line, without control, invisible and direction-changing characters, at most
    so long; maybe "".
    """
    name = normalize_name(text)
    return name if len(name) <= most else normalize_name(name[:most])


def format_person_name(name: str) -> str:
    """A person's name as it is shown to others, never empty."""
    return clean_name(name, 60) or "somebody"


def cut_text(text: str, length: int) -> str:
    """At most `length` characters of one line, ending at a word, and never none."""
    text = " ".join(text.split()) or "-"
    return (
        text if len(text) <= length else text[: length - 1].rpartition(" ")[0].rstrip(" ,;:(") + "…"
    )
