"""What a unit with several weapons carries, as it is typed and kept:
`loadout=6xbattle-rifle,lmg,smg`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_plural

LOADOUT, WEAPON, LEFT = "loadout", "weapon", "members"
"""Attributes of a unit: all that it carries, the weapon of one item of a list, and how many
characters are left.
"""
IDLE, WITHOUT = "idle_arms", "without_ap"
"""Attributes of a unit: the weapons of characters who cannot fire again in this activation, and how
many such characters there are.
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


def count_pieces(pieces: Iterable[object]) -> dict[str, int]:
    """Return how many of each weapon a loadout as it is kept has."""
    counts: dict[str, int] = {}
    for piece in pieces:
        many = _MANY.fullmatch(str(piece))
        word = many[2] if many else str(piece)
        counts[word] = counts.get(word, 0) + (int(many[1]) if many else 1)
    return counts


def add_pieces(pieces: Iterable[object], weapons: Iterable[str]) -> tuple[str, ...]:
    """Return a loadout as it is kept with further weapons."""
    counts = count_pieces([*pieces, *weapons])
    return tuple([word if count == 1 else f"{count}x{word}" for word, count in counts.items()])


def count_carried_weapons(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Return how many of each weapon a unit can fire; none without a loadout.

    Where it has lost characters, the weapons that it has most of are left without a firer first.
    """
    arms = count_pieces(numbers.get(LOADOUT) or ())
    left = numbers.get(LEFT)
    return _limit_weapons(arms, left) if isinstance(left, int) else arms


def _limit_weapons(arms: Mapping[str, int], characters: int) -> dict[str, int]:
    """Return the weapons that so many characters can fire, at least one."""
    found = dict(arms)
    while sum(found.values()) > max(characters, 1):
        most = max(found, key=lambda word: found[word])
        found[most] -= 1
    return {word: count for word, count in found.items() if count}


def count_ready_weapons(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Return how many of each weapon a unit fires by itself: without those of characters who have
    no AP left, or all of them if nobody has any.
    """
    arms = count_carried_weapons(numbers)
    idle = count_pieces(numbers.get(IDLE) or ())
    ready = {word: max(0, count - idle.get(word, 0)) for word, count in arms.items()}
    ready = {word: count for word, count in ready.items() if count}
    left = numbers.get(LEFT)
    without = int(numbers.get(WITHOUT) or 0)
    if ready and without and isinstance(left, int):
        ready = _limit_weapons(ready, left - without)
    return ready or arms


def format_weapons(numbers: Mapping[str, Any]) -> str:
    """What a unit can fire, in words: `6 battle rifles, automatic rifle, SMG`."""
    return ", ".join(
        f"{count} {format_plural(format_weapon(word))}" if count > 1 else format_weapon(word)
        for word, count in count_carried_weapons(numbers).items()
    )


def format_weapon(word: str) -> str:
    """Return a weapon as people write it: `LMG`, `battle rifle`."""
    return word.upper() if len(word) == len("smg") else word.replace("-", " ")
