"""Games in a PostgreSQL database: the store for whoever has outgrown one machine.

Any number of processes share it. A commit is carried out by functions in the server, so that what waits together costs
one message and one flush.
"""

from bot.stores.postgres.store import PostgresStore, open_postgres

__all__ = ["PostgresStore", "open_postgres"]
