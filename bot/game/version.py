"""Under which edition of a system's rules an event was played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.game.state import Game
from bot.rules.proof.event_kinds import MOST_VERSIONS, is_hash
from bot.systems.catalog import pack_version, systems
from bot.systems.system import System

FIRST_BUILD = {
    "asl": "41659dbdd48e",
    "baps": "5c035c32fa94",
    "lnlt": "3094a030d514",
    "nhis": "79c4c6eb679f",
    "ucn": "726acb7f7267",
}
"""The hash of tables and code that the first release wrote into its events: those were edition 1."""


def edition_of(event: Mapping[str, Any]) -> int | str | None:
    """The edition under which an event was played, also one of the first release; None where it names none we know.

    A pack's is the SHA-256 of its files.
    """
    if "edition" in event:
        edition = event["edition"]
        is_one = is_hash(edition) if isinstance(edition, str) else type(edition) is int
        return edition if is_one else None
    tables, system = event.get("tables"), event.get("system")
    return 1 if isinstance(system, str) and tables and tables == FIRST_BUILD.get(system) else None


def system_of(event: Mapping[str, Any]) -> System | None:
    """The system behind an event: a pack in the version that it was played with, where that is at hand."""
    id, edition = str(event.get("system") or ""), event.get("edition")
    known = systems().get(id)
    if isinstance(edition, str) and (known is None or known.edition != edition):
        played = pack_version(edition)
        return played if played is not None and played.id == id else known
    return known


def is_current(event: Mapping[str, Any]) -> bool:
    """Whether the rules at hand are those that an event was played under, so that it must come out the same again."""
    system = system_of(event)
    return system is not None and edition_of(event) == system.edition


def with_system(game: Game, system: System) -> Game:
    """The game as one of this system, and of a pack in this version."""
    packs = with_version(game.packs, system.edition) if isinstance(system.edition, str) else game.packs
    return game if (game.system, game.packs) == (system.id, packs) else replace(game, system=system.id, packs=packs)


def with_version(packs: tuple[str, ...], hash: str) -> tuple[str, ...]:
    """The versions that a game was played with, when it goes on with this one."""
    return (*(one for one in packs if one != hash), hash)[-MOST_VERSIONS:]
