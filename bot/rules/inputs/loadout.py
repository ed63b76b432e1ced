"""The loadout of a unit with several weapons, as typed and as stored:
`loadout=6xbattle-rifle,lmg,smg`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_plural

LOADOUT, WEAPON, LEFT = "loadout", "weapon", "members"
"""Attributes of a unit: all its weapons, the weapon of one item of a list, and the number of
characters left.
"""
IDLE, WITHOUT = "idle_arms", "without_ap"
"""Attributes of a unit: the weapons of characters who cannot fire again in this activation, and the
number of such characters.
"""
_MANY = re.compile(r"(\d{1,2})\s*[x*]\s*(.+)", re.IGNORECASE)


def read_loadout(option: Option, raw: str) -> tuple[str, ...]:
    """Parse `6xbattle-rifle,lmg` to ("6xbattle-rifle", "lmg"). Raises UserError for an unknown
    weapon.
    """
    pieces: dict[str, int] = {}
    for piece in filter(None, re.split(r"[,+]", raw)):
        match = _MANY.fullmatch(piece.strip())
        count, word = (int(match[1]), match[2]) if match else (1, piece.strip())
        word = word.casefold().replace("_", "-")
        if word not in option.values or not count:
            hint = did_you_mean(word, option.values) or f"Weapons are {', '.join(option.values)}."
            raise UserError(
                f'"{piece[:40]}" is not a weapon for {option.name}.',
                hint=hint,
                option="stats",
                code="bad-value",
            )
        pieces[word] = pieces.get(word, 0) + count
    return tuple(word if count == 1 else f"{count}x{word}" for word, count in pieces.items())


def count_pieces(pieces: Iterable[object]) -> dict[str, int]:
    """Return the number of each weapon in a stored loadout."""
    counts: dict[str, int] = {}
    for piece in pieces:
        match = _MANY.fullmatch(str(piece))
        word = match[2] if match else str(piece)
        counts[word] = counts.get(word, 0) + (int(match[1]) if match else 1)
    return counts


def add_pieces(pieces: Iterable[object], weapons: Iterable[str]) -> tuple[str, ...]:
    """Return a stored loadout with additional weapons."""
    counts = count_pieces([*pieces, *weapons])
    return tuple([word if count == 1 else f"{count}x{word}" for word, count in counts.items()])


def count_carried_weapons(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of each weapon that a unit can fire, empty without a loadout.

    If it has lost characters, the most frequent weapons go without a firer first.
    """
    arms = count_pieces(numbers.get(LOADOUT) or ())
    members = numbers.get(LEFT)
    return _limit_weapons(arms, members) if isinstance(members, int) else arms


def _limit_weapons(arms: Mapping[str, int], characters: int) -> dict[str, int]:
    """Return the weapons that this number of characters can fire, at least one."""
    limited = dict(arms)
    while sum(limited.values()) > max(characters, 1):
        most_common = max(limited, key=lambda word: limited[word])
        limited[most_common] -= 1
    return {word: count for word, count in limited.items() if count}


def count_ready_weapons(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of each weapon that a unit fires by default: without those of characters
    who have no AP left, or all weapons if nobody has any.
    """
    arms = count_carried_weapons(numbers)
    idle = count_pieces(numbers.get(IDLE) or ())
    ready = {word: max(0, count - idle.get(word, 0)) for word, count in arms.items()}
    ready = {word: count for word, count in ready.items() if count}
    members = numbers.get(LEFT)
    without = int(numbers.get(WITHOUT) or 0)
    if ready and without and isinstance(members, int):
        ready = _limit_weapons(ready, members - without)
    return ready or arms


def format_weapons(numbers: Mapping[str, Any]) -> str:
    """Format the weapons that a unit can fire: `6 battle rifles, automatic rifle, SMG`."""
    return ", ".join(
        f"{count} {format_plural(format_weapon(word))}" if count > 1 else format_weapon(word)
        for word, count in count_carried_weapons(numbers).items()
    )


def format_weapon(word: str) -> str:
    """Return a weapon as people write it: `LMG`, `battle rifle`."""
    return word.upper() if len(word) == len("smg") else word.replace("-", " ")
