"""Tells Discord our commands, only when they changed: it takes at most 200 creations a day.

What Discord is told was made beforehand. Where the tables have changed since, it is made by a process of its own while
this one connects, so that such a start is quick too and no game's tables stay in memory only for that.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bot
from adapters.discord.shipped import shipped_commands
from bot.stores.private import make_file, make_folder

Json = dict[str, Any]

log = logging.getLogger(__name__)

KIND = "discord-commands"
_TRIES = (2.0, 10.0, 60.0, 300.0)
_COUNTED = {
    *("name", "description", "type", "options", "default_member_permissions", "contexts", "required", "autocomplete"),
    *("choices", "value", "min_value", "max_value", "min_length", "max_length"),
}
_LISTS = ("options", "choices", "contexts")


class Commands:
    """Our commands as Discord is told them: begun to be made at once, unless the last start told the same."""

    def __init__(self, data: Path) -> None:
        self.version = files_version()
        self._file = data / f"{KIND}.txt"
        self._process: subprocess.Popen[bytes] | None = None
        was_told = self._was_told()
        self._shipped = None if was_told else shipped_commands()
        if self._shipped is None and not was_told:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bot", "commands", "discord"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )

    def _was_told(self) -> bool:
        try:
            return self._file.read_text("utf-8") == self.version
        except (OSError, ValueError):
            return False

    async def made(self) -> list[Json]:
        """The commands."""
        if self._shipped is not None:
            return self._shipped
        process, self._process = self._process, None
        if process is not None:
            output, _ = await asyncio.to_thread(process.communicate)
            if process.returncode == 0:
                found: list[Json] = json.loads(output)
                return found
        from adapters.discord.payload import payload
        from bot.interface.registry import registry

        return await asyncio.to_thread(payload, registry())

    def told(self) -> None:
        """Discord knows them: the next start need not make them."""
        self.stop()
        try:
            make_folder(self._file.parent)
            make_file(self._file)
            self._file.write_text(self.version, "utf-8")
        except OSError as error:
            log.warning("%s cannot be written: %s", self._file, error)

    def stop(self) -> None:
        """They are not needed."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


async def sync_commands(http: Any, application: int, store: Any, commands: Commands) -> None:
    """Make Discord know our commands; where a process with the same files has done so, nothing is sent."""
    import discord

    from bot.rules.errors import UserError
    from bot.stores.base import Doc

    done = await store.doc(KIND, str(application))
    if done is not None and done.data.get("version") == commands.version:
        commands.told()
        return
    wanted = await commands.made()
    for wait in (*_TRIES, None):
        try:
            if digest(await http.get_global_commands(application)) != digest(wanted):
                await http.bulk_upsert_global_commands(application, wanted)
                log.info("Discord knows %s commands now", len(wanted))
            await store.put_doc(Doc(KIND, str(application), {"version": commands.version}))
            commands.told()
            return
        except (discord.HTTPException, OSError, UserError) as error:
            log.error("the commands could not be told: %s", error)
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
    code = Path(bot.__file__).parent
    for root, pattern in ((code.parent / "tables", "*/*.yaml"), (code, "*.py"), (Path(__file__).parent, "*.py")):
        for path in sorted(root.glob(pattern)):
            stat = path.stat()
            found.update(f"{path.name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return found.hexdigest()
