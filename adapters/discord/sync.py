"""Registers our commands with Discord, only when they changed: it takes at most 200 creations a day."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import discord

from bot.places.notes import Notes
from bot.rules.errors import UserError
from bot.systems.catalog import everywhere
from bot.systems.system import built_in

Json = dict[str, Any]

log = logging.getLogger(__name__)

KIND, TURN, OURS = "commands", "registering", "adapters/discord"
_ME = secrets.token_hex(8)
ROOT = Path(__file__).resolve().parents[2]
_TRIES = (2.0, 10.0, 60.0, 300.0)
_COUNTED = {
    *("name", "description", "type", "options", "default_member_permissions", "contexts", "required", "autocomplete"),
    *("choices", "value", "min_value", "max_value", "min_length", "max_length"),
}
_LISTS = ("options", "choices", "contexts")


async def sync_commands(http: Any, application: int, notes: Notes) -> None:
    """Make Discord know our commands; where some process has sent it the same before, nothing is sent.

    They are made in a thread, and only from other files than last time: reading every table slows whoever plays
    meanwhile.
    """
    made_from, wanted, version = await asyncio.to_thread(sources), None, ""
    for wait in (*_TRIES, None):
        try:
            done = await notes.get(KIND, str(application)) or {}
            if done.get("made_from") == made_from:
                return
            if wanted is None:
                wanted = await asyncio.to_thread(our_commands)
                version = digest(wanted)
            if done.get("version") != version:
                if not await is_our_turn(str(application), version, notes):
                    if wait is None:
                        return
                    await asyncio.sleep(wait)
                    continue
                await http.bulk_upsert_global_commands(application, wanted)
                log.info("registered %s commands with Discord", len(wanted))
            await notes.put(KIND, str(application), {"version": version, "made_from": made_from})
            return
        except (discord.HTTPException, OSError, UserError) as error:
            log.error("could not register commands: %s", error)
            if wait is None or (isinstance(error, discord.HTTPException) and 400 <= error.status < 429):
                return
            await asyncio.sleep(wait)


async def is_our_turn(key: str, version: str, notes: Notes) -> bool:
    """Whether this process sends them: of several that start together one does, and a minute later perhaps another."""
    minute = f"{version[:16]}/{int(time.time() // 60)}"
    if await notes.replace(TURN, key, minute, {"by": _ME}):
        return True
    return (await notes.get(TURN, key) or {}).get("by") == _ME


def our_commands() -> list[Json]:
    """What Discord is told: every command with its options, and the menu of a message."""
    from adapters.discord.payload import entries, payload
    from bot.interface.registry import registry

    return [*payload(registry()), *entries()]


def sources() -> str:
    """What tells whether the commands can have changed: a hash of all files that they are made from."""
    found = hashlib.sha256()
    for folder, kind in (
        ("bot", "*.py"),
        ("tables", "*.yaml"),
        ("bot/tables", "*.yaml"),  # where an installed wheel has them
        (OURS, "payload.py"),
    ):
        for path in sorted((ROOT / folder).rglob(kind)):
            found.update(f"{path.relative_to(ROOT)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    for id, system in everywhere().items():
        if id not in built_in():
            found.update(f"{id}\0{system.key}\n".encode())  # a pack of the host's
    return found.hexdigest()


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
