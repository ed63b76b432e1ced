"""PostgreSQL's errors in words that help, and which of them pass by themselves."""

import errno
import os
import re
import shlex
import socket
import ssl
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

from bot.runtime.logs import get_seldom_logger
from bot.storage.base import PassingError, StoreError

log = get_seldom_logger(__name__)

UNTOUCHED = "GR001"
"""What our runner raises, where a step that must touch a row touches none."""
TWICE = "23505"
"""A key that is there already: of a place's game, where another process was faster to give it
one.
"""
AGAIN = ("40001", "40P01")
"""Another transaction was in the way, and this one was undone: a second attempt goes through."""
BUSY = ("55P03", "57014")
"""Somebody else held a row for too long, or the statement took too long: whoever tries again is
served.
"""
NO_DATABASE = "3D000"
_OURS = ("22", "23", "42")
"""Classes of errors that what we sent is to blame for. The database is well, so dice must not
fall without it.
"""
_SAFE = "None of it was saved; everything answered before is safe."
_AWAY = f"The database cannot be reached. {_SAFE}"
_CHECK = "postgresql://USER:PASSWORD@HOST:5432/grognard"
_WORDS = {
    "53100": (
        "The database cannot grow: its disk is full.",
        "The host must make room; then try again.",
    ),
    "53300": (
        "The database has too many connections.",
        "Try again in a moment; the host can raise max_connections.",
    ),
    **dict.fromkeys(BUSY, ("The database is busy.", "Try again in a moment.")),
    "25006": (
        "The database may only be read.",
        "The host must let the bot write, or name the primary server.",
    ),
    "28P01": ("The database refuses the bot's password.", "The host must check DATABASE_URL."),
    "28000": ("The database refuses the bot's user.", "The host must check DATABASE_URL."),
    NO_DATABASE: ("The database does not exist.", "The host must make it."),
    "42501": (
        "The database refuses the bot a right.",
        "The host must give it the right to make and use tables.",
    ),
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


SETTINGS = (asyncpg.ClientConfigurationError, ssl.SSLCertVerificationError)
"""Kinds of these that no waiting mends: an address that cannot be used, a server that is not who
it should be.
"""
_PASSING = ("08", "53", "55", "57", "58")
"""Classes of errors that are over when the server or its machine is well again."""


class Unreachable(PassingError):
    """Nobody answers where the database was: `server` says where, and `describe_cause` in a few words."""

    kind = "store-away"
    is_sure = False

    def __init__(self, server: str = "", why: str = "", *, to_host: bool = False) -> None:
        told = f"PostgreSQL at {server} does not answer ({why})."
        if to_host:
            super().__init__(told, hint="Start it, or check DATABASE_URL.")
        else:
            super().__init__(_AWAY, hint="It is often back within a minute; try again then.")
        self.for_host = told


def build_store_error(code: str, message: str, server: str = "", database: str = "") -> StoreError:
    """Return the StoreError for an error of PostgreSQL by its code; its own words go to the log.

    `server` and `database` say where it is. Give them only if the host reads the error.
    """
    is_ours = code[:2] in _OURS and code not in _WORDS
    other = (
        "does not take what was to be saved, and that is our fault"
        if is_ours
        else "reports an error"
    )
    problem, hint = _WORDS.get(code, (f"The database {other}.", "`grognard doctor` tells more."))
    if code == NO_DATABASE and database:
        hint = f"Make it: createdb {shlex.quote(database)}"
    log.error("PostgreSQL reports %s: %s", code, message)
    kind = PassingError if code[:2] in _PASSING else StoreError
    kept = f"(PostgreSQL at {server})" if server else _SAFE
    return kind(
        f"{problem} {kept}",
        hint=hint,
        code="our-fault" if is_ours else "busy" if code in BUSY else "store-failed",
    )


def build_unreachable_error(error: Exception, server: str, *, to_host: bool = True) -> StoreError:
    """The StoreError for a server that cannot be reached."""
    if isinstance(error, SETTINGS):
        log.error("DATABASE_URL cannot be used: %s", error)
        return StoreError(
            f"DATABASE_URL cannot be used: {error}" if to_host else _AWAY, hint=_CHECK
        )
    return Unreachable(server, describe_cause(error), to_host=to_host)


def describe_cause(error: BaseException) -> str:
    """Why a server cannot be reached, in a few words: no address with a password in it is among
    them.
    """
    if isinstance(error, socket.gaierror):
        return "its name is not known"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    said = str(error) if error.args else ""  # the library's own fail at it where they have none
    found = re.search(r"\[Errno (\d+)\]", said)  # of several addresses
    number = getattr(error, "errno", None) or int(found[1] if found else 0)
    if number == errno.ENOENT:
        return "no server at its socket"
    if number:
        return os.strerror(number).lower()
    return said.partition("\n")[0].rstrip(".")[:120] or type(error).__name__


def get_database_name(url: str) -> str:
    """Return the name of the database in an address."""
    return unquote(urlsplit(url).path.lstrip("/"))


def get_server_address(url: str) -> str:
    """Host and port of an address, or where its socket is: no user, no password."""
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    host = parts.netloc.rpartition("@")[2] or ",".join(asked.get("host", ["this machine"]))
    is_whole = host.startswith("/") or re.search(r":\d+$", host)
    return host if is_whole else f"{host}:{asked.get('port', ['5432'])[0]}"
