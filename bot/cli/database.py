"""`grognard backup`, `restore`, `copy` and `rerun`: copy the database to a file, put that back,
copy it into another database, and play its games again with today's tables.
"""

import asyncio
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from dataclasses import dataclass, replace
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
from bot.storage.copying import RECEIPT_TABLES, copy_all, holds_anything
from bot.storage.opening import explain_missing_library, get_server_name, open_store
from bot.storage.sqlite import SqliteStore
from bot.storage.sqlite.copying import open_sqlite_source, open_sqlite_target
from bot.storage.sqlite.faults import build_store_error
from bot.storage.sqlite.schema import check_ours
from bot.storage.store import Store
from bot.verification.check_games import audit_games
from bot.verification.replay import rerun

SQLITE_SUFFIXES = ("-wal", "-shm")
"""Endings of the files that SQLite keeps next to a database."""


def back_up_database(words: Sequence[str]) -> int:
    """Copy the database into a new SQLite file, and note the time of the copy in the database.

    Return the exit status: 1 if something in the copy does not verify (games of PostgreSQL are
    played again, SQLite's pages are checked). Raises UserError if there is no database yet, if the
    file exists, and if the database cannot be read or the file not be written.
    """
    (name,) = Arguments(words, flags={}).take_only("FILE")
    settings = load_settings()
    copy = Path(name)
    source = _format_database_name(settings)
    if not settings.postgres and not _file_exists(Path(source)):
        hint = "The bot creates it when it first starts, in the folder GROGNARD_DATA."
        raise UserError(f"There is no database {source} yet.", hint=hint, code="no-such-file")
    if _file_exists(copy, "written"):
        raise UserError(f"{copy} already exists.", hint="Name a new file.", code="file-exists")
    try:
        games, faults = _make_backup(settings, copy)
    except UserError as error:
        if error.is_passing or not error.of_store:
            asyncio.run(_save_backup_time(settings, is_whole=False))
        raise
    asyncio.run(_save_backup_time(settings, is_whole=not faults))
    print(
        f"{copy} holds {format_count(games, 'game')} from {source}. Keep it private: the seeds of "
        "running games are in it."
    )
    return _print_faults(faults)


def restore_database(words: Sequence[str]) -> int:
    """Put a copy in place of the database; the old database is kept under another name.

    Return the exit status: 1 if a game does not verify afterwards (PostgreSQL only). Raises
    UserError while another process has the database open, and for a file that is not a database of
    Grognard.
    """
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
            f"{folder} cannot be created: {error.strerror or error}.", code="file-failed"
        ) from None
    if settings.postgres:
        result = _restore_postgres(settings, copy)
    else:
        result = _restore_file(Path(source), copy)
    print(f"{source} now holds {format_count(result.games, 'game')} from {copy}.")
    if result.old_database is not None:
        print(f"The old database is kept as {result.old_database}.")
    print(
        "Tell your players: anything rolled since then is gone, and each game needs /fair reveal for a new seed."
    )
    return _print_faults(result.faults)


def _file_exists(path: Path, purpose: str = "read") -> bool:
    """Return whether a file that is to be `read` or `written` (the purpose) exists.

    Raises UserError if this user may not look.
    """
    with explain_file_errors(path.absolute(), purpose):
        return path.exists()


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """The result of restoring a copy: its number of games, the file that keeps the old database
    (None if there was none), and the faults that were found afterwards.
    """

    games: int
    old_database: Path | None
    faults: Sequence[str] = ()


def _format_database_name(settings: Settings) -> str:
    """Return the file of the database, or its server's name.

    Raises UserError for a temporary database, which ends with its process.
    """
    if settings.postgres:
        return get_server_name(settings)
    if settings.database is None:
        raise UserError(
            "The database is only temporary.",
            hint="Set DATABASE_URL to a file.",
            code="bad-settings",
        )
    return str(settings.database)


def _make_backup(settings: Settings, copy: Path) -> tuple[int, Sequence[str]]:
    """Copy the database into a file. Return its number of games, and a line for each fault of the
    copy. Raises UserError.
    """
    if settings.postgres:
        return asyncio.run(_back_up_postgres(settings, copy))
    assert settings.database is not None
    return _copy_sqlite_file(settings.database, copy), ()


