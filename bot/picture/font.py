"""How wide text is in the one font of all pictures, which is in the package so that every host draws the same.

The font is without its kerning: text is drawn just as wide as it is measured here, and in half the time.
"""

import struct
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

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
"""How names in Cyrillic and suits are written in the letters of the font; what else it has not becomes a question
mark."""


@dataclass(frozen=True, slots=True)
class Face:
    """The advance widths of a font by character, in parts of its em."""

    advances: Mapping[str, int]
    em: int


@cache
def face(bold: bool) -> Face:
    """The font in one weight, read from its file."""
    data = FILES[bold].read_bytes()
    tables = {}
    for at in range(struct.unpack_from(">H", data, 4)[0]):
        tag, _, start, _ = struct.unpack_from(">4sLLL", data, 12 + 16 * at)
        tables[tag] = start
    em = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    count = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[0]
    widths = struct.unpack_from(f">{'Hh' * count}", data, tables[b"hmtx"])[::2]
    glyphs = _glyphs(data, tables[b"cmap"])
    seen = {sign: glyph for sign, glyph in glyphs.items() if sign.isprintable()}  # fonts map a few control signs, too
    return Face({sign: widths[min(glyph, count - 1)] for sign, glyph in seen.items()}, em)


def _glyphs(data: bytes, cmap: int) -> dict[str, int]:
    """The glyph of each character, from the font's map for Unicode (format 4)."""
    for at in range(struct.unpack_from(">H", data, cmap + 2)[0]):
        platform, kind, offset = struct.unpack_from(">HHL", data, cmap + 4 + 8 * at)
        if (platform, kind) == (3, 1):
            break
    start = cmap + offset
    double = struct.unpack_from(">H", data, start + 6)[0]
    count = double // 2
    ends = struct.unpack_from(f">{count}H", data, start + 14)
    firsts = struct.unpack_from(f">{count}H", data, start + 16 + double)
    deltas = struct.unpack_from(f">{count}H", data, start + 16 + 2 * double)
    far = start + 16 + 3 * double
    offsets = struct.unpack_from(f">{count}H", data, far)
    found = {}
    for at, (first, end, delta, step) in enumerate(zip(firsts, ends, deltas, offsets, strict=True)):
        for code in range(first, min(end, 0xFFFE) + 1):
            glyph = code
            if step:
                (glyph,) = struct.unpack_from(">H", data, far + 2 * at + step + 2 * (code - first))
                if not glyph:
                    continue
            if glyph := (glyph + delta) % 65536:
                found[chr(code)] = glyph
    return found


def drawable(text: str) -> str:
    """The text in letters that the font has: Cyrillic is written in Latin ones, accents that it
    lacks are dropped, other signs become a question mark."""
    known = face(False).advances
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


def width(text: str, size: float, bold: bool = False) -> float:
    """How wide the text is, in pixels."""
    return _ems(text, bold) * size


@lru_cache(8_192)  # the same words are measured in one size after another
def _ems(text: str, bold: bool) -> float:
    font = face(bold)
    advances = font.advances
    return sum([advances.get(sign, font.em) for sign in text]) / font.em


def wrap(text: str, room: float, size: float, bold: bool = False) -> list[str]:
    """The text in lines no wider than `room`: broken between words, a longer word where it must be."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if width(longer, size, bold) <= room:
            line = longer
            continue
        if line:
            lines.append(line)
        *whole, line = _broken(word, room, size, bold)
        lines += whole
    return [*lines, line] if line or not lines else lines


def _broken(word: str, room: float, size: float, bold: bool) -> list[str]:
    pieces = [""]
    for sign in word:
        if pieces[-1] and width(pieces[-1] + sign, size, bold) > room:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def cut(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, with an ellipsis where it is wider than `room`."""
    if width(text, size, bold) <= room:
        return text
    while text and width(f"{text}…", size, bold) > room:
        text = text[:-1].rstrip()
    return f"{text}…"


def longest_word(text: str, size: float) -> float:
    """How wide the widest word of a bold text is."""
    return max((width(word, size, True) for word in text.split()), default=0.0)
