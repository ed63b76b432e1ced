"""What a unit with several weapons carries, as it is typed and kept:
`loadout=6xbattle-rifle,lmg,smg`.
"""

import re
from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.text.names import plural

LOADOUT, WEAPON, LEFT = "loadout", "weapon", "members"
"""Attributes of a unit: all that it carries, the weapon of one item of a list, and how many
characters are left.
"""
_MANY = re.compile(r"(\d{1,2})\s*[x*]\s*(.+)", re.IGNORECASE)


def read_loadout(option: Option, raw: str) -> tuple[str, ...]:
    """`6xbattle-rifle,lmg` as it is kept: ("6xbattle-rifle", "lmg"). Raises UserError for what
    is no weapon.
    """
    found: dict[str, int] = {}
    for piece in filter(None, re.split(r"[,+]", raw)):
        many = _MANY.fullmatch(piece.strip())
        count, word = (int(many[1]), many[2]) if many else (1, piece.strip())
        word = word.casefold().replace("_", "-")
        if word not in option.values or not count:
            hint = did_you_mean(word, option.values) or f"Weapons are {', '.join(option.values)}."
            raise UserError(
                f'"{piece[:40]}" is not a weapon of {option.name}.',
                hint=hint,
                option="stats",
                code="bad-value",
            )
        found[word] = found.get(word, 0) + count
    return tuple(word if count == 1 else f"{count}x{word}" for word, count in found.items())


def carried(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Return how many of each weapon a unit can fire; none without a loadout.

    Where it has lost characters, the weapons that it has most of are left without a firer first.
    """
    arms: dict[str, int] = {}
    for piece in numbers.get(LOADOUT) or ():
        many = _MANY.fullmatch(str(piece))
        arms[many[2] if many else str(piece)] = int(many[1]) if many else 1
    left = numbers.get(LEFT)
    while isinstance(left, int) and sum(arms.values()) > max(left, 1):
        most = max(arms, key=lambda word: arms[word])
        arms[most] -= 1
    return {word: count for word, count in arms.items() if count}


def arms_said(numbers: Mapping[str, Any]) -> str:
    """What a unit can fire, in words: `6 battle rifles, automatic rifle, SMG`."""
    return ", ".join(
        f"{count} {plural(_said(word))}" if count > 1 else _said(word)
        for word, count in carried(numbers).items()
    )


def _said(word: str) -> str:
    return word.upper() if len(word) == len("smg") else word.replace("-", " ")
