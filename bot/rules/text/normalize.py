"""The two forms of every text that players type: the text that is stored and displayed, and the key
by which two texts are compared. No other module makes either of them.

`normalize_text` and `normalize_name` give the stored text. It keeps the signs that a player chose:
an apostrophe of a phone stays one. `comparison_key` gives the compared text, in which all
apostrophes are the same. `plain_signs` gives figures, signs and words of commands in ASCII.

`unicodedata` is loaded at the first text beyond ASCII: most processes that end after one answer
never need it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

MAX_CACHED = 256
"""Maximum number of results that each function of this module caches. A text has up to 4,000 signs,
so that a cache takes 8 MB at most.
"""


_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
"""Signs of which emoji are made."""
_JOINED = (
    "\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1a20-\u1aaf\u1b00-\u1b7f"
    "\ua980-\ua9df\uaa60-\uaa7f"
)
"""Letters of scripts in which an invisible joiner or non-joiner changes the visible text."""
_PICTURE = rf"[{_PICTURES}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_VISIBLE_SEQUENCE = re.compile(
    rf"\U0001f3f4[\U000e0020-\U000e007e]{{1,16}}\U000e007f"
    rf"|{_PICTURE}(?:\u200d{_PICTURE})*+"
    r"|[0-9#*]\ufe0f?\u20e3"
    rf"|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])"
)
"""Invisible signs with the signs that need them: flags, emoji of several signs, keycaps, joined
letters.
"""
_BLANKS = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164),
            *(0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Letters and marks by their category, but invisible."""
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_OTHER_SPACE = re.compile(r"[^\S\n\t ]")

