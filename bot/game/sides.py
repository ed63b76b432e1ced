"""Sides by their names: a card knows sides a and b, a game calls them as its players do."""

from __future__ import annotations

import re

LETTERS = ("a", "b")
_SIDE = re.compile(r"\b[Ss]ide ([ab])\b")


def by_name(text: str, sides: tuple[str, ...]) -> str:
    """A text with the names of a game's two sides for side a and side b; as it is in any other game."""
    return _SIDE.sub(lambda found: sides[LETTERS.index(found[1])], text) if len(sides) == 2 else text
