"""The font of all pictures: its letters, and the width of text in it.

The font is in the package, so every host draws the same. It has no kerning: text is exactly as wide
as measured here, and is drawn in half the time.
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
"""The replacement for a letter that the font lacks."""
CYRILLIC = dict(zip("абвгдезийклмнопрстуфъыьэёіґў", "abvgdeziyklmnoprstuf'y'eeigw", strict=True)) | {
    "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "є": "ye", "ї": "yi",
    **dict(zip("♠♥♦♣", "shdc", strict=True)),
}  # fmt: skip
"""Cyrillic letters and card suits in letters of the font."""


@dataclass(frozen=True, slots=True)
class Face:
    """The advance widths of a font by character, in parts of its em."""

    advances: Mapping[str, int]
    em: int


@cache
def load_face(bold: bool) -> Face:
    """Load the widths of the letters of the regular or bold font from its file."""
    with TTFont(FILES[bold]) as font:
        metrics = font["hmtx"].metrics
        advances = {}
        for code, glyph in font.getBestCmap().items():
            char = chr(code)
            if char.isprintable():  # fonts map a few control characters, too
                advances[char] = metrics[glyph][0]
        return Face(advances, font["head"].unitsPerEm)


def replace_missing_letters(text: str) -> str:
    """Return the text in letters that the font has.

    Cyrillic becomes Latin, accents that the font lacks are dropped, invisible characters vanish, and
    all others become a question mark. A text that changes also loses its double spaces.
    """
    advances = load_face(False).advances
    if all(char in advances for char in text):
        return text
    pieces = []
    for char in " ".join(text.split()):
        pieces.append(char if char in advances else _replace_letter(char, advances))
    return "".join(pieces)


def _replace_letter(char: str, advances: Mapping[str, int]) -> str:
    """Return the letters of the font for one that it lacks."""
    latin = CYRILLIC.get(char.lower(), "")
    if latin:
        return latin if char.islower() else latin.capitalize()
    plain = "".join(part for part in unicodedata.normalize("NFKD", char) if part in advances)
    if plain:
        return plain
    is_invisible = unicodedata.category(char) in ("Mn", "Me", "Cc", "Cf", "Cs")
    return "" if is_invisible else UNKNOWN


def measure_width(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a text in pixels, for letters of `size` pixels."""
    return _measure_ems(text, bold) * size


@lru_cache(8_192)  # the same words are measured in one size after another
def _measure_ems(text: str, bold: bool) -> float:
    """Return the width of a text in ems: multiples of its font size."""
    font = load_face(bold)
    advances = font.advances
    return sum([advances.get(char, font.em) for char in text]) / font.em


def wrap_text(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """Break a text into lines no wider than `room` pixels.

    Lines break between words, and within a word only if it is too wide for a line.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer_line = f"{line} {word}" if line else word
        if measure_width(longer_line, size, bold) <= room:
            line = longer_line
            continue
        if line:
            lines.append(line)
        *full_lines, line = _break_word(word, room, size, bold)
        lines += full_lines
    if line or not lines:
        lines.append(line)
    return lines


def _break_word(word: str, room: float, size: float, bold: bool) -> list[str]:
    """Break a word into pieces no wider than `room` pixels, each with at least one letter."""
    pieces = [""]
    for char in word:
        if pieces[-1] and measure_width(pieces[-1] + char, size, bold) > room:
            pieces.append("")
        pieces[-1] += char
    return pieces


def shorten_text(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return the text, cut and with an ellipsis if it is wider than `room` pixels."""
    if measure_width(text, size, bold) <= room:
        return text
    while text and measure_width(f"{text}…", size, bold) > room:
        text = text[:-1].rstrip()
    return f"{text}…"


def measure_longest_word(text: str, size: float) -> float:
    """Return the width in pixels of the widest word of a bold text."""
    return max((measure_width(word, size, True) for word in text.split()), default=0.0)
