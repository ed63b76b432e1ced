"""The tables of the database, and the steps that bring an older one up to date."""

from pathlib import Path

from bot.stores.base import StoreError
from bot.stores.postgres.link import Connection

_HERE = Path(__file__).parent
LOCK = 0x67726F676E617264  # "grognard": whoever holds it migrates, the others wait

ONLY_FUNCTIONS = "SELECT 1"
# By what events of a long log are found: made from it, block by block, when somebody looks for some.
_MARKS = """
CREATE TABLE marks (
    game text COLLATE "C" NOT NULL, mark text COLLATE "C" NOT NULL, block bigint NOT NULL, at text NOT NULL,
    PRIMARY KEY (game, mark, block)
);
"""

# Step n leads from version n to n + 1: a file of SQL, or SQL itself. Append only: databases out there have been through
# the older ones. `runner.sql` is carried out again behind the last step.
#
# The functions of step 3 (grognard_batch and what it calls, grognard_claim, grognard_sweep) stay where they are, for
# processes of the release before that are still at work. The next step drops them.
MIGRATIONS: tuple[str, ...] = ("first_tables.sql", ONLY_FUNCTIONS, _MARKS, ONLY_FUNCTIONS)
OURS = ("games", "events", "requests", "outbox")
"""Tables that only another program can have made where ours have no version."""


async def migrate(connection: Connection, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring the database up to date, all steps or none. Raises StoreError for one that is not for us to touch."""
    if await version(connection) == len(steps):
        return
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        before = await version(connection)
        _check_ours(before, await _are_there(connection, *OURS), steps)
        if before == len(steps):
            return
        if before:  # older processes are at work: no batch of theirs is in the middle of a table that changes
            await connection.execute("LOCK TABLE grognard_schema IN ACCESS EXCLUSIVE MODE")
        else:
            await connection.execute("CREATE TABLE grognard_schema (version integer NOT NULL)")
            await connection.execute("INSERT INTO grognard_schema VALUES (0)")
        for step in steps[before:]:
            await connection.execute(_sql(step))
        await connection.execute(_sql("runner.sql"))
        await connection.execute("UPDATE grognard_schema SET version = $1", len(steps))


async def version(connection: Connection) -> int:
    """The schema version, 0 for a database without our tables."""
    if not await _are_there(connection, "grognard_schema"):
        return 0
    return int(await connection.fetchval("SELECT version FROM grognard_schema"))


async def _are_there(connection: Connection, *names: str) -> bool:
    """Whether any table is called so. Looked up as rows: what to_regclass remembers may be older than the lock."""
    query = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY ($1))"
    return bool(await connection.fetchval(query, names))


def _check_ours(before: int, others: bool, steps: tuple[str, ...]) -> None:
    if before > len(steps):
        raise StoreError(
            f"The database was written by a newer Grognard (schema {before}, this one knows {len(steps)}).",
            hint="Update Grognard, or restore a backup.",
        )
    if before == 0 and others:
        raise StoreError("The database belongs to another program.", hint="Give Grognard one of its own.")


def _sql(step: str) -> str:
    return (_HERE / step).read_text("utf-8") if step.endswith(".sql") else step
