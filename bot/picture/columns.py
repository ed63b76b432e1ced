"""How wide the columns of a block are, how large its letters, and which words are in which line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.picture.font import drawable, longest_word, width, wrap
from bot.picture.sheet import Block
from bot.picture.svg import EDGE, WIDE

PAD = 7
"""Pixels beside the words of a cell."""
SIZES = (22, 21, 20, 19, 18, 17, 16, 15)
WRAPPED = 19
"""The largest letters of a block whose cells take several lines."""
SENTENCE = 14
"""A column with so many letters in a cell is set from the left."""
_ROW, _WIDEST = 0.66, 220
_LINE = 1.2


@dataclass(frozen=True, slots=True)
class Laid:
    """A block as it is laid out: edges of its columns (the row heads first), lines of each cell, heights of its rows.

    `starts` says of each column whether its words begin at its left edge.
    """

    size: float
    lefts: tuple[float, ...]
    starts: tuple[bool, ...]
    head: float
    heads: tuple[tuple[str, ...], ...]
    heights: tuple[float, ...]
    lines: tuple[tuple[tuple[str, ...], ...], ...]


def fitting(block: Block) -> Laid | None:
    """The block in the largest letters in which it fits; None where it is too wide."""
    grid = _grid(block)
    room = WIDE - 2 * EDGE + 2 * PAD
    for size in SIZES:
        natural = [max(_natural(row[at], size) for row in grid) + 2 * PAD for at in range(len(grid[0]))]
        least = [max(longest_word(row[at], size, True) for row in grid) + 2 * PAD + 1 for at in range(len(grid[0]))]
        if sum(natural) <= room:
            return _laid(grid, size, _spread(natural, room))
        if size <= WRAPPED and sum(least) <= room:
            return _laid(grid, size, _shared(natural, least, room))
    return None


def squeezed(block: Block) -> Laid:
    """The block in small letters, its columns equally wide: what is too long is broken within a word."""
    count = len(block.columns) + 1
    return _laid(_grid(block), SIZES[-1], [(WIDE - 2 * EDGE + 2 * PAD) / count] * count)


def _grid(block: Block) -> list[list[str]]:
    """All cells with their heads, in letters that can be drawn."""
    rows = [(block.corner, *block.columns), *((head, *row) for head, row in zip(block.rows, block.cells, strict=True))]
    return [[drawable(text) for text in row] for row in rows]


def _natural(text: str, size: float) -> float:
    """How wide a cell is in one line: several dice bands are always a line each."""
    return longest_word(text, size, True) if _is_banded(text) else width(text, size, True) + 1


def _is_banded(text: str) -> bool:
    return ":" in text and all(":" in word for word in text.split())


def _spread(natural: Sequence[float], room: float) -> list[float]:
    """Each column with its words and some air; those of a grid are equally wide."""
    head, *others = natural
    widest = max(others)
    if head + widest * len(others) <= room:
        others = [widest] * len(others)
    spare = room - head - sum(others)
    each = min(spare / len(natural), 46)
    return [head + each, *(one + each for one in others)]


def _shared(natural: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """Every column as wide as its longest word, and the rest of the room by what each would still need."""
    wishes = [max(0.0, min(wish, room * _ROW) - low) for wish, low in zip(natural, least, strict=True)]
    short = [at for at, wish in enumerate(wishes) if 0 < wish <= 60]
    spare = room - sum(least)
    wide = list(least)
    for at in short:  # what needs little gets it, so that only sentences are broken
        given = min(wishes[at], spare / 3)
        wide[at] += given
        wishes[at] -= given
        spare -= given
    total = sum(wishes) or 1
    return [low + spare * wish / total for low, wish in zip(wide, wishes, strict=True)]


def _laid(grid: list[list[str]], size: float, widths: Sequence[float]) -> Laid:
    left = EDGE - PAD
    lefts = [float(left)]
    for wide in widths:
        lefts.append(lefts[-1] + wide)
    cells = [
        tuple(_wrapped(text, wide - 2 * PAD, size) for text, wide in zip(row, widths, strict=True)) for row in grid
    ]
    starts = [True] + [
        any(len(row[at]) > SENTENCE and not _is_banded(row[at]) for row in grid[1:]) for at in range(1, len(widths))
    ]
    heights = [max(len(lines) for lines in row) * size * _LINE + 11 for row in cells]
    return Laid(size, tuple(lefts), tuple(starts), heights[0], cells[0], tuple(heights[1:]), tuple(cells[1:]))


def _wrapped(text: str, room: float, size: float) -> tuple[str, ...]:
    if _is_banded(text):
        return tuple(text.split())
    return tuple(wrap(text, room, size, True))
