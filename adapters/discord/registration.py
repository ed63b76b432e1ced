"""Registers our commands with Discord, only when they changed: it takes at most 200 creations a
day.

Those of a server's own packs, which Discord shows on that server alone, are sent when a pack is
enabled, changed or taken off, by the process that stored that; and after a start, where something
changed meanwhile. What Discord was told is noted, for all and by server, so that nothing is sent
twice.
"""

import asyncio
import hashlib
import json
import logging
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import discord

from adapters.discord.calls import BROKEN
from adapters.discord.command_payload import (
    MAX_COMMAND,
    build_command,
    list_our_commands,
    restrict_to_servers,
    split_by_size,
)
from adapters.discord.request import PLATFORM, Json
from bot.app import App
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import list_builtin_systems
from bot.ui.registry import TABLE, Registry
from bot.ui.reply.reply import Reply

log = logging.getLogger(__name__)

OF_SERVERS = "server-commands"
WAITS = (2.0, 10.0, 60.0, 300.0, 900.0)
"""Seconds before they are sent again; the last from then on."""
HOUR = 3_600.0
TOO_MANY_A_DAY = 30034
PATIENCE = 5.0
"""Seconds that the answer to a manager waits for Discord."""
ONLY_GLOBAL = ("contexts", "integration_types")
"""What Discord knows of global commands alone."""
NOT_YET = "Discord has not taken the change of its menu yet. Grognard keeps trying; there is nothing you need to do."
NO_RIGHT = (
    "Discord does not let Grognard have commands of its own on this server. "
    "Invite it again, with the scope applications.commands."
)
TODAY = "Discord takes no more new commands on this server today. Grognard tries again every hour."
REFUSED = "Discord refuses its commands. The log of whoever hosts this bot says why."
REFUSED_ONES = (
    "Discord refuses the commands of {names}, so they are not in the menu: {why} The other packs are. "
    "Mend the pack and add it again, or disable it."
)
TOO_LARGE = "Discord takes {most} characters for each command with everything below it, and {names} has more."
LEFT = (
    "{names} left the menu of this server; games go on with the buttons and forms of their answers."
)


News = tuple[str, float]
"""What the manager should know ("": nothing), and after how many seconds to try again (0:
never).
"""


@dataclass(slots=True)
class _Server:
    """A server whose commands are on their way."""

    news: asyncio.Event = field(default_factory=asyncio.Event)
    told: asyncio.Future[str] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    task: asyncio.Task[None] | None = None


