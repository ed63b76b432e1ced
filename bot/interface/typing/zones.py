"""Time zones by their names, by those of their cities, and as they are offered while one types."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

USUAL = (
    "UTC", "Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Warsaw",
    "Europe/Athens", "Europe/Helsinki", "America/New_York", "America/Chicago", "America/Denver",
    "America/Los_Angeles", "America/Toronto", "America/Sao_Paulo", "Asia/Tokyo", "Asia/Singapore", "Asia/Kolkata",
    "Australia/Sydney", "Australia/Perth", "Pacific/Auckland",
)  # fmt: skip
"""What is offered before anything is typed."""


@cache
def zones() -> tuple[str, ...]:
    """All zones that have a continent, and UTC; in order."""
    return tuple(sorted(name for name in available_timezones() if "/" in name or name == "UTC"))


def zone_named(typed: str) -> str:
    """The zone meant by its name or its city, whatever the case; "" for none."""
    word = _plain(typed)
    named = {name.casefold(): name for name in available_timezones()}
    cities = {known.rpartition("/")[2].casefold(): known for known in reversed(zones()) if not _is_etc(known)}
    return named.get(word) or cities.get(word, "")


def zones_like(typed: str) -> list[str]:
    """Zones that fit what was typed: those whose city or name begins so first."""
    word = _plain(typed)
    if not word:
        return list(USUAL)
    found = [name for name in zones() if word in name.casefold()]
    return sorted(found, key=lambda name: (_is_etc(name), not _begins(name, word), name not in USUAL))


def _begins(name: str, word: str) -> bool:
    return any(piece.startswith(word) for piece in (name.casefold(), name.rpartition("/")[2].casefold()))


def _is_etc(name: str) -> bool:
    return name.partition("/")[0] in ("Etc", "SystemV", "posix", "right")


def _plain(typed: str) -> str:
    return typed.strip().replace(" ", "_").casefold()
