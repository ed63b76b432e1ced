"""Sums of many dice as one multiplication: the ways to each number are side by side in one large whole number.

Written with a digit for each number, a d4 is 1111: one way each to 1, 2, 3 and 4. And 1111 * 1111 is 1234321: the ways
to 2, 3, and so on to 8 with 2d4. Just so a packed count has a field of `width` bytes for each number, lowest first.
Multiplying two adds the dice of both, a power is so many dice alike, and nothing is ever carried from one field to the
next as long as all the ways together fit into one.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from bot.rules.errors import UserError
from bot.rules.expression.model import Expression

_WORD = 8
"""Bytes of a field up to which Python has a list of them at once."""
_SPREAD = 64
"""A die is not packed that has more than so many numbers between its lowest and its highest for each of its own."""
MAX_STEPS = 300_000  # additions of one count, about a tenth of a second
MAX_BYTES = 200_000  # of a packed count, which takes about as long

Weights = dict[int, int]
"""How many of all the equally likely ways come to each number, rising."""


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
        """The width in bytes of the fields of a packed count of so many `numbers` and `total` ways.

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


def width_of(total: int) -> int:
    """The bytes of a field that holds `total` ways."""
    return max(_WORD, (total.bit_length() + 7) // 8)


def is_dense(weights: Weights) -> bool:
    """Whether the numbers are near enough to each other to be packed."""
    return max(weights) - min(weights) <= _SPREAD * len(weights)


def pack(weights: Mapping[int, int], width: int) -> int:
    """The ways to each number from the lowest on, in fields of so many bytes."""
    ways = [weights.get(number, 0) for number in range(min(weights), max(weights) + 1)]
    if width == _WORD:
        return int.from_bytes(struct.pack(f"<{len(ways)}Q", *ways), "little")
    return int.from_bytes(b"".join([some.to_bytes(width, "little") for some in ways]), "little")


def unpack(fields: int, width: int, low: int, apart: int = 1) -> Weights:
    """The ways to each number that can come: the first field is for `low`, the next for so many more."""
    count = -(-fields.bit_length() // (8 * width))
    raw = fields.to_bytes(count * width, "little")
    ways: Sequence[int] = (
        struct.unpack(f"<{count}Q", raw)
        if width == _WORD
        else [int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width)]
    )
    return {low + apart * at: some for at, some in enumerate(ways) if some}
