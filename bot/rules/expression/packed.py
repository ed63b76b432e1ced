"""Sums of many dice as one multiplication: the ways to each number are side by side in one large whole number.

Written with a digit for each number, a d4 is 1111: one way each to 1, 2, 3 and 4. And 1111 * 1111 is 1234321: the ways
to 2, 3, and so on to 8 with 2d4. Just so a packed count has a field of `width` bytes for each number from `low` on,
lowest first. Multiplying two adds the dice of both, a power is so many dice alike, and nothing is ever carried from one
field to the next as long as all the ways together fit into one.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bot.rules.errors import UserError
from bot.rules.expression.model import Expression

WORD = 8
"""Bytes of a field up to which Python has a list of them at once."""
SPREAD = 64
"""A die is not packed that has more than so many numbers between its lowest and its highest for each of its own."""
MAX_STEPS = 300_000  # additions of one count, about a tenth of a second
MAX_BYTES = 200_000  # of a packed count, which takes about as long

Weights = dict[int, int]
"""How many of all the equally likely ways come to each number."""


class Packed(NamedTuple):
    """The ways to each number from `low` on, `total` together, in fields of so many bytes."""

    low: int
    fields: int
    width: int
    total: int

    @property
    def numbers(self) -> int:
        """How many fields there are."""
        return -(-self.fields.bit_length() // (8 * self.width))


Counted = Packed | Weights
"""The ways to each number: packed, or one by one where the numbers are far apart."""


def width_of(total: int) -> int:
    """The bytes of a field that holds `total` ways."""
    return max(WORD, (total.bit_length() + 7) // 8)


class Budget:
    """How many additions are left, and how large a packed count may be."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.left = MAX_STEPS

    def spend(self, steps: int) -> None:
        """Count so many additions. Raises UserError where they are too many."""
        self.left -= steps
        if self.left < 0:
            self.refuse()

    def room(self, numbers: int, total: int) -> int:
        """The width of the fields of a packed count of so many `numbers` and `total` ways.

        Raises UserError where it would be too large.
        """
        width = width_of(total)
        if numbers * width > MAX_BYTES:
            self.refuse()
        return width

    def refuse(self) -> None:
        """Raise the UserError for what is too large."""
        raise UserError(
            f"The odds of {self.expression.notation} take too long to count. Fewer dice or fewer sides will do.",
            code="too-large",
        )


def is_dense(weights: Mapping[int, int]) -> bool:
    """Whether the numbers are near enough to each other to be packed."""
    return max(weights) - min(weights) <= SPREAD * len(weights)


def pack(weights: Mapping[int, int], width: int) -> Packed:
    """The ways to each number, packed."""
    low, high = min(weights), max(weights)
    ways = [weights.get(number, 0) for number in range(low, high + 1)]
    return Packed(low, _joined(ways, width), width, sum(ways))


def unpack(packed: Packed) -> Weights:
    """The ways to each number that can come, rising."""
    return {number: ways for number, ways in enumerate(_apart(packed), packed.low) if ways}


def added(one: Packed, other: Packed, width: int) -> Packed:
    """What two come to together that know nothing of each other, in fields of so many bytes."""
    fields = _widened(one, width) * _widened(other, width)
    return Packed(one.low + other.low, fields, width, one.total * other.total)


def repeated(one: Packed, count: int) -> Packed:
    """What so many of the same come to; the fields have room for it."""
    return Packed(one.low * count, one.fields**count, one.width, one.total**count)


def negative(one: Counted) -> Counted:
    """The ways to each number with the other sign."""
    if not isinstance(one, Packed):
        return {-number: ways for number, ways in one.items()}
    fields = _apart(one)[::-1]
    return Packed(1 - one.low - len(fields), _joined(fields, one.width), one.width, one.total)


def weights_of(one: Counted) -> Weights:
    """The ways to each number one by one; rising, where they were packed."""
    return unpack(one) if isinstance(one, Packed) else one


def _widened(packed: Packed, width: int) -> int:
    return packed.fields if packed.width == width else _joined(_apart(packed), width)


def _joined(ways: Sequence[int], width: int) -> int:
    if width == WORD:
        return int.from_bytes(struct.pack(f"<{len(ways)}Q", *ways), "little")
    return int.from_bytes(b"".join([some.to_bytes(width, "little") for some in ways]), "little")


def _apart(packed: Packed) -> Sequence[int]:
    count, width = packed.numbers, packed.width
    raw = packed.fields.to_bytes(count * width, "little")
    if width == WORD:
        return struct.unpack(f"<{count}Q", raw)
    return [int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width)]
