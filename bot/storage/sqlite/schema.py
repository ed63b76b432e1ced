"""The tables of the database file, and the steps that bring an older file up to date."""

import contextlib
import glob
import sqlite3
from pathlib import Path

from bot.rules.proof.unreleased import HINT as UNRELEASED_HINT
from bot.rules.proof.unreleased import describe_unreleased
from bot.runtime.file_rights import make_file
from bot.storage.base import StoreError

_TABLES = Path(__file__).with_name("first_tables.sql")

FIRST_VERSION = 7
"""The schema of the first release. Lower numbers were used by unreleased builds only."""
MIGRATIONS: tuple[str, ...] = ()
"""Step n leads from version FIRST_VERSION + n to the next one. Append only: files out there have
been through the earlier steps.
"""


def get_newest_version(steps: tuple[str, ...] = MIGRATIONS) -> int:
    """Return the version that all steps lead to."""
    return FIRST_VERSION + len(steps)


def migrate(conn: sqlite3.Connection, path: Path, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Create the tables, or bring the file up to date after a backup copy: all steps or none.

    Raises StoreError for a file of a newer Grognard or of an unreleased build, sqlite3.Error if a
    step fails.
    """
    if _version(conn) == get_newest_version(steps):
        return
    # two processes that start at once: one migrates, the other waits
    conn.execute("BEGIN IMMEDIATE")
    with conn:
        version = check_ours(conn, path, steps)
        if version == 0:
            missing_steps = (_TABLES.read_text("utf-8"), *steps)
        else:
            missing_steps = steps[version - FIRST_VERSION :]
            if missing_steps:
                _back_up(path, version)
        for step in missing_steps:
            for statement in filter(str.strip, step.split(";\n")):
                conn.execute(statement)
        conn.execute(f"PRAGMA user_version = {get_newest_version(steps)}")


def check_ours(conn: sqlite3.Connection, path: Path, steps: tuple[str, ...] = MIGRATIONS) -> int:
    """Return the file's schema version, 0 for an empty one.

    Raises StoreError for a file of a newer Grognard, of an unreleased build or of another program.
    """
    tables = conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    # after the tables: another process may be making them, and sets both at once
    version = _version(conn)
    newest = get_newest_version(steps)
    if version > newest:
        raise StoreError(
            f"The database {path} was written by a newer Grognard (schema {version}, this one knows {newest}).",
            hint="Update Grognard, or restore the backup copy next to the file.",
        )
    if 0 < version < FIRST_VERSION:
        raise StoreError(
            describe_unreleased(f"The database {path}", f"schema {version}"), hint=UNRELEASED_HINT
        )
    if version == 0 and tables:
        raise StoreError(
            f"The database {path} belongs to another program.", hint="Check DATABASE_URL."
        )
    return version


def get_backup_path(path: Path, version: int) -> Path:
    """Return the file for the copy of a database of schema `version`."""
    return path.with_name(f"{path.name}.schema-{version}.bak")


def list_own_copies(path: Path) -> list[Path]:
    """Return the copies of a database that the bot itself made next to it, sorted: before an update
    of the schema, before a restore, and after the database was deleted while it was in use.
    """
    copies: list[Path] = []
    for suffix in ("schema-*.bak", "before-*", "rescued-*"):
        copies += _list_files_with_suffix(path, suffix)
    return sorted(copies)


def drop_backups(path: Path, until: float) -> None:
    """Delete the copies that updates of the schema made before `until`, in Unix seconds. Errors are
    ignored.
    """
    for copy in _list_files_with_suffix(path, "schema-*.bak"):
        with contextlib.suppress(OSError):
            if copy.stat().st_mtime < until:
                copy.unlink()


def _list_files_with_suffix(path: Path, suffix: str) -> list[Path]:
    """Return the files named like the database with this suffix, which may have wildcards."""
    return list(path.parent.glob(f"{glob.escape(path.name)}.{suffix}"))


def _version(conn: sqlite3.Connection) -> int:
    [version] = conn.execute("PRAGMA user_version").fetchone()
    return int(version)


def _back_up(path: Path, version: int) -> None:
    """Copy the file as it is now. It is renamed when it is complete, so that no partial copy has the
    name of a backup.
    """
    draft = path.with_name(f"{path.name}.schema-{version}.tmp")
    draft.unlink(missing_ok=True)
    make_file(draft)
    source = sqlite3.connect(path)
    copy = sqlite3.connect(draft)
    try:
        source.backup(copy)
    finally:
        copy.close()
        source.close()
    draft.replace(get_backup_path(path, version))
