"""The tables of the database file, and the steps that bring an older file up to date."""

import contextlib
import glob
import sqlite3
from pathlib import Path

from bot.process.file_rights import make_file
from bot.stores.base import StoreError

# Events are a table with row ids: they are appended at its end, so that those of one commit share a few pages,
# however many games they belong to.
_FIRST = """
CREATE TABLE games (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, next_event INTEGER NOT NULL, head TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE snapshots (game TEXT PRIMARY KEY, at INTEGER NOT NULL, state TEXT NOT NULL);
CREATE TABLE events (
    game TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, number)
);
CREATE TABLE bindings (
    place TEXT NOT NULL, game TEXT NOT NULL, server TEXT NOT NULL, current INTEGER NOT NULL, removed REAL,
    PRIMARY KEY (place, game)
) WITHOUT ROWID;
CREATE UNIQUE INDEX bindings_current ON bindings (place) WHERE current;
CREATE INDEX bindings_game ON bindings (game);
CREATE INDEX bindings_server ON bindings (server);
CREATE INDEX bindings_removed ON bindings (removed) WHERE removed IS NOT NULL;
CREATE TABLE persons (
    game TEXT NOT NULL, person TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (game, person)
) WITHOUT ROWID;
CREATE INDEX persons_user ON persons (user);
CREATE TABLE texts (
    game TEXT NOT NULL, event INTEGER NOT NULL, key TEXT NOT NULL, salt TEXT NOT NULL, text TEXT NOT NULL,
    person TEXT NOT NULL, PRIMARY KEY (game, event, key)
) WITHOUT ROWID;
CREATE TABLE seeds (
    game TEXT NOT NULL, epoch INTEGER NOT NULL, seed BLOB NOT NULL, commitment TEXT NOT NULL,
    first_event INTEGER NOT NULL, texts TEXT NOT NULL, digest TEXT NOT NULL, revealed INTEGER,
    PRIMARY KEY (game, epoch)
) WITHOUT ROWID;
CREATE TABLE requests (id TEXT PRIMARY KEY, game TEXT, user TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, place TEXT NOT NULL, reply TEXT,
    delivery TEXT NOT NULL, due REAL NOT NULL, attempts INTEGER NOT NULL, created REAL NOT NULL
);
CREATE TABLE docs (
    kind TEXT NOT NULL, key TEXT NOT NULL, data TEXT NOT NULL, expires REAL, owner TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX docs_expires ON docs (expires) WHERE expires IS NOT NULL;
CREATE INDEX docs_owner ON docs (owner) WHERE owner <> '';
"""

_TOMBSTONES = "CREATE TABLE tombstones (id TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;\n"

# A game that left a place, and goes on in another, is not among those that the place may list and read.
_LEFT = "DELETE FROM bindings WHERE NOT current AND game IN (SELECT game FROM bindings WHERE current);\n"

# Games are numbered in each place, in the order in which they came there.
_NUMBERS = """
ALTER TABLE bindings ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE bindings SET number = (
    SELECT count(*) FROM bindings AS other JOIN games AS theirs ON theirs.id = other.game, games AS own
    WHERE own.id = bindings.game AND other.place = bindings.place
    AND (theirs.created, theirs.id) <= (own.created, own.id)
);
"""

# `about` names what a message says (GAME/41), `amends` the message that an entry changes; `shown` remembers where
# messages are, in the adapter's own words, so that they can be changed when what they say no longer holds. `home` is
# the channel whose game it is, where the message is in a thread of it.
_SHOWN = """
ALTER TABLE outbox ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN amends TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN home TEXT NOT NULL DEFAULT '';
CREATE INDEX outbox_about ON outbox (about) WHERE about <> '';
CREATE INDEX outbox_amends ON outbox (amends) WHERE amends <> '';
CREATE TABLE shown (
    about TEXT NOT NULL, place TEXT NOT NULL, spot TEXT NOT NULL, request TEXT NOT NULL,
    PRIMARY KEY (about, place, spot)
) WITHOUT ROWID;
"""

# What has to happen at a time: reminders, sealed orders that open. A key begins with the game that it goes with.
_DUE = """
CREATE TABLE due (
    key TEXT PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, owner TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX due_at ON due (at);
CREATE INDEX due_owner ON due (owner) WHERE owner <> '';
"""

# By what events of a long log are found: made from it, block by block, when somebody looks for some.
_MARKS = """
CREATE TABLE marks (
    game TEXT NOT NULL, mark TEXT NOT NULL, block INTEGER NOT NULL, at TEXT NOT NULL, PRIMARY KEY (game, mark, block)
) WITHOUT ROWID;
"""

# Step n leads from version n to n + 1. Append only: files out there have been through the older ones.
MIGRATIONS: tuple[str, ...] = (_FIRST, _TOMBSTONES, _LEFT, _NUMBERS, _SHOWN, _DUE, _MARKS)


def migrate(conn: sqlite3.Connection, path: Path, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring the file up to date, all steps or none, after a backup copy of one that holds anything.

    Raises StoreError for a file of a newer Grognard, sqlite3.Error when a step fails.
    """
    if _version(conn) == len(steps):
        return
    conn.execute("BEGIN IMMEDIATE")  # two processes that start at once: one migrates, the other waits
    with conn:
        version = check_ours(conn, path, steps)
        if 0 < version < len(steps):
            _back_up(path, version)
        for step in steps[version:]:
            for statement in filter(str.strip, step.split(";\n")):
                conn.execute(statement)
        conn.execute(f"PRAGMA user_version = {len(steps)}")


def check_ours(conn: sqlite3.Connection, path: Path, steps: tuple[str, ...] = MIGRATIONS) -> int:
    """The file's schema version, 0 for an empty one. Raises StoreError for a file that is not for us to touch."""
    tables = conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    version = _version(conn)  # after the tables: another process may be making them, and sets both at once
    if version > len(steps):
        raise StoreError(
            f"The database {path} was written by a newer Grognard (schema {version}, this one knows {len(steps)}).",
            hint="Update Grognard, or put back the backup copy next to the file.",
        )
    if version == 0 and tables:
        raise StoreError(f"The database {path} belongs to another program.", hint="Check DATABASE_URL.")
    return version


def backup_path(path: Path, version: int) -> Path:
    """Where the copy of a file of schema `version` is put."""
    return path.with_name(f"{path.name}.schema-{version}.bak")


def own_copies(path: Path) -> list[Path]:
    """The copies of a database that the bot itself has made beside it: before an update of the schema, in place of one
    that was put back, and of one that was deleted while it was in use."""
    return sorted(found for kind in ("schema-*.bak", "before-*", "rescued-*") for found in _beside(path, kind))


def drop_backups(path: Path, until: float) -> None:
    """Delete the copies that updates of the schema made up to then, Unix seconds."""
    for found in _beside(path, "schema-*.bak"):
        with contextlib.suppress(OSError):
            if found.stat().st_mtime < until:
                found.unlink()


def _beside(path: Path, kind: str) -> list[Path]:
    return list(path.parent.glob(f"{glob.escape(path.name)}.{kind}"))


def _version(conn: sqlite3.Connection) -> int:
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def _back_up(path: Path, version: int) -> None:
    """Copy the file as it is now. Written under another name first: a half copy never looks like a whole one."""
    half = path.with_name(f"{path.name}.schema-{version}.tmp")
    half.unlink(missing_ok=True)
    make_file(half)
    source = sqlite3.connect(path)
    copy = sqlite3.connect(half)
    try:
        source.backup(copy)
    finally:
        copy.close()
        source.close()
    half.replace(backup_path(path, version))
