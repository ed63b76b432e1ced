"""The states in which a unit is out of the game: those that its game names, else those that all have in common."""

from __future__ import annotations

from bot.systems.catalog import systems

GONE = ("eliminated", "destroyed", "killed", "combat-ineffective")
"""Where a game names none, and in free play."""


def lost_states(system: str) -> tuple[str, ...]:
    """Those of a system, by its id."""
    played = systems().get(system)
    return tuple(played.game["units"].get("lost") or GONE) if played is not None else GONE
