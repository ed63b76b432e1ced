"""What Discord is told, made beforehand by `make docs`, so that a very first start reads no game's tables.

The file says which tables and definitions it was made from; where these have changed since, it counts for nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bot

Json = dict[str, Any]

FILE = Path(__file__).with_name("commands.json")
_DEFINITIONS = (
    "bot/interface/common_commands.py",
    "bot/interface/registry.py",
    "bot/rules/inputs/options.py",
    "adapters/discord/payload.py",
)


def sources_digest() -> str:
    """A digest over the content of everything that decides what Discord is told."""
    found = hashlib.sha256()
    for path in _sources():
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def shipped_commands() -> list[Json] | None:
    """The commands made beforehand, or None where they are missing or made from something else."""
    try:
        made = json.loads(FILE.read_bytes())
        return made["commands"] if made["made_from"] == sources_digest() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_commands() -> bool:
    """Make the file anew; whether it changed."""
    from adapters.discord.payload import payload
    from bot.interface.registry import registry

    made = {"made_from": sources_digest(), "commands": payload(registry())}
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"
    if FILE.exists() and FILE.read_text("utf-8") == text:
        return False
    FILE.write_text(text, "utf-8")
    return True


def _sources() -> Iterator[Path]:
    root = Path(bot.__file__).parent.parent
    yield from sorted((root / "tables").glob("*/*.yaml"))
    yield from (root / name for name in _DEFINITIONS)
