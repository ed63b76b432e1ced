"""The tables of the database, and the steps that bring an older one up to date."""

from pathlib import Path

from bot.rules.proof.unreleased import HINT as UNRELEASED_HINT
from bot.rules.proof.unreleased import describe_unreleased
from bot.storage.base import StoreError
from bot.storage.postgres.link import Connection

_FOLDER = Path(__file__).parent
LOCK = 0x67726F676E617264  # "grognard": the process with this lock migrates, the others wait

ONLY_FUNCTIONS = "SELECT 1"
"""A step that only replaces the functions of runner.sql, which runs after the last step."""

FIRST_VERSION = 4
"""The schema of the first release. Lower numbers were used by unreleased builds only."""
MIGRATIONS: tuple[str, ...] = ()
"""Step n leads from version FIRST_VERSION + n to the next one: a file of SQL, or SQL itself. Append
only: databases out there have been through the earlier steps.
"""
OURS = ("games", "events", "requests", "outbox")
"""Tables that belong to another program if the database has no schema version of ours."""


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
        version = await load_version(connection)
        _check_ours(version, await _has_any_table(connection, *OURS), steps)
        if version == newest:
            return
        if version:  # older processes may be running: wait for the end of their current batches
            await connection.execute("LOCK TABLE grognard_schema IN ACCESS EXCLUSIVE MODE")
            missing_steps = steps[version - FIRST_VERSION :]
        else:
            missing_steps = ("first_tables.sql", *steps)
            await connection.execute("CREATE TABLE grognard_schema (version integer NOT NULL)")
            await connection.execute("INSERT INTO grognard_schema VALUES (0)")
        for step in missing_steps:
            await connection.execute(_load_sql(step))
        await connection.execute(_load_sql("runner.sql"))
        await connection.execute("UPDATE grognard_schema SET version = $1", newest)


async def load_version(connection: Connection) -> int:
    """Return the schema version, 0 for a database without our tables."""
    if not await _has_any_table(connection, "grognard_schema"):
        return 0
    return int(await connection.fetchval("SELECT version FROM grognard_schema"))


async def _has_any_table(connection: Connection, *names: str) -> bool:
    """Return whether the database has any of these tables.

    It reads the catalog, because to_regclass may return what was true before the lock.
    """
    query = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY ($1))"
    return bool(await connection.fetchval(query, names))


def _check_ours(version: int, has_tables: bool, steps: tuple[str, ...]) -> None:
    """Raise StoreError for a database of a newer Grognard, of an unreleased build or of another
    program, which has tables without a version.
    """
    newest = get_newest_version(steps)
    if version > newest:
        raise StoreError(
            f"The database was written by a newer Grognard (schema {version}, this one knows {newest}).",
            hint="Update Grognard, or restore a backup.",
        )
    if 0 < version < FIRST_VERSION:
        raise StoreError(
            describe_unreleased("The database", f"schema {version}"), hint=UNRELEASED_HINT
        )
    if version == 0 and has_tables:
        raise StoreError(
            "The database belongs to another program.", hint="Give Grognard one of its own."
        )


def _load_sql(step: str) -> str:
    """Return the SQL of a step, which is a file or SQL itself."""
    if step.endswith(".sql"):
        return (_FOLDER / step).read_text("utf-8")
    return step
