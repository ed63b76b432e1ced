"""How answers call weapons and elements, and what a status means in few words."""

from __future__ import annotations

from bot.rules.inputs.units import Unit

WEAPONS = {
    "bolt-action-rifle": "rifle",
    "battle-rifle": "battle rifle",
    "smg": "SMG",
    "automatic-rifle": "automatic rifle",
    "lmg": "LMG",
    "mmg": "MMG",
    "hmg": "HMG",
    "rifle-grenade-launcher": "rifle grenade",
    "sniper-rifle": "sniper rifle",
}
"""Weapons as players call them, where that differs from the sheet."""
UNDER_FIRE = {
    "hesitant": "prone and crawls, −4 to all skills",
    "pinned": "prone, −6 to all skills until it passes a Morale test, surrenders to an enemy within 4 inches",
    "combat-ineffective": "survivors pinned",
}
"""What the statuses of fire mean. Source: Infantry Combat, Status Damage."""


def weapon_said(word: str) -> str:
    """A weapon as players call it."""
    return WEAPONS.get(word, word)


def whom(unit: Unit | None, otherwise: str) -> str:
    """The unit that an answer is about, or what it is called where none was named."""
    return otherwise if unit is None else unit.word


def characters(count: int) -> str:
    """So many characters in words."""
    return "a character" if count == 1 else f"{count} characters"
