"""The default store: games in one SQLite file.

It is in WAL mode with synchronous=FULL: commits survive a power cut, and reading never waits for
writing.
"""

from bot.storage.sqlite.faults import check_sqlite
from bot.storage.sqlite.store import SqliteStore, TemporaryStore

__all__ = ["SqliteStore", "TemporaryStore", "check_sqlite"]
