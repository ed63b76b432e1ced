"""The store for several machines: games in a PostgreSQL database.

Any number of processes share it. Jobs that wait together are sent in one message to a function in
the server, the runner, which runs them and flushes the disk once.
"""

from bot.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