async def _save_backup_time(settings: Settings, *, is_whole: bool) -> None:
    """Save in the database that it was copied now, or that this failed (`is_whole` false), for
    `grognard health` and `doctor`.

    If that cannot be saved, print so after a copy that succeeded; after one that failed do nothing.
    """
    try:
        async with await open_store(settings, at_once=not is_whole) as store:
            earlier = await store.load_doc(*COPIED)
            await store.put_doc(build_copy_doc(earlier, time.time(), is_whole=is_whole))
    except UserError as error:
        if is_whole:  # otherwise there is no copy, and the reason for that is shown already
            print(f"The time of the copy could not be recorded: {error.message}")


def _restore_file(database: Path, copy: Path) -> RestoreResult:
    """Replace an SQLite database by a copy. Raises UserError while another process has the database
    open, and if the copy is damaged or not ours.
    """
    draft = database.with_name(f"{database.name}.restoring")
    draft.unlink(missing_ok=True)
    games = _copy_sqlite_file(copy, draft)
    try:
        old_database = _rename_database(database)
        _set_owner(draft, old_database or database.parent)
        os.replace(draft, database)
    finally:
        draft.unlink(missing_ok=True)
    return RestoreResult(games, old_database)


async def _back_up_postgres(settings: Settings, copy: Path) -> tuple[int, Sequence[str]]:
    """Copy a PostgreSQL database into a file. Return its number of games, and a line for each fault
    of the copy. Raises UserError.

    Games that were played since the previous backup are played again to verify them; if there was
    none, all games.
    """
    from bot.storage.postgres.copying import open_postgres_source

    with _write_whole_file(copy) as draft:
        async with (
            open_postgres_source(settings.postgres) as source,
            open_sqlite_target(draft, is_draft=True) as target,
        ):
            counts = await copy_all(source, target, excluded=RECEIPT_TABLES)
        async with await SqliteStore.open(draft) as store:
            doc = await store.load_doc(*COPIED)
            # clocks differ, and are set
            since = doc.data.get("at", 0.0) - DAY if doc is not None else 0.0
            _, faults = await audit_games(store, since=since)
        with closing(sqlite3.connect(draft)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            lines = [line for (line,) in connection.execute("PRAGMA quick_check(5)")]
            faults += [line for line in lines if line != "ok"]
    return counts["games"], faults


def _restore_postgres(settings: Settings, copy: Path) -> RestoreResult:
    """Replace all that a PostgreSQL database holds by a copy.

    Raises UserError while a bot is connected to it, and if the copy is damaged or not ours.
    """
    with TemporaryDirectory(prefix="grognard-") as folder:
        file = Path(folder) / "games.db"
        games = _copy_sqlite_file(copy, file)
        old_database, faults = asyncio.run(_copy_into_postgres(settings, file))
    return RestoreResult(games, old_database, faults)


async def _copy_into_postgres(settings: Settings, file: Path) -> tuple[Path | None, Sequence[str]]:
    """Replace all that a PostgreSQL database holds by an SQLite file, whose schema is brought up to
    date first.

    Return the file that keeps the old games (None if there were none), and a line for each fault
    that is found afterwards. If copying fails the database stays as it is.
    """
    from bot.storage.postgres.copying import open_postgres_target

    async with await SqliteStore.open(file):
        pass  # opening it updates its schema
    old_copy = settings.data / f"grognard.before-{datetime.now(UTC):%Y%m%d-%H%M%S}.db"
    async with await open_store(settings) as store:
        is_empty = not await store.list_games(limit=1)
    if not is_empty:
        await _back_up_postgres(settings, old_copy)
    try:
        async with (
            open_sqlite_source(file) as source,
            open_postgres_target(settings.postgres, emptied=True) as target,
        ):
            await copy_all(source, target, excluded=RECEIPT_TABLES)
    except BaseException:
        old_copy.unlink(missing_ok=True)
        raise
    async with await open_store(settings) as store:
        faults = await _find_store_faults(store)
    return None if is_empty else old_copy, faults


async def _find_store_faults(store: Store) -> list[str]:
    """Return a line for each fault of the stored data, and of each game when it is played again."""
    faults = [*await store.check()]
    _, game_faults = await audit_games(store)
    return [*faults, *game_faults]


def _remove_database_file(file: Path) -> None:
    """Delete an SQLite database with the files that SQLite keeps next to it, as far as they
    exist.
    """
    for suffix in ("", *SQLITE_SUFFIXES):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _print_faults(faults: Sequence[str]) -> int:
    """Print the faults of a copy. Return the exit status: 1 if there are any."""
    for fault in faults:
        print(fault)
    if faults:
        print("grognard doctor --replay shows whether the database itself has this fault too.")
    return int(bool(faults))


def _copy_sqlite_file(source: Path, target: Path) -> int:
    """Copy an SQLite database of Grognard to a new file that only its owner may read. Return its
    number of games.

    Raises UserError if `source` is damaged, or not a database of Grognard.
    """
    try:
        with (
            _write_whole_file(target) as draft,
            closing(sqlite3.connect(source)) as original,
            closing(sqlite3.connect(draft)) as copy,
        ):
            if check_ours(original, source) == 0:
                raise UserError(f"{source} is not a Grognard database.", code="bad-backup")
            original.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            check_lines = [line for (line,) in copy.execute("PRAGMA integrity_check(5)")]
            if check_lines != ["ok"]:
                raise UserError(
                    f"{source} is damaged: {check_lines[0]}",
                    hint="Use an older copy.",
                    code="bad-backup",
                )
            [games] = copy.execute("SELECT count(*) FROM games").fetchone()
            return int(games)
    except sqlite3.Error as error:
        raise build_store_error(error, str(source), to_host=True) from error


@contextmanager
def _write_whole_file(target: Path) -> Iterator[Path]:
    """Yield a draft file that only its owner may read; afterwards it gets the name `target`.

    After an error in the block the draft is deleted. Raises UserError if it cannot be written.
    """
    draft = target.with_name(f"{target.name}.half")
    with explain_file_errors(target):
        _remove_database_file(draft)
        try:
            make_file(draft)
            yield draft
            os.replace(draft, target)
        finally:
            _remove_database_file(draft)


def _rename_database(path: Path) -> Path | None:
    """Rename a database, also a damaged one, to a name with the time. Return the new name, or None
    if there is no database.

    Raises UserError while another process has it open.
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
    new_path = path.with_name(f"{path.name}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    for suffix in SQLITE_SUFFIXES:  # a damaged database still has these
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(new_path.with_name(new_path.name + suffix))
    path.rename(new_path)
    return new_path


def _set_owner(file: Path, model: Path) -> None:
    """Give a file the owner and group of `model` if root runs this, who restores for the bot's
    user.
    """
    owner = model.stat()
    if os.geteuid() == 0:
        os.chown(file, owner.st_uid, owner.st_gid)


def copy_database(words: Sequence[str]) -> int:
    """Copy the database FROM into the empty database TO, or into that of the settings; then play
    all games in it again to verify them.

    Return the exit status: 1 if one does not verify. Raises UserError if it cannot be copied; then
    the target stays empty.
    """
    # an address such as postgresql://...?host=... is not a key=value pair
    escaped_words = [word.replace("=", "\0") for word in words]
    arguments = Arguments(escaped_words, flags={})
    has_target = len(arguments.words) > 1
    if has_target:
        source_word, target_word = arguments.take_only("FROM", "TO")
    else:
        (source_word,) = arguments.take_only("FROM")
        target_word = ""
    source = _load_settings_of(source_word.replace("\0", "="))
    target = _load_settings_of(target_word.replace("\0", "="))
    if (source.postgres, source.database) == (target.postgres, target.database):
        hint = (
            "Give a different database second."
            if has_target
            else "Give the empty database second, or set DATABASE_URL."
        )
        raise UserError("Both are the same database.", hint=hint, code="bad-arguments")
    status = asyncio.run(_copy_store(source, target))
    if status == 0:
        next_step = "Start the bot."
        if has_target:
            next_step = "Set DATABASE_URL to the new one, then start the bot."
        print(f"Log, chain, dice and state of every game agree. {next_step}")
    return status


def _load_settings_of(location: str) -> Settings:
    """Return the host's settings with the database at `location`: its address, a file with a line
    DATABASE_URL=..., or "" for that of the settings. Their live port is 0.

    Raises UserError for an address with a password, for a file without that line, and for a
    temporary database.
    """
    is_address = "://" in location
    if is_address or not location:
        url = location
    else:
        url = _read_database_url(Path(location))
    if is_address and _has_password(url):
        raise UserError(
            "This address has a password, and every user of this machine can read your command line.",
            hint=f"Put DATABASE_URL=... in {get_settings_place()}, and give that file instead of the address.",
            code="bad-arguments",
        )
    settings = load_settings({**os.environ, "DATABASE_URL": url} if url else None)
    if not settings.postgres and settings.database is None:
        raise UserError(
            "A temporary database cannot be copied.", hint="Name a file.", code="bad-arguments"
        )
    return replace(settings, live_port=0)


def _read_database_url(file: Path) -> str:
    """Return the DATABASE_URL of a file with settings. Raises UserError if it cannot be read or has
    no such line.
    """
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
        raise UserError(f"{file} has no DATABASE_URL=... line.", code="bad-settings")
    return url


def _has_password(url: str) -> bool:
    """Return whether an address holds a password, before the host or among its options; of an
    address that cannot be parsed, whether it may hold one.
    """
    try:
        return bool(list_passwords(url))
    except ValueError:
        return "@" in url  # half an address may still hold one


async def _copy_store(source: Settings, target: Settings) -> int:
    """Copy a database into an empty one, verify it there, and print the counts and faults.

    Return the exit status: 1 if there are faults. Raises UserError if the target is not empty.
    """
    async with (
        _open_store_end(source, "source") as source_end,
        _open_store_end(target, "target") as target_end,
    ):
        if await holds_anything(target_end):
            raise UserError(
                "The second database is not empty. Nothing was copied.",
                hint="Name an empty one.",
                code="file-exists",
            )
        counts = await copy_all(source_end, target_end)
    print(
        f"Copied: {format_count(counts['games'], 'game')}, "
        f"{format_count(counts['events'], 'event')}. Checking each game ..."
    )
    async with await open_store(target) as store:
        faults = await _find_store_faults(store)
    for fault in faults:
        print(fault)
    if faults:
        print(
            "Look into this before you use the copy; grognard doctor --replay shows whether the source has it, too."
        )
        return 1
    return 0


def _open_store_end(settings: Settings, side: str) -> AbstractAsyncContextManager[Any]:
    """Return a context manager that opens a database as the `source` or the `target` of a copy.

    Entering it raises StoreError if the database cannot be opened.
    """
    is_source = side == "source"
    if settings.postgres:
        with explain_missing_library():
            from bot.storage.postgres import copying as postgres  # an extra
        if is_source:
            return postgres.open_postgres_source(settings.postgres)
        return postgres.open_postgres_target(settings.postgres)
    assert settings.database is not None
    if is_source:
        return open_sqlite_source(settings.database)
    return open_sqlite_target(settings.database)


MOST_LISTED = 50
"""Maximum number of changed outcomes that are listed."""


def replay_games(words: Sequence[str]) -> int:
    """Play the outcomes of the given games, or with --all of all games, again with today's tables,
    and print those that would change. Nothing is stored.

    Return the exit status: 1 if an outcome would change. Raises UserError.
    """
    arguments = Arguments(words, flags={"all": False})
    games = tuple(arguments.words)
    if bool(games) == ("all" in arguments.flags):
        raise UserError(
            "Give the games, or --all.", hint="grognard rerun --all", code="bad-arguments"
        )
    return asyncio.run(_replay_games(games))


async def _replay_games(games: tuple[str, ...]) -> int:
    """Replay games (see `replay_games`), or all of them if none is given, and print the result.

    Return the exit status: 1 if an outcome would change.
    """
    count = 0
    changed = Counter[str]()
    async with await open_store(load_settings()) as store:
        async for outcome in rerun(store, games):
            count += 1
            if outcome.difference:
                changed[outcome.title] += 1
                if changed.total() <= MOST_LISTED:
                    event = f"Game {outcome.game} #{outcome.number}"
                    print(f"{event} {outcome.title}: {outcome.difference}")
    hidden = changed.total() - MOST_LISTED
    if hidden > 0:
        print(f"... and {hidden} more")
    outcomes = format_count(count, "outcome")
    if not changed:
        print(f"{outcomes} replayed, all unchanged.")
        return 0
    print(f"{outcomes} replayed, {changed.total()} would be different: ", end="")
    print(", ".join(f"{name} {number}" for name, number in changed.most_common()) + ".")
    print(
        "Raise `edition` in the game's game.yaml (docs/editions.md): existing games stay unchanged."
    )
    return 1
