"""Tells Discord our commands, only when they changed: it takes at most 200 creations a day."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import discord

import bot
from bot.app import App
from bot.charts import TABLES
from bot.stores.base import Doc

Json = dict[str, Any]

log = logging.getLogger(__name__)

KIND = "discord-commands"
_COUNTED = {
    *("name", "description", "type", "options", "default_member_permissions", "contexts", "required", "autocomplete"),
    *("choices", "value", "min_value", "max_value", "min_length", "max_length"),
}
_LISTS = ("options", "choices", "contexts")
_TRIES = (2.0, 10.0, 60.0, 300.0)


async def sync_commands(http: discord.http.HTTPClient, application: int, app: App) -> None:
    """Make Discord know our commands. Where the last sync was made from the same files, nothing is read at all."""
    version = await asyncio.to_thread(files_version)
    done = await app.store.doc(KIND, str(application))
    if done is not None and done.data.get("version") == version:
        return
    from adapters.discord.payload import payload

    wanted = await asyncio.to_thread(payload, app.registry)
    for wait in (*_TRIES, None):
        try:
            standing = await http.get_global_commands(application)
            if digest(standing) != digest(wanted):
                await http.bulk_upsert_global_commands(application, wanted)
                log.info("Discord knows %s commands now", len(wanted))
            await app.store.put_doc(Doc(KIND, str(application), {"version": version}))
            return
        except (discord.HTTPException, OSError) as error:
            log.error("Discord did not take the commands: %s", error)
            if wait is None or (isinstance(error, discord.HTTPException) and 400 <= error.status < 429):
                return
            await asyncio.sleep(wait)


def digest(commands: list[Any]) -> str:
    """What tells whether two lists of commands are the same: without ids, order and what Discord adds."""
    plain = sorted((_plain(command) for command in commands), key=lambda command: str(command["name"]))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _plain(entry: Mapping[str, Any]) -> Json:
    """An entry without what stands for nothing."""
    return {
        key: [_plain(item) if isinstance(item, Mapping) else item for item in value] if key in _LISTS else value
        for key, value in entry.items()
        if key in _COUNTED and value not in (None, [], False)
    }


def files_version() -> str:
    """A digest over our code and tables by size and time of change: another version may have other commands."""
    found = hashlib.sha256()
    code, adapter = Path(bot.__file__).parent, Path(__file__).parent
    for root, pattern in ((TABLES, "*/*.yaml"), (code, "*.py"), (adapter, "*.py")):
        for path in sorted(root.glob(pattern)):
            stat = path.stat()
            found.update(f"{path.name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return found.hexdigest()