class ServerCommands:
    """Keeps the menus of servers true to their packs."""

    def __init__(self, http: Any, application: int, app: App) -> None:
        self._http = http
        self._application = application
        self._app = app
        self._notes = Notes(app.store, "discord")
        self._servers: dict[str, _Server] = {}
        self._said: dict[
            str, str
        ] = {}  # what came of the last change, until the answer to it is there
        self._made_from = ""
        self._end = app.listen_for_pack_changes(self.handle_change)

    def stop(self) -> None:
        """End; what is on its way is sent after the next start."""
        self._end()
        for server in self._servers.values():
            if server.task is not None:
                server.task.cancel()
            if not server.told.done():
                server.told.set_result(NOT_YET)

    def handle_change(self, server: str) -> None:
        """The choice of a server was stored: tell Discord."""
        if not server.removeprefix(PLATFORM).isdecimal():
            return
        self._said.pop(server, None)
        known = self._servers.get(server)
        if known is None:
            known = self._servers[server] = _Server()
            known.task = asyncio.create_task(self._send_until_current(server, known))
            return
        if known.told.done():
            known.told = asyncio.get_running_loop().create_future()
        known.news.set()

    async def handle_join(self, server: str) -> None:
        """The bot was added to a server (again): Discord has forgotten what it was told there."""
        if await self._app.load_enabled_packs(server):
            await self._notes.remove(OF_SERVERS, server.removeprefix(PLATFORM))
            self.handle_change(server)

    async def send_pending_changes(self) -> None:
        """After a start: send what changed while nobody was there. Of several processes one
        does.
        """
        try:
            noted = await self._notes.list_keys(OF_SERVERS)
            servers = {
                *await self._app.list_servers_with_packs(PLATFORM),
                *(f"{PLATFORM}{key}" for key in noted),
            }
        except UserError as error:
            log.error("which servers have packs could not be read: %s", error.message)
            return
        for server in sorted(servers):
            if server.removeprefix(PLATFORM).isdecimal() and server not in self._servers:
                _, again = await self._try_sync(server, is_start=True)
                if again:
                    self.handle_change(server)

    async def add_problem(self, server: str, reply: Reply) -> Reply:
        """The answer to a manager, who also reads in it where Discord has not taken the change."""
        known = self._servers.get(server)
        said = self._said.pop(server, "")
        if known is not None:
            try:
                said = await asyncio.wait_for(asyncio.shield(known.told), PATIENCE)
            except TimeoutError:
                said = NOT_YET
            self._said.pop(server, None)
        return replace(reply, lines=(*reply.lines, said)) if said and not reply.error else reply

    async def _send_until_current(self, server: str, known: _Server) -> None:
        tried = 0
        while True:
            known.news.clear()
            said, again = await self._try_sync(server)
            if known.news.is_set():
                tried = 0
                continue
            if not known.told.done():
                known.told.set_result(said)
            if not again:
                del self._servers[server]
                if said:
                    self._said[server] = said
                return
            wait = max(again, WAITS[min(tried, len(WAITS) - 1)])
            tried += 1
            try:
                await asyncio.wait_for(known.news.wait(), wait)
            except TimeoutError:
                continue

    async def _try_sync(self, server: str, *, is_start: bool = False) -> News:
        """Tell Discord what is new; what kept it from that."""
        try:
            return await self._sync(server, is_start=is_start), 0.0
        except (discord.HTTPException, *BROKEN, UserError) as error:
            log.error("the commands of %s could not be registered: %s", server, error)
            return (
                _describe_refusal(error)
                if isinstance(error, discord.HTTPException)
                else (NOT_YET, WAITS[0])
            )

    async def _sync(self, server: str, *, is_start: bool) -> str:
        """Send the commands until what was sent is what the server has: somebody may change it
        meanwhile.
        """
        key = server.removeprefix(PLATFORM)
        left = set[str]()
        while True:
            done = await self._notes.get(OF_SERVERS, key) or {}
            packs = await self._app.load_enabled_packs(server)
            made_from = await self._hash_pack_sources(packs)
            if done.get("made_from", "") == made_from:
                return _format_problem(done, left)
            made, left_out = await self._build_commands(server) if packs else ([], [])
            version = hash_commands(made)
            refused = dict(done.get("refused") or {})
            if version != done.get("version", hash_commands([])):
                if is_start and not await is_our_turn(
                    f"{self._application}/{key}", version, self._notes
                ):
                    return ""
                refused = await self._register_without_refused(int(key), made)
                log.info("registered %s commands with Discord for %s", len(made), server)
            left = (left | {*done.get("packs", ())}) - {*packs}
            if packs:
                noted: Json = {
                    "version": version,
                    "made_from": made_from,
                    "left_out": left_out,
                    "packs": list(packs),
                }
                if refused:
                    noted["refused"] = refused
                await self._notes.put(OF_SERVERS, key, noted)
            else:
                await self._notes.remove(OF_SERVERS, key)

    async def _register_without_refused(self, server: int, made: list[Json]) -> dict[str, str]:
        """Register commands, without the packs that Discord refuses: these by name, with its
        reason.

        Raises discord.HTTPException where it names none of them.
        """
        refused: dict[str, str] = {}
        while True:
            taken = [one for one in made if one["name"].removesuffix(TABLE) not in refused]
            try:
                await self._http.bulk_upsert_guild_commands(self._application, server, taken)
                return refused
            except discord.HTTPException as error:
                named = {
                    int(at): why for at, why in _NAMED.findall(error.text) if int(at) < len(taken)
                }
                if error.status != 400 or not named:
                    raise
                log.error("Discord refuses commands of packs on %s: %s", server, error)
                refused |= {taken[at]["name"].removesuffix(TABLE): why for at, why in named.items()}

    async def _hash_pack_sources(self, packs: Mapping[str, str]) -> str:
        """What tells whether the commands of these packs can have changed; "" where there are
        none.
        """
        if not packs:
            return ""
        if not self._made_from:
            self._made_from = await asyncio.to_thread(hash_sources)
        return hashlib.sha256(
            "\n".join([self._made_from, *map(" ".join, sorted(packs.items()))]).encode()
        ).hexdigest()

    async def _build_commands(self, server: str) -> tuple[list[Json], list[str]]:
        """The commands as Discord takes them, and the names of those that it would not. What is a
        command of everybody's is seen everywhere already."""
        registry, names = await self._app.load_server_registry(server)
        return await asyncio.to_thread(
            _build_payloads,
            registry,
            [one for one in names if one not in self._app.registry.top_names],
        )


def _build_payloads(registry: Registry, names: list[str]) -> tuple[list[Json], list[str]]:
    made = [build_command(name, registry) for name in names if any(registry.list_below((name,)))]
    plain = [{key: value for key, value in one.items() if key not in ONLY_GLOBAL} for one in made]
    return split_by_size(plain)


_NAMED = re.compile(r"^In (\d+)\.[^:]*: (.*)$", re.MULTILINE)
"""Discord names a command that it refuses by its place in the list, and says why."""


def _format_problem(noted: Mapping[str, Any], left: Iterable[str]) -> str:
    """What the manager should know of what Discord has now; `left` are the packs that it has no
    more.
    """
    if refused := noted.get("refused"):
        return REFUSED_ONES.format(
            names=_format_pack_names(refused), why=next(iter(refused.values()))
        )
    if large := noted.get("left_out"):
        return TOO_LARGE.format(most=f"{MAX_COMMAND:,}", names=" and ".join(large))
    return LEFT.format(names=_format_pack_names(sorted(left))) if left else ""


