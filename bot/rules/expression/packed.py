"""Sums of many dice as one multiplication: the ways to each number lie side by side in one large whole number.

A packed count has the ways to `low`, `low + 1`, ... in fields of `width` bytes each, lowest first. Multiplying two adds
the dice of both, a power is so many dice alike: Python does all fields at once, and exactly, as long as all the ways
together fit into one field.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from typing import NamedTuple

WORD = 8
"""Bytes of a field up to which Python has a list of them at once."""
SPREAD = 64
"""A die is not packed that has more than so many numbers between its lowest and its highest for each of its own."""

Weights = dict[int, int]  # how many of all the equally likely ways come to each number


class Packed(NamedTuple):
    """The ways to each number from `low` on."""

    low: int
    fields: int


def width_of(total: int) -> int:
    """The bytes of a field that holds `total` ways."""
    return max(WORD, (total.bit_length() + 7) // 8)


def is_dense(weights: Mapping[int, int]) -> bool:
    """Whether the numbers are near enough to each other to be packed."""
    return max(weights) - min(weights) <= SPREAD * len(weights)


def pack(weights: Mapping[int, int], width: int) -> Packed:
    """The ways to each number, packed."""
    low = min(weights)
    bits = 8 * width
    fields = 0
    for value, ways in weights.items():
        fields += ways << bits * (value - low)
    return Packed(low, fields)


def unpack(packed: Packed, width: int) -> Weights:
    """The ways to each number that can come, rising."""
    low, fields = packed
    size = -(-fields.bit_length() // (8 * width)) * width
    raw = fields.to_bytes(size, "little")
    if width == WORD:
        words = array("Q", raw)
        if sys.byteorder == "big":
            words.byteswap()
        counts = words.tolist()
    else:
        counts = [int.from_bytes(raw[at : at + width], "little") for at in range(0, size, width)]
    return {value: ways for value, ways in enumerate(counts, low) if ways}
