"""Which version of its tables and procedures an event was read from."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from bot import rules
from bot.charts import system

DIGITS = 12


@lru_cache(maxsize=32)
def tables_version(system_id: str) -> str:
    """The first 12 hex digits of the SHA-256 over all that makes a game's results: its tables, and the code of rules.

    Where it is the same, the same inputs and dice give the same outcome. Read once per process.
    """
    code = Path(rules.__path__[0])
    total = sha256()
    for path in (
        *sorted(system(system_id).folder.glob("*.yaml")),
        *sorted(code.glob("*.py")),
        *sorted((code / "expression").glob("*.py")),
        *sorted((code / system_id).glob("*.py")),
    ):
        total.update(f"{path.name}\n".encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:DIGITS]