def _format_pack_names(packs: Iterable[str]) -> str:
    return " and ".join(f"/{id}" for id in packs)


def _describe_refusal(error: discord.HTTPException) -> News:
    if error.code == TOO_MANY_A_DAY:
        return TODAY, HOUR
    if error.status in (403, 404):
        return NO_RIGHT, 0.0
    return (NOT_YET, WAITS[0]) if error.status == 429 or error.status >= 500 else (REFUSED, 0.0)


KIND, TURN, OURS = "commands", "registering", "adapters/discord"
_ME = secrets.token_hex(8)
ROOT = Path(__file__).resolve().parents[2]
_TRIES = (2.0, 10.0, 60.0, 300.0)
_COUNTED = {
    *(
        "name",
        "description",
        "type",
        "options",
        "default_member_permissions",
        "contexts",
        "integration_types",
    ),
    *(
        "required",
        "autocomplete",
        "choices",
        "value",
        "min_value",
        "max_value",
        "min_length",
        "max_length",
    ),
}
_LISTS = ("options", "choices", "contexts", "integration_types")


async def sync_commands(http: Any, application: int, notes: Notes) -> None:
    """Make Discord know our commands; where some process has sent it the same before, nothing is
    sent.

    They are made in a thread, and only from other files than last time: reading every table slows
    whoever plays meanwhile.
    """
    made_from = await asyncio.to_thread(hash_sources)
    wanted = None
    version = ""
    for wait in (*_TRIES, None):
        try:
            done = await notes.get(KIND, str(application)) or {}
            if done.get("made_from") == made_from:
                return
            if wanted is None:
                wanted = await asyncio.to_thread(list_our_commands)
                version = hash_commands(wanted)
            if done.get("version") != version:
                if not await is_our_turn(str(application), version, notes):
                    if wait is None:
                        return
                    await asyncio.sleep(wait)
                    continue
                if not await _register_commands(http, application, wanted):
                    return
            await notes.put(KIND, str(application), {"version": version, "made_from": made_from})
            return
        except (discord.HTTPException, *BROKEN, UserError) as error:
            log.error("could not register commands: %s", error)
            if wait is None or (
                isinstance(error, discord.HTTPException) and 400 <= error.status < 429
            ):
                return
            await asyncio.sleep(wait)


async def _register_commands(http: Any, application: int, wanted: list[Json]) -> bool:
    """Register them; False where Discord took them for servers alone, as nobody may add this
    application to their account: the next start tries again. Raises discord.HTTPException, OSError.
    """
    try:
        await http.bulk_upsert_global_commands(application, wanted)
    except discord.HTTPException as error:
        if error.status != 400 or "integration_types" not in error.text:
            raise
        log.warning(
            "commands for servers alone: User Install is off in the Developer Portal, under Installation"
        )
        await http.bulk_upsert_global_commands(
            application, [restrict_to_servers(one) for one in wanted]
        )
        return False
    log.info("registered %s commands with Discord", len(wanted))
    return True


async def is_our_turn(key: str, version: str, notes: Notes) -> bool:
    """Return whether this process sends them: of several that start together one does, and a minute
    later perhaps another.
    """
    minute = f"{version[:16]}/{int(time.time() // 60)}"
    if await notes.replace(TURN, key, minute, {"by": _ME}):
        return True
    return (await notes.get(TURN, key) or {}).get("by") == _ME


def hash_sources() -> str:
    """What tells whether the commands can have changed: a hash of all files that they are made
    from.
    """
    found = hashlib.sha256()
    for folder, kind in (
        ("bot", "*.py"),
        ("tables", "*.yaml"),
        ("bot/tables", "*.yaml"),  # where an installed wheel has them
        (OURS, "command_payload.py"),
    ):
        for path in sorted((ROOT / folder).rglob(kind)):
            found.update(
                f"{path.relative_to(ROOT)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
            )
    for id, system in load_shared_systems().items():
        if id not in list_builtin_systems():
            found.update(f"{id}\0{system.key}\n".encode())  # a pack of the host's
    return found.hexdigest()


def hash_commands(commands: list[Any]) -> str:
    """What tells whether two lists of commands are the same: without ids, order and what Discord
    adds.
    """
    plain = sorted(
        (_normalize_entry(command) for command in commands),
        key=lambda command: str(command["name"]),
    )
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _normalize_entry(entry: Mapping[str, Any]) -> Json:
    """An entry without what stands for nothing."""
    return {
        key: [_normalize_entry(item) if isinstance(item, Mapping) else item for item in value]
        if key in _LISTS
        else value
        for key, value in entry.items()
        if key in _COUNTED and value not in (None, [], False)
    }
