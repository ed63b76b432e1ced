"""Sides by their names: a card knows sides a and b, a game calls them as its players do."""

from __future__ import annotations

import re

LETTERS = ("a", "b")
_SIDE = re.compile(r"\b[Ss]ide ([ab])\b")


_PEOPLES = re.compile(
    r"(?:^| )(?:American|Australian|Belgian|British|Canadian|Chinese|Dutch|Egyptian|Finnish|French|German|Hungarian"
    r"|Indian|Israeli|Italian|Japanese|Korean|Norwegian|Polish|Romanian|Russian|Soviet|Spanish|Turkish|Vietnamese)$"
)


def of_side(side: str, what: str) -> str:
    """What is a side's: `VC's go`, `Reds\u2019 go`; of one that is called by an adjective `the German go`."""
    if _PEOPLES.search(side):
        return f"the {side} {what}"
    return f"{side}\u2019 {what}" if side.endswith("s") else f"{side}'s {what}"


def holds(side: str, before: str) -> str:
    """What a side does to the initiative that `before` had it: it keeps or takes it."""
    return "keeps" if side == before else "takes"


def by_name(text: str, sides: tuple[str, ...]) -> str:
    """A text with the names of a game's two sides for side a and side b; as it is in any other game."""
    return _SIDE.sub(lambda found: sides[LETTERS.index(found[1])], text) if len(sides) == 2 else text
