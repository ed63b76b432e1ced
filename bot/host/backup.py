"""`grognard backup` and `grognard restore`: the database copied while the bot runs, and put back while it does not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.host.cli import Arguments
from bot.process.file_rights import make_file, make_folder
from bot.process.settings import load_settings
from bot.rules.errors import UserError
from bot.stores.sqlite.faults import explained
from bot.stores.sqlite.schema import check_ours

BESIDE = ("-wal", "-shm")


def backup(words: Sequence[str]) -> int:
    """Copy the database into a new file. Raises UserError where there is none, or the file is there already."""
    (name,) = Arguments(words, flags={}).take("FILE")
    path, copy = _database(), Path(name)
    if not path.exists():
        raise UserError(
            f"There is no database {path} yet.", hint="Set GROGNARD_DATA as the bot has it.", code="no-such-file"
        )
    if copy.exists():
        raise UserError(f"{copy} is there already.", hint="Name a new file.", code="file-exists")
    games = _copied(path, copy)
    print(f"{copy} holds {_games(games)} of {path}. Keep it private: the seeds of running games are in it.")
    return 0


def restore(words: Sequence[str]) -> int:
    """Put a copy in place of the database. Raises UserError while anybody has that open, or for no copy of ours."""
    (name,) = Arguments(words, flags={}).take("FILE")
    path, copy = _database(), Path(name)
    if not copy.is_file():
        raise UserError(f"There is no file {copy}.", code="no-such-file")
    if path.exists() and copy.samefile(path):
        raise UserError(f"{copy} is the database itself.", code="bad-backup")
    try:
        make_folder(path.parent)  # on a new machine the bot has not made it yet
    except OSError as error:
        raise UserError(f"{path.parent} cannot be made: {error.strerror or error}.", code="file-failed") from None
    new = path.with_name(f"{path.name}.restoring")
    new.unlink(missing_ok=True)
    games = _copied(copy, new)
    try:
        kept = _put_aside(path)
        _give_to(new, kept or path.parent)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
    print(f"{path} holds {_games(games)} of {copy} now.")
    if kept is not None:
        print(f"What was there before is kept as {kept}.")
    print("Tell your players: what was rolled since is gone, and each game needs /fair reveal for a new seed.")
    return 0


def _database() -> Path:
    path = load_settings().database
    if path is None:
        raise UserError("The database is a temporary one.", hint="Set DATABASE_URL to a file.", code="bad-settings")
    return path


def _copied(source: Path, target: Path) -> int:
    """Copy a database of ours whole, for its owner alone; how many games it holds. Raises UserError for another."""
    half = target.with_name(f"{target.name}.half")
    half.unlink(missing_ok=True)
    try:
        make_file(half)
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(half)) as new:
            if check_ours(old, source) == 0:
                raise UserError(f"{source} is no database of Grognard.", code="bad-backup")
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")
            found = [line for (line,) in new.execute("PRAGMA integrity_check(5)")]
            if found != ["ok"]:
                raise UserError(f"{source} is damaged: {found[0]}", hint="Take an older copy.", code="bad-backup")
            games = int(new.execute("SELECT count(*) FROM games").fetchone()[0])
        os.replace(half, target)
    except sqlite3.Error as error:
        raise explained(error, str(source), to_host=True) from error
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror or error}.", code="file-failed") from None
    finally:
        half.unlink(missing_ok=True)
    return games


def _put_aside(path: Path) -> Path | None:
    """Rename the database, so that nothing is lost; its new name. Raises UserError while anybody else has it open."""
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path, timeout=1.0)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # refused while another connection is open
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise UserError(
                f"{path} is open in another process.", hint="Stop the bot first, then restore.", code="store-locked"
            ) from None
    kept = path.with_name(f"{path.name}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    for end in BESIDE:  # of a damaged file, which could not let go of them
        if (beside := path.with_name(path.name + end)).exists():
            beside.rename(kept.with_name(kept.name + end))
    path.rename(kept)
    return kept


def _give_to(new: Path, like: Path) -> None:
    """To the owner of the old file, or of the folder: root restores for the bot's user."""
    owner = like.stat()
    if os.geteuid() == 0:
        os.chown(new, owner.st_uid, owner.st_gid)


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
