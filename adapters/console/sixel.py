"""A picture as sixel graphics: xterm, foot, mlterm, Konsole, Windows Terminal and tmux draw these, and say so."""

import os
import re
import select
import sys
import termios
import tty
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

PNG = b"\x89PNG"
COLOURS = 128
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
    palette = {colour: number for number, (colour, _) in enumerate(common[:COLOURS])}
    numbers = palette | {colour: palette[_nearest(colour, palette)] for colour, _ in common[COLOURS:]}
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