_DASHES = "\u02d7\u058a\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = (
    "`\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u055a\u05f3\u2018\u2019\u201a\u201b"
    "\u2032\u2035\u2039\u203a\ua78b\ua78c\uff07\uff40"
)
_QUOTATION_MARKS = (
    '"\u00ab\u00bb\u02ba\u02dd\u05f4\u201c\u201d\u201e\u201f\u2033\u2036\u301d\u301e\u301f\uff02'
)
_RAISED = ("<super>", "<sub>", "<fraction>")
_TILDES = "\u02dc\u223c\u301c\uff5e"
_COMPARED = str.maketrans(
    {
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_APOSTROPHES, "'"),
        **dict.fromkeys(_QUOTATION_MARKS, "''"),
        **dict.fromkeys(_TILDES, "~"),
        **dict.fromkeys("\u2217\u204e", "*"),
        "\u2044": "/",
        "\u2215": "/",
        "\u200c": "",
        "\ufe0e": "",
        "\ufe0f": "",
        "\u0131": "i",
    }
)
"""Signs that look alike, and the one sign, or nothing, that stands for them in a key."""
_LIGATURES = dict(enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"), 0xFB00))
"""Joined Latin letters, which PDF files leave in a text that is copied from them."""
_DOTTED_I = re.compile("i\u0307+")
_STRAY_JOINER = re.compile(rf"(?<![{_PICTURES}\U0001f3fb-\U0001f3ff])\u200d")
_DASH_RUN = re.compile("--+")


COMMAS = re.compile("[,\uff0c\u3001\u060c]")
"""Commas of all keyboards, for `re.split`."""
ITEM_ENDS = re.compile("[,;\uff0c\u3001\u060c\uff1b\u061b]")
"""Commas and semicolons of all keyboards."""


class _PlainSigns(dict[int, str]):
    """The plain sign for the code of each sign, worked out when it is first asked for.

    A sign is replaced by a single one, so positions in a text stay the same.
    """

    def __missing__(self, code: int) -> str:
        from unicodedata import decimal

        sign = chr(code)
        if 0xFF01 <= code <= 0xFF5E:
            plain = chr(code - 0xFEE0)
        elif (digit := decimal(sign, None)) is not None:
            plain = str(digit)
        elif sign.isspace() and sign not in "\t\n":
            plain = " "
        else:
            return sign
        self[code] = plain
        return plain


_PLAIN = _PlainSigns(
    {
        **{ord(dash): "-" for dash in _DASHES},
        **{ord(plus): "+" for plus in "\u02d6\ufe62\uff0b"},
        **{ord(tilde): "~" for tilde in _TILDES},
        0xFE64: "<",
        0xFE65: ">",
        0xFE66: "=",
        0x204E: "*",
        0x2044: "/",
        0x2215: "/",
        0x2217: "*",
    }
)


def normalize_text(text: str) -> str:
    """Return a typed text as it is stored and displayed: composed letters, one kind of space and of
    line break, ligatures as single letters, and no sign that is invisible or changes the direction.

    Invisible signs that an emoji or a script needs stay. Lines and runs of spaces stay, too.

    >>> normalize_text("O\u2019Brien\u00a0Jr\u200b")
    'O\u2019Brien Jr'
    """
    if text.isascii() and text.isprintable():
        return text
    from unicodedata import normalize

    text = without_invisible(_BREAKS.sub("\n", text)).translate(_LIGATURES)
    return normalize("NFC", _OTHER_SPACE.sub(" ", text))


def normalize_name(text: str) -> str:
    """Return a typed name as it is stored and displayed: `normalize_text` in one line, with single
    spaces and none at its ends.
    """
    return " ".join(normalize_text(text).split())


def without_invisible(text: str) -> str:
    """Return a text without signs that are invisible or change its direction: they only deceive.

    Lines, tabs and spaces of all kinds stay, as do joiners and variants that an emoji or a script
    needs.
    """
    if text.isascii() and text.isprintable():
        return text
    return _replace_between_sequences(text, _without_strays)


def _replace_between_sequences(text: str, replace: Callable[[str], str]) -> str:
    """Return a text with `replace` applied to everything between the emoji and joined letters that
    need their invisible signs; these stay as they are.
    """
    pieces: list[str] = []
    start = 0
    for sequence in _VISIBLE_SEQUENCE.finditer(text):
        pieces.append(replace(text[start : sequence.start()]))
        pieces.append(sequence[0])
        start = sequence.end()
    pieces.append(replace(text[start:]))
    return "".join(pieces)


def _without_strays(text: str) -> str:
    """Return a text without any invisible sign but spaces, tabs and line breaks."""
    if text.isascii() and text.isprintable():
        return text
    from unicodedata import category

    return "".join(
        sign
        for sign in text
        if sign in "\n\t " or not (sign in _BLANKS or category(sign) in _HIDDEN)
    )


def replace_strays(text: str, strays: re.Pattern[str], replacement: str) -> str:
    """Return a text with each match of `strays` replaced, except in emoji and joined letters that
    need their invisible signs.
    """
    return _replace_between_sequences(text, lambda part: strays.sub(replacement, part))


@lru_cache(maxsize=MAX_CACHED)
def plain_signs(text: str) -> str:
    """Return a text with plain signs for full-width signs, foreign digits, dashes, minus signs and
    spaces. Each sign stays one sign, so positions in the text stay the same.

    >>> plain_signs("\uff12\uff44\uff16\u2212\u0661")
    '2d6-1'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def normalize_value(text: str) -> str:
    """Return a typed figure, word of a command or dice in the form that the parsers read:
    `plain_signs` without invisible signs and without spaces at its ends.
    """
    if text.isascii():
        return text.strip()
    return plain_signs(normalize_text(text)).strip()


@lru_cache(maxsize=MAX_CACHED)
def comparison_key(text: str) -> str:
    """Return the key of a text: two names with the same key are one name. Never show it.

    Case, width, kind and number of spaces, kind of dash, apostrophe and digit, ligatures and
    invisible signs do not count; accents, joined emoji and the order of words do.

    >>> comparison_key("O\u2019BRIEN  \ufb01le") == comparison_key("o'brien file")
    True
    """
    if text.isascii() and text.isprintable():
        folded = text.casefold().replace("`", "'").replace('"', "''")
    else:
        folded = _fold(normalize_text(text))
        while (further := _fold(folded)) != folded:  # a sign may open to one that folds once more
            folded = further
    if "--" in folded:
        folded = _DASH_RUN.sub("-", folded)  # phones turn two hyphens into one dash
    return " ".join(without_invisible(folded).split())


def _fold(text: str) -> str:
    """Return a text in small letters with one sign for all signs that look alike, once over."""
    from unicodedata import normalize

    text = normalize("NFKC", text.translate(_COMPARED)).casefold()
    text = normalize("NFKC", text.translate(_COMPARED))
    return _STRAY_JOINER.sub("", plain_digits(_DOTTED_I.sub("i", text)))


def open_signs(text: str) -> str:
    """Return a cell of a sheet with plain signs, and with a sign that stands for several written
    out: `plain_signs` and NFKC, which writes out ½, … and ℃.
    """
    if text.isascii():
        return text
    from unicodedata import normalize

    return plain_signs(normalize("NFKC", plain_signs(text)))


def has_raised_signs(text: str) -> bool:
    """Return whether a text has raised or lowered signs (a raised 2 is a note, not a digit of the
    figure before it) or fractions.
    """
    if text.isascii():
        return False
    from unicodedata import decomposition

    return any(decomposition(sign).startswith(_RAISED) for sign in text)


def ascii_letters(text: str) -> str:
    """Return a text for handles and ids: small letters without their accents, no sign beyond ASCII.

    >>> ascii_letters("Élan Straße 5")
    'elan strasse 5'
    """
    if text.isascii():
        return text.casefold()
    from unicodedata import normalize

    letters = normalize("NFKD", text).casefold()
    return letters.encode("ascii", "ignore").decode()


def plain_digits(text: str) -> str:
    """Return a text with the digits of all scripts as `0` to `9`."""
    if text.isascii() or not any(map(str.isdecimal, text)):
        return text
    from unicodedata import decimal

    return "".join(str(decimal(sign)) if sign.isdecimal() else sign for sign in text)


@lru_cache(maxsize=MAX_CACHED)
def word_key(text: str) -> str:
    """Return the key of a word of a command, a table or a game: `comparison_key` with hyphens for
    underscores.

    >>> word_key(" Half\u2013Squad "), word_key("good_order")
    ('half-squad', 'good-order')
    """
    return comparison_key(text).replace("_", "-")


class NameIndex(dict[str, T]):
    """A mapping by name that finds an entry by every spelling with the same `comparison_key`.

    An exact key goes first, so two entries whose names differ only in spelling, which older logs
    may have, are both found. Do not change the entries after the first look-up.
    """

    _keys: dict[str, str] | None = None

    def find_key(self, name: str) -> str | None:
        """Return the key of the entry with this name, or None."""
        if super().__contains__(name):
            return name
        if self._keys is None:
            self._keys = {comparison_key(key): key for key in reversed(self)}
        return self._keys.get(comparison_key(name))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find_key(name) is not None

    def __getitem__(self, name: str) -> T:
        key = self.find_key(name)
        return super().__getitem__(name if key is None else key)

    def get(self, name: str, default: T | None = None) -> T | None:  # type: ignore[override]
        """Return the entry with this name, or `default`."""
        key = self.find_key(name)
        return default if key is None else super().__getitem__(key)
