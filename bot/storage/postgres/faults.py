"""PostgreSQL's errors as StoreErrors: what is wrong, what the host can do, and whether it passes."""

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
"""The code that our runner raises if a step that must touch a row touches none."""
DUPLICATE_KEY = "23505"
"""The code for a key that exists already: that of a place's game, if another process was faster to
bind the place.
"""
UNDONE = ("40001", "40P01")
"""Codes for a transaction that was undone because of another one. A second attempt succeeds."""
BUSY = ("55P03", "57014")
"""Codes for a row that was locked for too long, and a statement that took too long. A later attempt
may succeed.
"""
NO_DATABASE = "3D000"
_OURS = ("22", "23", "42")
"""Classes of errors that are our fault. The database works, so dice are not rolled without it."""
_SAFE = "None of it was saved, but everything the bot has already answered is safe."
_AWAY = f"The database cannot be reached. {_SAFE}"
_CHECK = "postgresql://USER:PASSWORD@HOST:5432/grognard"
_WORDS = {
    "53100": (
        "The database cannot grow, because its disk is full.",
        "The host needs to free some space; then try again.",
    ),
    "53300": (
        "The database has too many connections.",
        "Try again in a moment; the host can raise max_connections.",
    ),
    **dict.fromkeys(BUSY, ("The database is busy.", "Try again in a moment.")),
    "25006": (
        "The database is read-only.",
        "The host needs to let the bot write, or name the primary server.",
    ),
    "28P01": ("The database rejects the bot's password.", "The host needs to check DATABASE_URL."),
    "28000": ("The database rejects the bot's user.", "The host needs to check DATABASE_URL."),
    NO_DATABASE: ("The database does not exist.", "The host needs to create it."),
    "42501": (
        "The bot lacks a permission in the database.",
        "The host needs to give it permission to create and use tables.",
    ),
}
AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,  # the connection broke
    asyncpg.InternalClientError,  # it broke in the middle of an answer
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # the server restarts or shuts down
    asyncpg.ReadOnlySQLTransactionError,  # a failover: this server no longer accepts writes
)
"""Errors of a server that cannot be reached for now."""


SETTINGS = (asyncpg.ClientConfigurationError, ssl.SSLCertVerificationError)
"""Those of AWAY that do not pass: an address that cannot be used, a server with a wrong
certificate.
"""
_PASSING = ("08", "53", "55", "57", "58")
"""Classes of errors that pass when the server or its machine works again."""


class Unreachable(PassingError):
    """The server does not answer.

    Its address and the cause in a few words are in the message only if `to_host`, else in
    `for_host`.
    """

    kind = "store-away"
    is_sure = False

    def __init__(self, server: str = "", cause: str = "", *, to_host: bool = False) -> None:
        message = f"PostgreSQL at {server} does not answer ({cause})."
        if to_host:
            super().__init__(message, hint="Start it, or check DATABASE_URL.")
        else:
            super().__init__(_AWAY, hint="It is often back within a minute; try again then.")
        self.for_host = message


def build_store_error(code: str, message: str, server: str = "", database: str = "") -> StoreError:
    """Return the StoreError for an error of PostgreSQL by its code, and log its own message.

    `server` and `database` name the address. Give them only if the host reads the error.
    """
    is_ours = code[:2] in _OURS and code not in _WORDS
    error_code = "store-failed"
    symptom = "reports an error"
    if is_ours:
        error_code = "our-fault"
        symptom = "rejected what the bot tried to save, which is our fault"
    elif code in BUSY:
        error_code = "busy"
    problem, hint = _WORDS.get(code, (f"The database {symptom}.", "`grognard doctor` says more."))
    if code == NO_DATABASE and database:
        hint = f"Create it: createdb {shlex.quote(database)}"
    log.error("PostgreSQL reports %s: %s", code, message)
    kind = PassingError if code[:2] in _PASSING else StoreError
    suffix = f"(PostgreSQL at {server})" if server else _SAFE
    return kind(f"{problem} {suffix}", hint=hint, code=error_code)


def build_unreachable_error(error: Exception, server: str, *, to_host: bool = True) -> StoreError:
    """Return the StoreError for an error of AWAY: Unreachable, or one about DATABASE_URL if waiting
    does not help, which is logged.
    """
    if isinstance(error, SETTINGS):
        log.error("DATABASE_URL cannot be used: %s", error)
        return StoreError(
            f"DATABASE_URL cannot be used: {error}" if to_host else _AWAY, hint=_CHECK
        )
    return Unreachable(server, describe_cause(error), to_host=to_host)


def describe_cause(error: BaseException) -> str:
    """Return the cause why a server cannot be reached, in a few words without its address, which may
    hold a password.
    """
    if isinstance(error, socket.gaierror):
        return "its name cannot be found"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    message = str(error) if error.args else ""  # asyncpg's own errors fail here without arguments
    match = re.search(r"\[Errno (\d+)\]", message)  # if several addresses were tried
    number = getattr(error, "errno", None) or int(match[1] if match else 0)
    if number == errno.ENOENT:
        return "no server at its socket"
    if number:
        return os.strerror(number).lower()
    return message.partition("\n")[0].rstrip(".")[:120] or type(error).__name__


def get_database_name(url: str) -> str:
    """Return the name of the database in an address."""
    return unquote(urlsplit(url).path.lstrip("/"))


def get_server_address(url: str) -> str:
    """Return host and port of an address, or the folder of its socket, without user and password."""
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    host = parts.netloc.rpartition("@")[2] or ",".join(options.get("host", ["this machine"]))
    is_complete = host.startswith("/") or re.search(r":\d+$", host)
    if is_complete:
        return host
    port = options.get("port", ["5432"])[0]
    return f"{host}:{port}"
