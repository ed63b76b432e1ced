"""Which version of its tables an event was read from."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from bot.charts import system

DIGITS = 12


@lru_cache(maxsize=32)
def tables_version(system_id: str) -> str:
    """The first 12 hex digits of the SHA-256 over all files of a game, by name. Read once per process."""
    total = sha256()
    for path in sorted(system(system_id).folder.glob("*.yaml")):
        total.update(f"{path.name}\n".encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:DIGITS]
