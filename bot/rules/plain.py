"""Text hygiene: the one definition of what nobody can see, or what turns a line round, and how it is kept out."""

from __future__ import annotations

import re
import unicodedata

_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
CONTROL = re.compile(f"[{_CONTROL}]")
"""What has no place in anything typed: controls, widths of zero, changes of direction. Tab and newline may stay."""
_NOT_IN_LINE = re.compile(rf"[\t\n{_CONTROL}]")
_BLANKS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0\ufe00-\ufe0f]")
"""Letters and marks by their category, yet nothing is to be seen of them."""
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def one_line(text: str) -> str:
    """A text as it may be shown in one line: what moves the cursor, turns the line or cannot be written becomes `?`."""
    return _NOT_IN_LINE.sub("?", text)


def visible(text: str) -> str:
    """Text without what cannot be seen or turns its direction: such characters only spoof."""
    if text.isascii() and text.isprintable():
        return text
    text = _BLANKS.sub("", text)
    return "".join(char for char in text if char in "\n\t " or unicodedata.category(char) not in _HIDDEN)


def clean_name(text: str, most: int = 32) -> str:
    """A name in one line, without control, invisible and direction-changing characters, at most so long; maybe ""."""
    return " ".join(visible(text).split())[:most].strip()
