"""`grognard backup`, `restore`, `copy` and `rerun`: the database copied while the bot runs, put
back while it does not, carried into another, and played again under today's tables."""

import asyncio
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.cli.cli import Arguments
from bot.monitoring.health import COPIED, build_copy_doc
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.runtime.file_rights import explain_file_errors, make_file, make_folder
from bot.runtime.settings import (
    Settings,
    SettingsError,
    get_settings_place,
    list_passwords,
    load_settings,
    read_env_file,
)
from bot.storage.base import DAY
from bot.storage.copying import OF_THE_MOMENT, copy_all, holds_anything
from bot.storage.opening import explain_missing_library, get_server_name, open_store
from bot.storage.sqlite import SqliteStore
from bot.storage.sqlite.copying import open_sqlite_source, open_sqlite_target
from bot.storage.sqlite.faults import build_store_error
from bot.storage.sqlite.schema import check_ours
from bot.verification.check_games import audit_games
from bot.verification.replay import rerun as played_again

BESIDE = ("-wal", "-shm")


def back_up_database(words: Sequence[str]) -> int:
    """Copy the database into a new file, whichever kind it is; 1 where a game in it does not verify
    (on PostgreSQL; SQLite's pages are checked). Raises UserError where there is none, or the file
    is there already."""
    (name,) = Arguments(words, flags={}).take_only("FILE")
    settings = load_settings()
    copy = Path(name)
    source = _format_database_name(settings)
    if not settings.postgres and not _file_exists(Path(source)):
        hint = "The bot creates it at its first start; GROGNARD_DATA names its folder."
        raise UserError(f"There is no database {source} yet.", hint=hint, code="no-such-file")
    if _file_exists(copy, "written"):
        raise UserError(f"{copy} is there already.", hint="Name a new file.", code="file-exists")
    try:
        games, faults = _make_backup(settings, copy)
    except UserError as error:
        if error.is_passing or not error.of_store:
            asyncio.run(_save_backup_time(settings, is_whole=False))
        raise
    asyncio.run(_save_backup_time(settings, is_whole=not faults))
    print(
        f"{copy} holds {format_count(games, 'game')} of {source}. Keep it private: the seeds of "
        "running games are in it."
    )
    return _print_faults(faults)


def restore_database(words: Sequence[str]) -> int:
    """Put a copy in place of the database; 1 where a game does not verify then. Raises UserError
    while anybody has that open, or for no copy of ours."""
    (name,) = Arguments(words, flags={}).take_only("FILE")
    settings = load_settings()
    copy = Path(name)
    source = _format_database_name(settings)
    if not _file_exists(copy) or not copy.is_file():
        raise UserError(f"There is no file {copy}.", code="no-such-file")
    with explain_file_errors(copy, "read"), copy.open("rb"):
        pass  # SQLite would not say that it is a matter of rights
    if not settings.postgres and _file_exists(Path(source)) and copy.samefile(source):
        raise UserError(f"{copy} is the database itself.", code="bad-backup")
    folder = settings.data if settings.postgres else Path(source).parent
    try:
        make_folder(folder)  # on a new machine the bot has not made it yet
    except OSError as error:
        raise UserError(
            f"{folder} cannot be made: {error.strerror or error}.", code="file-failed"
        ) from None
    put = (
        _restore_postgres(settings, copy)
        if settings.postgres
        else _restore_file(Path(source), copy)
    )
    games, kept, faults = put
    print(f"{source} holds {format_count(games, 'game')} of {copy} now.")
    if kept is not None:
        print(f"What was there before is kept as {kept}.")
    print(
        "Tell your players: what was rolled since is gone, and each game needs /fair reveal for a new seed."
    )
    return _print_faults(faults)


def _file_exists(path: Path, purpose: str = "read") -> bool:
    """Return whether a file that is to be `read` or `written` exists. Raises UserError if this
    user may not look.
    """
    with explain_file_errors(path.absolute(), purpose):
        return path.exists()


Put = tuple[int, Path | None, Sequence[str]]
"""What became of a copy that was put back: its games, where what was there before is kept, what
does not verify.
"""


