"""What the console draws around answers: sides in their colours, the bar of keys, where the game is, pictures."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any

from rich.console import Console
from rich.text import Text

from bot.interface.typing.complete import Known

BAR = {"F2": ("again", "a"), "F3": ("odds", "o"), "F4": ("target", "t"), "F5": ("board", "board")}
BAR |= {"F6": ("units", "unit list"), "F7": ("undo", "u"), "F8": ("pass", "p"), "F9": ("next", "n")}
"""Each key of the bar, what it is called, and the line that it types."""
SIGNS, ASCII_SIGNS = "●▲■◆", "*^#+"
COLOURS = ("bright_blue", "magenta", "green", "bright_cyan")
WIDE, BOARD = 160, 72
"""Columns from which on the board is kept in view, and how many of them it takes."""
LOGGED = 10
"""How many events are in view beside it."""
CHUNK = 4096  # of kitty's graphics: so many characters at a time


class Screen(Console):
    """A terminal that shows sides, wherever they are named, in their colours, and their rosters with their signs."""

    sides: tuple[str, ...] = ()
    board = log_lines = ""  # as they are drawn beside the prompt, and below it

    def print(self, *objects: Any, **options: Any) -> None:
        """As ever, sides marked."""
        super().print(*(self.sided(one) if isinstance(one, Text) else one for one in objects), **options)

    def sign(self, side: str) -> str:
        """The sign of a side; nothing for none."""
        signs = SIGNS if self.encoding.startswith("utf") else ASCII_SIGNS
        return signs[self.sides.index(side) % len(signs)] if side in self.sides else ""

    def sided(self, text: Text) -> Text:
        """A line with its sides marked; one that begins with a side gets the sign in its margin."""
        found = text.copy()
        for side, colour in zip(self.sides, COLOURS * len(self.sides), strict=False):
            named = rf"(?<!\w){re.escape(side)}(?!\w)"
            found.highlight_regex(named, colour)
            if re.match("  " + named, found.plain):
                found = Text().append(f"{self.sign(side)} ", colour).append_text(found[2:])
        return found


def bottom_line(known: Known, name: str, columns: int = 1000, sign: str = "") -> str:
    """Game, turn, phase and whose go it is, and who is typing; without what matters least where there is no room."""
    who = name + (f" ({f'{sign} {known.own_side}'.strip()})" if known.own_side else "")
    where = known.standing.split(" · ") if known.standing else []
    rows = [[*where, f"you are {who}    ? help"], [*where, f"you are {who}"]]
    rows += [[*where[at:], who] for at in range(len(where) + 1)]
    shown = [" " + " · ".join(row) + " " for row in rows]
    return next((row for row in shown if len(row) <= columns), shown[-1][:columns])


def bar(columns: int) -> list[tuple[str, str]]:
    """The keys that are the same everywhere, as prompt_toolkit draws them: in a row, or in two."""
    pieces: list[tuple[str, str]] = []
    width = 0
    for key, (label, _) in BAR.items():
        size = len(f" {key} {label} ")
        if width + size > columns:
            pieces.append(("", "\n"))
            width = 0
        pieces += [("", " "), ("bold noreverse", f"{key}"), ("", f" {label} ")]
        width += size
    return pieces


def graphics(picture: bytes, columns: int, environment: Mapping[str, str]) -> str:
    """A PNG as kitty's or iTerm2's graphics for a terminal that names itself as one of those; else nothing.

    Inside tmux or screen nothing is drawn: these pass on what they know."""
    if not picture.startswith(PNG) or "TMUX" in environment or "STY" in environment:
        return ""
    data = b64encode(picture).decode()
    wide = min(columns - 2, max(int.from_bytes(picture[16:20], "big") // 9, 1))
    if "KITTY_WINDOW_ID" in environment or environment.get("TERM") in ("xterm-kitty", "xterm-ghostty"):
        return "".join(_kitty(data, wide)) + "\n"
    if environment.get("TERM_PROGRAM") == "WezTerm" or environment.get("LC_TERMINAL") == "iTerm2":
        return f"\x1b]1337;File=inline=1;size={len(picture)};width={wide}:{data}\x07\n"
    return ""


def _kitty(data: str, wide: int) -> Iterable[str]:
    for at in range(0, len(data), CHUNK):
        first = f"a=T,f=100,q=2,c={wide}," if at == 0 else ""
        yield f"\x1b_G{first}m={int(at + CHUNK < len(data))};{data[at : at + CHUNK]}\x1b\\"


# -- a picture as sixel graphics: xterm, foot, mlterm, Konsole, Windows Terminal and tmux draw these, and say so

PNG = b"\x89PNG"
PALETTE = 128
PATIENCE = 0.3
"""Seconds in which a terminal says what it can."""

Colour = tuple[int, int, int]


def takes_sixels() -> bool:
    """Whether the terminal says that it draws them: 4 among its attributes. What is typed meanwhile is lost."""
    here, said = sys.stdin.fileno(), b""
    before = termios.tcgetattr(here)
    try:
        tty.setcbreak(here, termios.TCSADRAIN)
        os.write(sys.stdout.fileno(), b"\x1b[c")
        while not said.endswith(b"c") and select.select([here], [], [], PATIENCE)[0]:
            said += os.read(here, 64)
    finally:
        termios.tcsetattr(here, termios.TCSADRAIN, before)
    found = re.search(rb"\x1b\[\?([\d;]*)c", said)
    return found is not None and b"4" in found[1].split(b";")[1:]


def sixel(picture: bytes) -> str:
    """A PNG of ours (8 bits, with alpha, not interlaced) in its most common colours, others as the nearest of these;
    nothing for any other."""
    if picture[24:29] != b"\x08\x06\0\0\0":
        return ""
    wide, high = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    rows = [[*zip(row[0::4], row[1::4], row[2::4], strict=True)] for row in _rows(picture, wide * 4)]
    common = Counter(colour for row in rows for colour in row).most_common()
    palette = {colour: number for number, (colour, _) in enumerate(common[:PALETTE])}
    numbers = palette | {colour: palette[_nearest(colour, palette)] for colour, _ in common[PALETTE:]}
    told = "".join(f"#{number};2;{';'.join(str(part * 100 // 255) for part in one)}" for one, number in palette.items())
    indexed = [[numbers[colour] for colour in row] for row in rows]
    bands = "-".join(_band(indexed[at : at + 6]) for at in range(0, high, 6))
    return f'\x1bPq"1;1;{wide};{high}{told}{bands}\x1b\\\n'


def _rows(picture: bytes, size: int) -> Iterator[bytes]:
    """The bytes of each row, four for a pixel."""
    at, packed = 8, b""
    while at < len(picture):
        length = int.from_bytes(picture[at : at + 4], "big")
        packed += picture[at + 8 : at + 8 + length] if picture[at + 4 : at + 8] == b"IDAT" else b""
        at += length + 12
    data, above = zlib.decompress(packed), bytes(size)
    for at in range(0, len(data), size + 1):
        row = bytearray(data[at + 1 : at + 1 + size])
        if data[at] == 1:
            for part in range(4):
                row[part::4] = bytes(value & 255 for value in accumulate(row[part::4]))
        elif data[at] == 2:
            row = bytearray([(value + over) & 255 for value, over in zip(row, above, strict=True)])
        elif data[at]:
            _guessed(row, above, both=data[at] == 4)
        yield (above := bytes(row))


def _guessed(row: bytearray, above: bytes, *, both: bool) -> None:
    """Add to each byte what PNG takes it for, by those left of it, above it, and both."""
    for at, over in enumerate(above):
        left, corner = (row[at - 4], above[at - 4]) if at > 3 else (0, 0)
        likely = left + over >> 1
        if both:
            by_left, by_above, by_both = abs(over - corner), abs(left - corner), abs(left + over - 2 * corner)
            likely = left if by_left <= by_above and by_left <= by_both else over if by_above <= by_both else corner
        row[at] = (row[at] + likely) & 255


def _nearest(colour: Colour, palette: dict[Colour, int]) -> Colour:
    return min(palette, key=lambda one: sum(abs(part - other) for part, other in zip(one, colour, strict=True)))


def _band(rows: list[list[int]]) -> str:
    """Six rows: for each colour a character for each column, whose bits are its pixels; alike ones counted."""
    columns = [*zip(*rows, strict=True)]
    bits: dict[tuple[int, ...], Counter[int]] = {}
    for column in {*columns}:
        bits[column] = Counter()
        for bit, number in enumerate(column):
            bits[column][number] += 1 << bit
    lines = []
    for number in sorted({number for column in bits for number in column}):
        drawn = {column: chr(63 + marks[number]) for column, marks in bits.items()}
        line = "".join(map(drawn.__getitem__, columns)).rstrip("?")
        lines.append(f"#{number}" + re.sub(r"(.)\1{3,}", lambda alike: f"!{len(alike[0])}{alike[1]}", line))
    return "$".join(lines)
