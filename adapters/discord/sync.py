"""Registers our commands with Discord, only when they changed: it takes at most 200 creations a day."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping
from typing import Any

import discord

from bot.notes import Notes
from bot.rules.errors import UserError

Json = dict[str, Any]

log = logging.getLogger(__name__)

KIND = "commands"
_TRIES = (2.0, 10.0, 60.0, 300.0)
_COUNTED = {
    *("name", "description", "type", "options", "default_member_permissions", "contexts", "required", "autocomplete"),
    *("choices", "value", "min_value", "max_value", "min_length", "max_length"),
}
_LISTS = ("options", "choices", "contexts")


async def sync_commands(http: Any, application: int, notes: Notes) -> None:
    """Make Discord know our commands; where some process has sent it the same before, nothing is sent.

    They are made in a thread, so that nobody who plays meanwhile waits for it.
    """
    wanted = await asyncio.to_thread(our_commands)
    version = digest(wanted)
    for wait in (*_TRIES, None):
        try:
            done = await notes.get(KIND, str(application))
            if done is not None and done.get("version") == version:
                return
            await http.bulk_upsert_global_commands(application, wanted)
            await notes.put(KIND, str(application), {"version": version})
            log.info("registered %s commands with Discord", len(wanted))
            return
        except (discord.HTTPException, OSError, UserError) as error:
            log.error("could not register commands: %s", error)
            if wait is None or (isinstance(error, discord.HTTPException) and 400 <= error.status < 429):
                return
            await asyncio.sleep(wait)


def our_commands() -> list[Json]:
    """What Discord is told: every command with its options."""
    from adapters.discord.payload import payload
    from bot.interface.registry import registry

    return payload(registry())


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
