"""Check sums of stored JSON, kept in the white space behind it: JSON allows that, and whoever reads it sees nothing.

So files of an earlier Grognard need no change, and an earlier Grognard reads today's.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator

_MARKS = " \t\n\r"
_BYTES = tuple("".join(_MARKS[byte >> 2 * at & 3] for at in range(4)) for byte in range(256))
_MOST = 20
_TEXTS = (
    ("requests", "reply", "'row ' || rowid"),
    ("outbox", "reply", "'row ' || id"),
    ("outbox", "delivery", "'row ' || id"),
    ("docs", "data", "'kind ' || kind"),  # their keys may be secrets
    ("due", "data", "'kind ' || kind"),
    ("snapshots", "state", "'game ' || game"),
    ("seeds", "texts", "'game ' || game"),
)


def summed(text: str) -> str:
    """A JSON text with its check sum behind it."""
    return text + _sum(text.encode())


def is_whole(stored: bytes) -> bool:
    """Whether a stored text is JSON and, if it has a check sum, as it was written."""
    text = stored.rstrip(_MARKS.encode())
    behind = stored[len(text) :].decode()
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return behind in ("", _sum(text))


def damaged(conn: sqlite3.Connection) -> Iterator[str]:
    """A line for each stored text that is not as it was written; not for events, whose hashes are checked elsewhere."""
    for table, column, name in _TEXTS:
        query = f"SELECT {name}, CAST({column} AS BLOB) FROM {table} WHERE {column} IS NOT NULL"
        broken = [at for at, stored in conn.execute(query) if not is_whole(stored)]
        yield from (f"table {table}, {at}: its {column} is damaged" for at in broken[:_MOST])
        if broken[_MOST:]:
            yield f"table {table}: {len(broken) - _MOST} more are damaged"


def _sum(text: bytes) -> str:
    number = zlib.crc32(text)
    return _BYTES[number & 255] + _BYTES[number >> 8 & 255] + _BYTES[number >> 16 & 255] + _BYTES[number >> 24]
