"""PostgreSQL's errors in words that help, and which of them pass by themselves."""

from __future__ import annotations

import asyncpg

from bot.process.logs import seldom
from bot.stores.base import StoreError

log = seldom(__name__)

UNTOUCHED = "GR001"
"""What our runner raises, where a step that must touch a row touches none."""
TWICE = "23505"
"""A key that is there already: of a place's game, where another process was faster to give it one."""
AGAIN = ("40001", "40P01")
"""Another transaction was in the way, and this one was undone: a second attempt goes through."""
BUSY = ("55P03", "57014")
"""Somebody else held a row for too long, or the statement took too long: whoever tries again is served."""
_OURS = ("22", "23", "42")
"""Classes of errors that what we sent is to blame for. The database is well, so dice must not fall without it."""
_SAFE = "None of it was saved; everything answered before is safe."
_WORDS = {
    "53100": ("The database cannot grow: its disk is full.", "The host must make room; then try again."),
    "53300": ("The database has too many connections.", "Try again in a moment; the host can raise max_connections."),
    **dict.fromkeys(BUSY, ("The database is busy.", "Try again in a moment.")),
    "25006": ("The database may only be read.", "The host must let the bot write, or name the primary server."),
    "28P01": ("The database refuses the bot's password.", "The host must check DATABASE_URL."),
    "28000": ("The database refuses the bot's user.", "The host must check DATABASE_URL."),
    "3D000": ("The database does not exist.", "The host must make it: createdb grognard."),
    "42501": ("The database refuses the bot a right.", "The host must give it the right to make and use tables."),
}
AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,  # the line broke
    asyncpg.InternalClientError,  # it broke in the middle of an answer
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # it restarts or is being shut down
    asyncpg.ReadOnlySQLTransactionError,  # a failover: this server is no longer the one that writes
)
"""The server cannot be reached, for now."""


class Unreachable(StoreError):
    """Nobody answers where the database was."""

    kind = "store-away"
    is_sure = False

    def __init__(self) -> None:
        super().__init__(
            "The database cannot be reached. None of it was saved; everything answered before is safe.",
            hint="It is often back within a minute; try again then.",
        )


def explained(code: str, message: str) -> StoreError:
    """The StoreError for an error of PostgreSQL by its code; its own words go to the log."""
    is_ours = code[:2] in _OURS and code not in _WORDS
    other = "does not take what was to be saved, and that is our fault" if is_ours else "reports an error"
    problem, hint = _WORDS.get(code, (f"The database {other}.", "`grognard doctor` tells more."))
    log.error("PostgreSQL reports %s: %s", code, message)
    return StoreError(
        f"{problem} {_SAFE}", hint=hint, code="our-fault" if is_ours else "busy" if code in BUSY else "store-failed"
    )
