"""Units as a page shows them: how they are, the numbers on their counter, the frame by their type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.game.roster import GONE
from bot.game.state import Json

LOST, HURT = "gone", "hurt"
FIRST_NUMBERS = ("fp", "lm")
LAST_NUMBERS = ("morale",)
MOST_NUMBERS = 3
SYMBOLS = {  # drawn in a box of 40 x 26, as on a counter
    "infantry": '<path d="M1 1h38v24H1zM1 1l38 24M39 1L1 25"/>',
    "armor": '<path d="M1 1h38v24H1z"/><rect x="8" y="7" width="24" height="12" rx="6"/>',
    "weapon": '<path d="M1 1h38v24H1zM20 21V6M14 11l6-6 6 6M15 21h10"/>',
    "leader": '<path d="M1 1h38v24H1z"/><path class="fill" d="M20 4l2.6 6 6.4.5-4.9 4.2 1.5 6.3-5.6-3.4-5.6 3.4 '
    '1.5-6.3L11 10.500l6.400-.5z"/>',
    "air": '<path d="M1 1h38v24H1zM8 9l24 8V9L8 17z"/>',
    "soft": '<path d="M1 1h38v24H1z"/><circle cx="12" cy="19" r="3"/><circle cx="28" cy="19" r="3"/>'
    '<path d="M7 15h26V8H7z"/>',
    "person": '<path d="M1 1h38v24H1z"/><circle cx="20" cy="9" r="4"/><path d="M12 22c0-10 16-10 16 0"/>',
    "any": '<path d="M1 1h38v24H1z"/>',
}
_BY_TYPE = (
    ("leader|officer|advisor|commissar", "leader"),
    ("helicopter|aircraft|plane", "air"),
    ("unarmou?red|truck|jeep", "soft"),
    ("armou?red|tank|vehicle|afv", "armor"),
    ("weapon|gun|mortar|crew|mg|flamethrower", "weapon"),
    ("squad|infantry|section|platoon|rifle|team|element", "infantry"),
    ("hero|scout|sniper|marksman|medic|smc|man|nurse|chaplain|corpsman|soldier", "person"),
)
_WELL = ("good-order", "normal", "working", "ready", "good", "operable", "")


@dataclass(frozen=True, slots=True)
class Counter:
    """A unit as it is drawn: `standing` is LOST, HURT or nothing."""

    name: str
    type: str
    symbol: str
    state: str
    standing: str
    marks: tuple[str, ...]
    numbers: str


def counter(unit: Json, first: Json) -> Counter:
    """A unit of the log as it is drawn, `first` as it came into the game."""
    state = str(unit.get("state") or "")
    numbers = unit.get("numbers") or {}
    shown = "–".join(str(numbers[key]) for key in in_order(numbers)[:MOST_NUMBERS])
    return Counter(
        name=unit["name"],
        type=words(unit["type"]),
        symbol=symbol(unit["type"]),
        state="" if state in _WELL else words(state),
        standing=standing(unit, first),
        marks=tuple(words(mark) for mark in unit.get("marks") or ()),
        numbers=shown,
    )


def standing(unit: Json, first: Json) -> str:
    """LOST, HURT (in a worse state, or on its other side), or nothing."""
    state = unit.get("state") or ""
    if is_lost(unit):
        return LOST
    return HURT if state not in _WELL or unit["type"] != first["type"] else ""


def is_lost(unit: Json | None) -> bool:
    """Whether the unit has left the fight, or is no longer on the roster."""
    return unit is None or unit.get("state") in GONE


def states() -> dict[str, list[str]]:
    """The states that mean lost, and those in which nothing ails a unit: for the page's own script."""
    return {"lost": sorted(GONE), "well": sorted(_WELL)}


def in_order(numbers: Mapping[str, Any]) -> list[str]:
    """The names of a unit's numbers as they are printed: firepower first, morale last; no texts and lists."""
    plain = [key for key, value in numbers.items() if isinstance(value, int) and not isinstance(value, bool)]
    return sorted(plain, key=lambda key: (key in LAST_NUMBERS, key not in FIRST_NUMBERS, key))


def symbol(kind: str) -> str:
    """The frame of a type of unit."""
    return next((name for pattern, name in _BY_TYPE if re.search(pattern, kind)), "any")


def words(token: object) -> str:
    """A token as it is read."""
    return str(token).replace("-", " ")
