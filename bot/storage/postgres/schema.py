"""The tables of the database, and the steps that bring an older one up to date."""

from pathlib import Path

from bot.rules.proof.unreleased import HINT as UNRELEASED_HINT
from bot.rules.proof.unreleased import describe_unreleased
from bot.storage.base import StoreError
from bot.storage.postgres.link import Connection

_HERE = Path(__file__).parent
LOCK = 0x67726F676E617264  # "grognard": whoever holds it migrates, the others wait

ONLY_FUNCTIONS = "SELECT 1"
"""A step that only replaces the functions of runner.sql, which is carried out after the last
step.
"""

FIRST_VERSION = 4
"""The schema of the first release. Lower numbers were used by unreleased builds only."""
MIGRATIONS: tuple[str, ...] = ()
"""Step n leads from version FIRST_VERSION + n to the next one: a file of SQL, or SQL itself. Append
only: databases out there have been through the earlier steps.
"""
OURS = ("games", "events", "requests", "outbox")
"""Tables that only another program can have made where ours have no version."""


def get_newest_version(steps: tuple[str, ...] = MIGRATIONS) -> int:
    """Return the version that all steps lead to."""
    return FIRST_VERSION + len(steps)


async def migrate(connection: Connection, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Create the tables, or bring the database up to date: all steps or none.

    Raises StoreError for a database of a newer Grognard, of an unreleased build or of another
    program.
    """
    newest = get_newest_version(steps)
    if await load_version(connection) == newest:
        return
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        before = await load_version(connection)
        _check_ours(before, await _are_there(connection, *OURS), steps)
        if before == newest:
            return
        if before:  # older processes are at work: no batch of theirs is in the middle of a table that changes
            await connection.execute("LOCK TABLE grognard_schema IN ACCESS EXCLUSIVE MODE")
            missing_steps = steps[before - FIRST_VERSION :]
        else:
            missing_steps = ("first_tables.sql", *steps)
            await connection.execute("CREATE TABLE grognard_schema (version integer NOT NULL)")
            await connection.execute("INSERT INTO grognard_schema VALUES (0)")
        for step in missing_steps:
            await connection.execute(_sql(step))
        await connection.execute(_sql("runner.sql"))
        await connection.execute("UPDATE grognard_schema SET version = $1", newest)


async def load_version(connection: Connection) -> int:
    """The schema version, 0 for a database without our tables."""
    if not await _are_there(connection, "grognard_schema"):
        return 0
    return int(await connection.fetchval("SELECT version FROM grognard_schema"))


async def _are_there(connection: Connection, *names: str) -> bool:
    """Return whether any table is called so. Looked up as rows: what to_regclass remembers may be
    older than the lock.
    """
    query = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY ($1))"
    return bool(await connection.fetchval(query, names))


def _check_ours(before: int, others: bool, steps: tuple[str, ...]) -> None:
    newest = get_newest_version(steps)
    if before > newest:
        raise StoreError(
            f"The database was written by a newer Grognard (schema {before}, this one knows {newest}).",
            hint="Update Grognard, or restore a backup.",
        )
    if 0 < before < FIRST_VERSION:
        raise StoreError(
            describe_unreleased("The database", f"schema {before}"), hint=UNRELEASED_HINT
        )
    if before == 0 and others:
        raise StoreError(
            "The database belongs to another program.", hint="Give Grognard one of its own."
        )


def _sql(step: str) -> str:
    return (_HERE / step).read_text("utf-8") if step.endswith(".sql") else step
