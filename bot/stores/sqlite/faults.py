"""SQLite's errors in words that help: what is wrong with the file, and what the host can do."""

import sqlite3
from errno import EDQUOT, EIO, ENOSPC

from bot.process.logs import seldom
from bot.stores.base import PassingError, StoreError

OLDEST = (3, 35)
BUGS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError)  # ours, not the file's
_SAFE = "None of it was saved; everything answered before is safe."
_WORDS = {
    **dict.fromkeys(
        ("SQLITE_BUSY", "SQLITE_LOCKED"),
        ("is locked by another program.", "Try again in a moment; the host can see which program has it open."),
    ),
    "SQLITE_FULL": ("cannot grow: the disk is full.", "The host must make room; then try again."),
    "SQLITE_READONLY": ("cannot be written.", "The host must give the bot's user the right to write file and folder."),
    "SQLITE_PERM": ("cannot be opened.", "The host must give the bot's user the right to read and write it."),
    "SQLITE_CANTOPEN": ("cannot be opened.", "The host must check that the folder exists and may be written."),
    "SQLITE_CORRUPT": ("is damaged.", "The host must stop the bot and put back a backup copy."),
    "SQLITE_NOTADB": ("is not an SQLite database.", "The host must check DATABASE_URL, or put back a backup copy."),
    "SQLITE_IOERR": ("cannot be read or written: the disk reports an error.", "The host must check the disk."),
}


log = seldom(__name__)


class Locked(PassingError):
    """Another program holds the file."""

    kind = "store-locked"
    is_short = True


class DiskFault(PassingError):
    """The disk reports an error, also for what it may have written."""

    is_sure = False


class Gone(PassingError):
    """The file was deleted or replaced while it was open: nothing can be saved any more."""

    is_short = True  # the bot is started again

    def __init__(self) -> None:
        super().__init__(
            "The database was moved or replaced while Grognard was running. None of it was saved.",
            hint="Grognard restarts by itself in a moment; try again then.",
            code="store-gone",
        )


_KINDS: dict[str, type[StoreError]] = {
    "SQLITE_BUSY": Locked,
    "SQLITE_LOCKED": Locked,
    "SQLITE_IOERR": DiskFault,
    "SQLITE_FULL": PassingError,
}


def explained(error: sqlite3.Error, path: str, *, to_host: bool = False) -> StoreError:
    """The StoreError for what SQLite reported about the file `path`, which only the host is shown, and the log."""
    code = getattr(error, "sqlite_errorname", None) or ""
    name = next((known for known in _WORDS if code == known or code.startswith(known + "_")), "")
    problem, hint = _WORDS.get(name, (f"reports an error ({error}).", "`grognard doctor` tells more."))
    kind = _KINDS.get(name, StoreError)
    if to_host:
        return kind(f"The database {path} {problem}", hint=hint)
    log.error("the database %s %s %s", path, problem, hint)
    return kind(f"The database {problem} {_SAFE}", hint=hint)


def refused_file(what: str, error: OSError, hint: str) -> StoreError:
    """The StoreError for a file or folder that cannot be made: a full disk passes, rights are for the host to mend."""
    kind = PassingError if error.errno in (ENOSPC, EDQUOT, EIO) else StoreError
    return kind(f"{what} cannot be made: {error.strerror}.", hint=hint)


def check_sqlite() -> None:
    """Raises StoreError, where Python was built with an SQLite that does not know RETURNING."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise StoreError(
            f"This Python has SQLite {sqlite3.sqlite_version}; Grognard needs 3.35 (of 2021) or newer.",
            hint="Install a newer Python, or set DATABASE_URL to a PostgreSQL database.",
        )