def _format_database_name(settings: Settings) -> str:
    """What the database is called: its file, or its server. Raises UserError for one that ends
    with its process.
    """
    if settings.postgres:
        return get_server_name(settings)
    if settings.database is None:
        raise UserError(
            "The database is a temporary one.",
            hint="Set DATABASE_URL to a file.",
            code="bad-settings",
        )
    return str(settings.database)


def _make_backup(settings: Settings, copy: Path) -> tuple[int, Sequence[str]]:
    """Copy the database into a file; how many games it holds, and what does not verify. Raises
    UserError.
    """
    if settings.postgres:
        return asyncio.run(_back_up_postgres(settings, copy))
    assert settings.database is not None
    return _copy_sqlite_file(settings.database, copy), ()


async def _save_backup_time(settings: Settings, *, is_whole: bool) -> None:
    """Write down when the database was copied last, or since when that fails: health and doctor
    tell a host.
    """
    try:
        async with await open_store(settings, at_once=not is_whole) as store:
            await store.put_doc(
                build_copy_doc(await store.load_doc(*COPIED), time.time(), is_whole=is_whole)
            )
    except UserError as error:
        if is_whole:  # otherwise there is no copy, and the reason for that is shown already
            print(f"The time of the copy could not be written down: {error.message}")


def _restore_file(path: Path, copy: Path) -> Put:
    """A copy in place of a file. Raises UserError while anybody has that open."""
    new = path.with_name(f"{path.name}.restoring")
    new.unlink(missing_ok=True)
    games = _copy_sqlite_file(copy, new)
    try:
        kept = _rename_database(path)
        _set_owner(new, kept or path.parent)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
    return games, kept, ()


async def _back_up_postgres(settings: Settings, copy: Path) -> tuple[int, Sequence[str]]:
    """Copy a PostgreSQL database into a file, in which each game that was played since the copy
    before is played again; of the first copy all. Raises UserError."""
    from bot.storage.postgres.copying import open_postgres_source

    with _write_whole_file(copy) as half:
        async with (
            open_postgres_source(settings.postgres) as old,
            open_sqlite_target(half, is_draft=True) as new,
        ):
            counts = await copy_all(old, new, but=OF_THE_MOMENT)
        async with await SqliteStore.open(half) as store:
            doc = await store.load_doc(*COPIED)
            # clocks differ, and are set
            since = doc.data.get("at", 0.0) - DAY if doc is not None else 0.0
            _, faults = await audit_games(store, since=since)
        with closing(sqlite3.connect(half)) as made:
            made.execute("PRAGMA journal_mode = DELETE")
            faults += [line for (line,) in made.execute("PRAGMA quick_check(5)") if line != "ok"]
    return counts["games"], faults


def _restore_postgres(settings: Settings, copy: Path) -> Put:
    """A copy in place of all that a PostgreSQL database holds. Raises UserError while a bot is
    connected to it.
    """
    with TemporaryDirectory(prefix="grognard-") as folder:
        new = Path(folder) / "games.db"
        return _copy_sqlite_file(copy, new), *asyncio.run(_copy_into_postgres(settings, new))


async def _copy_into_postgres(settings: Settings, new: Path) -> tuple[Path | None, Sequence[str]]:
    from bot.storage.postgres.copying import open_postgres_target

    async with await SqliteStore.open(new):
        pass  # which brings an older copy up to date
    kept = settings.data / f"grognard.before-{datetime.now(UTC):%Y%m%d-%H%M%S}.db"
    async with await open_store(settings) as store:
        is_empty = not await store.list_games(limit=1)
    if not is_empty:
        await _back_up_postgres(settings, kept)
    try:
        async with (
            open_sqlite_source(new) as old,
            open_postgres_target(settings.postgres, emptied=True) as target,
        ):
            await copy_all(old, target, but=OF_THE_MOMENT)
    except BaseException:
        kept.unlink(missing_ok=True)
        raise
    async with await open_store(settings) as store:
        return None if is_empty else kept, [*await store.check(), *(await audit_games(store))[1]]


