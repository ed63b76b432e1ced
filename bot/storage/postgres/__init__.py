"""Games in a PostgreSQL database: the store for whoever has outgrown one machine.

Any number of processes share it. What waits together is carried out by a runner in the server, so
that it costs one message and one flush.
"""

from bot.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
