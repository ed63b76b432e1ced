"""Games in one SQLite file: the store that everybody has.

WAL mode with synchronous=FULL: what was committed survives a power cut, and reading never waits for
writing.
"""

from bot.storage.sqlite.faults import check_sqlite
from bot.storage.sqlite.store import SqliteStore, TemporaryStore

__all__ = ["SqliteStore", "TemporaryStore", "check_sqlite"]
