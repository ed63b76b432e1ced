"""Ways in which phones, keyboards, web pages and spreadsheets write the same text otherwise."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

Change = Callable[[str], str]

LOOKALIKES: Mapping[str, Change] = {
    "phone apostrophe": lambda text: text.replace("'", "\u2019"),
    "modifier apostrophe": lambda text: text.replace("'", "\u02bc"),
    "prime": lambda text: text.replace("'", "\u2032"),
    "backtick": lambda text: text.replace("'", "`"),
    "en dash": lambda text: text.replace("-", "\u2013"),
    "em dash": lambda text: text.replace("-", "\u2014"),
    "minus": lambda text: text.replace("-", "\u2212"),
    "hyphen that does not break": lambda text: text.replace("-", "\u2011"),
    "space that does not break": lambda text: text.replace(" ", "\u00a0"),
    "thin space": lambda text: text.replace(" ", "\u2009"),
    "wide space": lambda text: text.replace(" ", "\u3000"),
    "two spaces": lambda text: text.replace(" ", "  "),
    "full width": lambda text: "".join(
        chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text
    ),
    "full-width figures": lambda text: "".join(
        chr(ord(sign) + 0xFEE0) if "0" <= sign <= "9" else sign for sign in text
    ),
    "Arabic figures": lambda text: "".join(
        chr(0x660 + int(sign)) if "0" <= sign <= "9" else sign for sign in text
    ),
    "letters and accents apart": lambda text: unicodedata.normalize("NFD", text),
    "zero width": lambda text: "\u200b".join(text),
    "soft hyphen": lambda text: "\u00ad".join(text),
    "byte order mark": lambda text: f"\ufeff{text}",
    "word joiner": lambda text: "\u2060".join(text),
    "ligature": lambda text: text.replace("fi", "\ufb01").replace("ff", "\ufb00"),
    "upper case": str.upper,
}
"""What is done to a text by name. The result is the same name, figure or word."""

LETTERED = {
    name: change for name, change in LOOKALIKES.items() if name not in ("full width", "upper case")
}
"""Those that leave the letters of a name as they were typed."""


def changed(text: str) -> dict[str, str]:
    """Return the ways to write a text that differ from it, by what is done to it."""
    ways = {name: change(text) for name, change in LOOKALIKES.items()}
    return {name: way for name, way in ways.items() if way != text}