def _remove_database_file(file: Path) -> None:
    """A file of ours, with what SQLite put beside it."""
    for end in ("", *BESIDE):
        file.with_name(file.name + end).unlink(missing_ok=True)


def _print_faults(faults: Sequence[str]) -> int:
    """Print what does not verify; the exit status."""
    for fault in faults:
        print(fault)
    if faults:
        print("grognard doctor --replay tells whether the database itself has it, too.")
    return int(bool(faults))


def _copy_sqlite_file(source: Path, target: Path) -> int:
    """Copy a database of ours whole, for its owner alone; how many games it holds. Raises
    UserError for another.
    """
    try:
        with (
            _write_whole_file(target) as half,
            closing(sqlite3.connect(source)) as old,
            closing(sqlite3.connect(half)) as new,
        ):
            if check_ours(old, source) == 0:
                raise UserError(f"{source} is no database of Grognard.", code="bad-backup")
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")
            found = [line for (line,) in new.execute("PRAGMA integrity_check(5)")]
            if found != ["ok"]:
                raise UserError(
                    f"{source} is damaged: {found[0]}",
                    hint="Take an older copy.",
                    code="bad-backup",
                )
            return int(new.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.Error as error:
        raise build_store_error(error, str(source), to_host=True) from error


@contextmanager
def _write_whole_file(target: Path) -> Iterator[Path]:
    """A file for its owner alone, which is called as the target once it is whole. Raises UserError
    where it cannot be written."""
    half = target.with_name(f"{target.name}.half")
    with explain_file_errors(target):
        _remove_database_file(half)
        try:
            make_file(half)
            yield half
            os.replace(half, target)
        finally:
            _remove_database_file(half)


def _rename_database(path: Path) -> Path | None:
    """Rename the database, so that nothing is lost; its new name. Raises UserError while anybody
    else has it open.
    """
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path, timeout=1.0)) as connection:
            # refused while another connection is open
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise UserError(
                f"{path} is open in another process.",
                hint="Stop the bot first, then restore.",
                code="store-locked",
            ) from None
    kept = path.with_name(f"{path.name}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    for end in BESIDE:  # of a damaged file, which could not let go of them
        if (beside := path.with_name(path.name + end)).exists():
            beside.rename(kept.with_name(kept.name + end))
    path.rename(kept)
    return kept


def _set_owner(new: Path, like: Path) -> None:
    """To the owner of the old file, or of the folder: root restores for the bot's user."""
    owner = like.stat()
    if os.geteuid() == 0:
        os.chown(new, owner.st_uid, owner.st_gid)


def copy_database(words: Sequence[str]) -> int:
    """Copy a database into an empty one; 1 where a game there does not verify. Raises UserError,
    and then the target is as it was."""
    signs = [word.replace("=", "\0") for word in words]  # ?host=... makes no pair of an address
    arguments = Arguments(signs, flags={})
    has_target = len(arguments.words) > 1
    named = arguments.take_only("FROM", "TO") if has_target else [*arguments.take_only("FROM"), ""]
    source, target = (_load_settings_of(word.replace("\0", "=")) for word in named)
    if (source.postgres, source.database) == (target.postgres, target.database):
        hint = (
            "Name another database second."
            if has_target
            else "Name the empty database second, or set DATABASE_URL."
        )
        raise UserError("Both are the same database.", hint=hint, code="bad-arguments")
    status = asyncio.run(_copy_store(source, target))
    if status == 0:
        next_step = (
            "Set DATABASE_URL to the new one, then start the bot."
            if has_target
            else "Start the bot."
        )
        print(f"Log, chain, dice and state of every game agree. {next_step}")
    return status


def _load_settings_of(named: str) -> Settings:
    """Return the host's settings with the database that is named: by its address, by a file with a
    line DATABASE_URL=..., or "" for that of the settings.

    Raises UserError for an address with a password, for a file without that line, and for a
    database in memory.
    """
    url = named if "://" in named else _read_database_url(Path(named)) if named else ""
    if named and url == named and _has_password(url):
        raise UserError(
            "This address has a password, and each user of this machine can read a command line.",
            hint=f"Write DATABASE_URL=... into {get_settings_place()}, and name that file instead of the address.",
            code="bad-arguments",
        )
    settings = load_settings({**os.environ, "DATABASE_URL": url} if url else None)
    if not settings.postgres and settings.database is None:
        raise UserError(
            "A temporary database cannot be copied.", hint="Name a file.", code="bad-arguments"
        )
    return replace(settings, live_port=0)


def _read_database_url(file: Path) -> str:
    """Return the DATABASE_URL of a file with settings. Raises UserError."""
    if not _file_exists(file):
        raise UserError(
            f"{file} is neither an address nor a file.",
            hint="An address begins with sqlite:/// or postgresql://; a file has a line DATABASE_URL=...",
            code="no-such-file",
        )
    with explain_file_errors(file, "read"), file.open("rb"):
        pass
    problems: list[str] = []
    url = read_env_file(file, problems).get("DATABASE_URL", "")
    if problems:
        raise SettingsError(problems)
    if not url:
        raise UserError(f"{file} has no line DATABASE_URL=...", code="bad-settings")
    return url


def _has_password(url: str) -> bool:
    """Return whether an address carries a password, before the host or among its options."""
    try:
        return bool(list_passwords(url))
    except ValueError:
        return "@" in url  # half an address may still hold one


async def _copy_store(source: Settings, target: Settings) -> int:
    async with _open_store_end(source, "source") as old, _open_store_end(target, "target") as new:
        if await holds_anything(new):
            raise UserError(
                "The second database is not empty. Nothing was copied.",
                hint="Name an empty one.",
                code="file-exists",
            )
        counts = await copy_all(old, new)
    print(
        f"Copied: {format_count(counts['games'], 'game')}, "
        f"{format_count(counts['events'], 'event')}. Checking each game ..."
    )
    async with await open_store(target) as store:
        faults = [*await store.check(), *(await audit_games(store))[1]]
    for fault in faults:
        print(fault)
    if faults:
        print(
            "Look into that before you use the copy; grognard doctor --replay tells whether the source has it, too."
        )
        return 1
    return 0


def _open_store_end(settings: Settings, side: str) -> AbstractAsyncContextManager[Any]:
    """One end of the copy. Raises StoreError once it is entered."""
    if settings.postgres:
        with explain_missing_library():
            from bot.storage.postgres import copying as postgres  # an extra
        return (
            postgres.open_postgres_source if side == "source" else postgres.open_postgres_target
        )(settings.postgres)
    assert settings.database is not None
    return (open_sqlite_source if side == "source" else open_sqlite_target)(settings.database)


MOST_SHOWN = 50


def replay_games(words: Sequence[str]) -> int:
    """Play the outcomes of these games again, or of --all; 1 where one would be another. Raises
    UserError.
    """
    found = Arguments(words, flags={"all": False})
    games = tuple(found.words)
    if bool(games) == ("all" in found.flags):
        raise UserError("Name games, or --all.", hint="grognard rerun --all", code="bad-arguments")
    return asyncio.run(_replay_games(games))


async def _replay_games(games: tuple[str, ...]) -> int:
    count = 0
    others = Counter[str]()
    async with await open_store(load_settings()) as store:
        async for one in played_again(store, games):
            count += 1
            if one.other:
                others[one.what] += 1
                if others.total() <= MOST_SHOWN:
                    print(f"Game {one.game} #{one.number} {one.what}: {one.other}")
    if (hidden := others.total() - MOST_SHOWN) > 0:
        print(f"... and {hidden} more")
    outcomes = format_count(count, "outcome")
    if not others:
        print(f"{outcomes} played again, each as it was.")
        return 0
    print(f"{outcomes} played again, {others.total()} would be another: ", end="")
    print(", ".join(f"{what} {number}" for what, number in others.most_common()) + ".")
    print(
        "Raise `edition` in the game's game.yaml (docs/editions.md): games so far stay as they were."
    )
    return 1
