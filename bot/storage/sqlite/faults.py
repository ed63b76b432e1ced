"""SQLite's errors as StoreErrors: what is wrong with the file, and what the host can do."""

import contextlib
import os
import sqlite3
from errno import EACCES, EDQUOT, EIO, ENOSPC, EPERM, EROFS
from pathlib import Path

from bot.runtime.file_rights import make_file
from bot.runtime.logs import get_seldom_logger
from bot.storage.base import PassingError, StoreError

OLDEST = (3, 35)
"""The oldest version of SQLite that has RETURNING."""
BUGS = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
)
"""Errors that are bugs of ours, not faults of the file."""
_SAFE = "None of it was saved, but everything the bot has already answered is safe."
_WORDS = {
    **dict.fromkeys(
        ("SQLITE_BUSY", "SQLITE_LOCKED"),
        (
            "is locked by another program.",
            "Try again in a moment; the host can see which program has it open.",
        ),
    ),
    "SQLITE_FULL": (
        "cannot grow, because the disk is full.",
        "The host needs to free some space; then try again.",
    ),
    "SQLITE_READONLY": (
        "cannot be written.",
        "The host needs to let the bot's user write to the file and its folder.",
    ),
    "SQLITE_PERM": (
        "cannot be opened.",
        "The host needs to give the bot's user the right to read and write it.",
    ),
    "SQLITE_CANTOPEN": (
        "cannot be opened.",
        "The host needs to check that the folder exists and can be written to.",
    ),
    "SQLITE_CORRUPT": ("is damaged.", "The host needs to stop the bot and restore a backup."),
    "SQLITE_NOTADB": (
        "is not an SQLite database.",
        "The host needs to check DATABASE_URL, or restore a backup.",
    ),
    "SQLITE_IOERR": (
        "cannot be read or written, because the disk reports an error.",
        "The host needs to check the disk.",
    ),
}


log = get_seldom_logger(__name__)


class Locked(PassingError):
    """Another program has locked the file."""

    kind = "store-locked"
    is_short = True


class DiskFault(PassingError):
    """The disk reports an error. Something may have been stored nevertheless."""

    is_sure = False


class StillFaulty(DiskFault):
    """The disk still reports errors after a DiskFault. This time nothing was written to the
    database.
    """

    is_sure = True


class ReadOnlyDisk(PassingError):
    """The disk is read-only, as it becomes after a fault. A host can mount it for writing again."""


class Gone(PassingError):
    """The file was deleted or replaced while it was open: nothing can be saved any more."""

    is_short = True  # the bot restarts

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


def build_store_error(error: sqlite3.Error, path: str, *, to_host: bool = False) -> StoreError:
    """Return the StoreError for an error of SQLite about the file `path`.

    With `to_host` the message names the file. Without it does not, and the file and the problem are
    logged.
    """
    code = getattr(error, "sqlite_errorname", None) or ""
    name = next((name for name in _WORDS if code == name or code.startswith(name + "_")), "")
    cause = find_cause(Path(path)) if name in _OF_THE_PLACE else None
    if cause is not None and (to_host or cause is READ_ONLY):
        # other causes name folders, which players should not see
        kind, problem, hint = cause
    else:
        problem, hint = _WORDS.get(
            name, (f"reports an error ({error}).", "`grognard doctor` says more.")
        )
        kind = _KINDS.get(name, StoreError)
    if to_host:
        return kind(f"The database {path} {problem}", hint=hint)
    log.error("the database %s %s %s", path, problem, hint)
    return kind(f"The database {problem} {_SAFE}", hint=hint)


def check_disk(path: Path) -> None:
    """Raise StoreError if a file next to the database cannot be written. The database itself is not
    touched.
    """
    try:
        write_probe(path)
    except OSError as error:
        cause: Cause = (StillFaulty, *_WORDS["SQLITE_IOERR"])
        if error.errno in (ENOSPC, EDQUOT):
            cause = (PassingError, *_WORDS["SQLITE_FULL"])
        elif error.errno == EROFS:
            cause = READ_ONLY
        kind, problem, hint = cause
        log.error("the database %s %s %s", path, problem, hint)
        raise kind(f"The database {problem} {_SAFE}", hint=hint) from error


def write_probe(path: Path) -> None:
    """Write a small file next to a database to the disk, and delete it again. Raises OSError."""
    probe = create_probe(path)
    try:
        with probe.open("wb") as file:
            file.write(b"\0")
            file.flush()
            os.fsync(file.fileno())
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()


def create_probe(path: Path) -> Path:
    """Create an empty file next to a database, and return it. Raises OSError."""
    probe = path.with_name(f"{path.name}.probe")
    make_file(probe)
    return probe


_OF_THE_PLACE = ("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")
"""Errors for which SQLite does not say whether the path, its rights or its disk is at fault."""
Cause = tuple[type[StoreError], str, str]
"""A kind of error, what is wrong with the database, and what the host can do."""
READ_ONLY: Cause = (
    ReadOnlyDisk,
    "cannot be written, because its disk is read-only.",
    "The host needs to mount it for writing again.",
)


def find_cause(path: Path) -> Cause | None:
    """Return the cause why a database cannot be opened for writing, or None if none is found.

    This tries to write: a disk that became read-only by a fault does not always report that.
    """
    if path.is_dir():
        hint = f"The host needs to name a file in it: DATABASE_URL=sqlite:///{path.absolute()}/games.db"
        return StoreError, "is a folder.", hint
    place = path.parent
    try:
        create_probe(path).unlink()
        place = path
        os.close(os.open(path, os.O_RDWR))
    except OSError as error:
        if error.errno == EROFS:
            return READ_ONLY
        if error.errno in (EACCES, EPERM):
            hint = "The host needs to give the bot's user the right to read and write it."
            return (
                StoreError,
                f"cannot be written, because the bot's user may not write {place}.",
                hint,
            )
    return None


def make_file_error(name: str, error: OSError, hint: str) -> StoreError:
    """Return the StoreError for a file or folder that cannot be created. `name` begins the message:
    "The folder ...".

    It is a PassingError if the disk is full, faulty or read-only.
    """
    if error.errno == EROFS:
        return ReadOnlyDisk(
            f"{name} cannot be created, because its disk is read-only.",
            hint="Mount it for writing again.",
        )
    kind: type[StoreError] = PassingError if error.errno in (ENOSPC, EDQUOT, EIO) else StoreError
    return kind(f"{name} cannot be created: {error.strerror}.", hint=hint)


def check_sqlite() -> None:
    """Raise StoreError if Python has an SQLite that is older than OLDEST."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise StoreError(
            f"This Python has SQLite {sqlite3.sqlite_version}; Grognard needs 3.35 (of 2021) or newer.",
            hint="Install a newer Python, or set DATABASE_URL to a PostgreSQL database.",
        )
