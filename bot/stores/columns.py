"""How JSON and texts are put into a column, whatever the store.

Stored JSON carries a check sum in the white space behind it: JSON allows that, and whoever reads it sees nothing. So
files of an earlier Grognard need no change, and an earlier Grognard reads today's.
"""

import json
import zlib
from collections.abc import Iterable, Iterator

from bot.stores.records import Json

_compact = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_MARKS = " \t\n\r"
_BYTES = tuple("".join(_MARKS[byte >> 2 * at & 3] for at in range(4)) for byte in range(256))
_MOST = 20
CHECKED = (
    ("requests", "reply"),
    ("outbox", "reply"),
    ("outbox", "delivery"),
    ("docs", "data"),
    ("due", "data"),
    ("snapshots", "state"),
    ("seeds", "texts"),
)
"""Tables and their columns of JSON; not those of events, whose hashes are checked elsewhere."""
NAMES = {
    "outbox": "'row ' || id",
    "docs": "'kind ' || kind",  # their keys may be secrets
    "due": "'kind ' || kind",
    "snapshots": "'game ' || game",
    "seeds": "'game ' || game",
}
"""How a row of a table is called, in SQL. Requests, whose ids say who asked, are called as each engine counts them."""


def dump(value: Json) -> str:
    """JSON for a column with its check sum: compact, and ASCII, so that half a surrogate pair cannot stop a commit."""
    return summed(_compact(value))


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


def damaged(table: str, column: str, rows: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    """A line for each stored text, by the name of its row, that is not as it was written."""
    broken = [at for at, stored in rows if not is_whole(stored)]
    yield from (f"table {table}, {at}: its {column} is damaged" for at in broken[:_MOST])
    if broken[_MOST:]:
        yield f"table {table}: {len(broken) - _MOST} more are damaged"


def bare(reply: str | None) -> str | None:
    """What remains of a stored change of a message that no longer holds, where whoever did that is forgotten."""
    said = json.loads(reply) if reply is not None else {}
    if not (over := said.get("over")):
        return None
    return dump({"title": over, "tone": said["tone"]} if "tone" in said else {"title": over})


def _sum(text: bytes) -> str:
    number = zlib.crc32(text)
    return _BYTES[number & 255] + _BYTES[number >> 8 & 255] + _BYTES[number >> 16 & 255] + _BYTES[number >> 24]
