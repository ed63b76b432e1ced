"""Under which edition of a system's rules an event was played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.systems.catalog import systems

FIRST_BUILD = {
    "asl": "41659dbdd48e",
    "baps": "5c035c32fa94",
    "lnlt": "3094a030d514",
    "nhis": "79c4c6eb679f",
    "ucn": "726acb7f7267",
}
"""The hash of tables and code that the first release wrote into its events: those were edition 1."""


def edition_of(event: Mapping[str, Any]) -> int | None:
    """The edition under which an event was played, also one of the first release; None where it names none we know."""
    if "edition" in event:
        edition = event["edition"]
        return edition if isinstance(edition, int) and not isinstance(edition, bool) else None
    tables, system = event.get("tables"), event.get("system")
    return 1 if isinstance(system, str) and tables and tables == FIRST_BUILD.get(system) else None


def is_current(event: Mapping[str, Any]) -> bool:
    """Whether today's rules are those that an event was played under, so that it must come out the same again."""
    system = systems().get(str(event.get("system")))
    return system is not None and edition_of(event) == system.edition
