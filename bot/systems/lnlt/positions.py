"""Positions of units in a list, as typed: `1 3`."""

from __future__ import annotations

import re

from bot.rules.errors import UserError


def read_positions(text: str, size: int, *, option: str) -> tuple[int, ...]:
    """The places (from 0) that the positions (from 1) name, in order; all of them for an empty text.

    Raises UserError for a word that is not a position, one beyond the list, or one that is given twice.
    """
    words = text.replace(",", " ").split()
    if not words:
        return tuple(range(size))
    places: list[int] = []
    for word in words:
        if not re.fullmatch(r"[0-9]{1,3}", word) or not 1 <= int(word) <= size:
            raise UserError(
                f'{option} names "{word[:20]}"; expected positions from 1 to {size}.', option=option, code="bad-value"
            )
        if int(word) - 1 in places:
            raise UserError(f"{option} names position {int(word)} twice.", option=option, code="given-twice")
        places.append(int(word) - 1)
    return tuple(sorted(places))
