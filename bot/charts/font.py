"""How wide text is in the one font of all pictures, which is in the package so that every host
draws the same.

The font is without its kerning: text is drawn just as wide as it is measured here, and in half the
time.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from fontTools.ttLib import TTFont

FAMILY = "Barlow Semi Condensed"
FILES = {
    False: Path(__file__).parent / "fonts" / "BarlowSemiCondensed-Regular.ttf",
    True: Path(__file__).parent / "fonts" / "BarlowSemiCondensed-Bold.ttf",
}
UNKNOWN = "?"
"""In place of a letter that the font has not."""
CYRILLIC = dict(zip("абвгдезийклмнопрстуфъыьэёіґў", "abvgdeziyklmnoprstuf'y'eeigw", strict=True)) | {
    "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "є": "ye", "ї": "yi",
    **dict(zip("♠♥♦♣", "shdc", strict=True)),
}  # fmt: skip
"""How names in Cyrillic and suits are written in the letters of the font; what else it has not
becomes a question mark."""


@dataclass(frozen=True, slots=True)
class Face:
    """The advance widths of a font by character, in parts of its em."""

    advances: Mapping[str, int]
    em: int


@cache
def load_face(bold: bool) -> Face:
    """The font in one weight, read from its file."""
    with TTFont(FILES[bold]) as font:
        widths = font["hmtx"].metrics
        glyphs = font.getBestCmap()
        known = {chr(code): widths[glyph][0] for code, glyph in glyphs.items()}
        # fonts map a few control signs, too
        seen = {sign: wide for sign, wide in known.items() if sign.isprintable()}
        return Face(seen, font["head"].unitsPerEm)


def replace_missing_letters(text: str) -> str:
    """The text in letters that the font has: Cyrillic is written in Latin ones, accents that it
    lacks are dropped, other signs become a question mark."""
    known = load_face(False).advances
    if all(sign in known for sign in text):
        return text
    signs = []
    for sign in " ".join(text.split()):
        if sign in known:
            signs.append(sign)
            continue
        if latin := CYRILLIC.get(sign.lower(), ""):
            signs.append(latin if sign.islower() else latin.capitalize())
            continue
        plain = "".join(part for part in unicodedata.normalize("NFKD", sign) if part in known)
        unseen = unicodedata.category(sign) in ("Mn", "Me", "Cc", "Cf", "Cs")
        signs.append(plain or ("" if unseen else UNKNOWN))
    return "".join(signs)


def measure_width(text: str, size: float, bold: bool = False) -> float:
    """How wide the text is, in pixels."""
    return _measure_ems(text, bold) * size


@lru_cache(8_192)  # the same words are measured in one size after another
def _measure_ems(text: str, bold: bool) -> float:
    font = load_face(bold)
    advances = font.advances
    return sum([advances.get(sign, font.em) for sign in text]) / font.em


def wrap_text(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """The text in lines no wider than `room`: broken between words, a longer word where it must
    be.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if measure_width(longer, size, bold) <= room:
            line = longer
            continue
        if line:
            lines.append(line)
        *whole, line = _break_word(word, room, size, bold)
        lines += whole
    return [*lines, line] if line or not lines else lines


def _break_word(word: str, room: float, size: float, bold: bool) -> list[str]:
    pieces = [""]
    for sign in word:
        if pieces[-1] and measure_width(pieces[-1] + sign, size, bold) > room:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def shorten_text(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, with an ellipsis where it is wider than `room`."""
    if measure_width(text, size, bold) <= room:
        return text
    while text and measure_width(f"{text}…", size, bold) > room:
        text = text[:-1].rstrip()
    return f"{text}…"


def measure_longest_word(text: str, size: float) -> float:
    """How wide the widest word of a bold text is."""
    return max((measure_width(word, size, True) for word in text.split()), default=0.0)
