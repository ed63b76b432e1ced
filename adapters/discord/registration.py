"""Registration of our commands with Discord.

They are sent only if they changed, because Discord takes at most 200 new commands a day. The
commands of a server's own packs, which Discord shows on that server alone, are sent when a pack is
enabled, changed or disabled, by the process that stored that; and after a start, if something
changed in the meantime. Notes in the store hold the hash of what was sent, for the global commands
and for each server, so that nothing is sent twice.
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
"""The kind of the notes about commands of servers."""
WAITS = (2.0, 10.0, 60.0, 300.0, 900.0)
"""Seconds before each further attempt to send the commands of a server; the last one repeats."""
HOUR = 3_600.0
TOO_MANY_A_DAY = 30034
"""Discord's code for too many new commands in a day."""
MANAGER_WAIT_SECONDS = 5.0
"""Maximum seconds that the answer to a manager waits for Discord."""
ONLY_GLOBAL = ("contexts", "integration_types")
"""Keys that only global commands have."""
NOT_YET = (
    "Discord has not updated its command menu yet. Grognard keeps trying; you need not do anything."
)
NO_RIGHT = (
    "Discord does not let Grognard have commands of its own on this server. "
    "Invite it again, with the scope applications.commands."
)
TODAY = (
    "Discord accepts no more new commands on this server today. Grognard keeps trying every hour."
)
REFUSED = "Discord rejects its commands. The host can see why in the bot's log."
REFUSED_ONES = (
    "Discord rejects the commands of {names}, so they are not in the menu: {why} The other packs are. "
    "Fix the pack and add it again, or disable it."
)
TOO_LARGE = (
    "Discord allows {most} characters for a command with all its subcommands, and {names} has more."
)
LEFT = (
    "{names} is no longer in this server's menu. Games in progress continue with buttons and forms."
)


SyncResult = tuple[str, float]
"""A sentence for the manager ("": nothing to say), and the seconds after which to try again (0:
never).
"""


@dataclass(slots=True)
class _PendingServer:
    """A server whose commands are being sent.

    `changed` is set if its packs change again in the meantime. `sentence` becomes the one for the
    manager once Discord has answered.
    """

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    sentence: asyncio.Future[str] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    task: asyncio.Task[None] | None = None


class ServerCommands:
    """Keeps the commands that Discord shows on each server equal to those of the server's packs."""

    def __init__(self, http: Any, application: int, app: App) -> None:
        self._http = http
        self._application = application
        self._app = app
        self._notes = Notes(app.store, "discord")
        self._servers: dict[str, _PendingServer] = {}
        self._sentences: dict[str, str] = {}  # for managers whose answer is not ready yet
        self._source_hash = ""
        self._stop_listening = app.listen_for_pack_changes(self.handle_change)

    def stop(self) -> None:
        """Stop sending. Changes that were not sent yet are sent after the next start."""
        self._stop_listening()
        for server in self._servers.values():
            if server.task is not None:
                server.task.cancel()
            if not server.sentence.done():
                server.sentence.set_result(NOT_YET)

    def handle_change(self, server: str) -> None:
        """Begin to send the commands of a server (`discord:55`) whose packs have changed.

        Anything but a Discord server is ignored.
        """
        if not server.removeprefix(PLATFORM).isdecimal():
            return
        self._sentences.pop(server, None)
        pending = self._servers.get(server)
        if pending is None:
            pending = self._servers[server] = _PendingServer()
            pending.task = asyncio.create_task(self._send_until_current(server, pending))
            return
        if pending.sentence.done():
            pending.sentence = asyncio.get_running_loop().create_future()
        pending.changed.set()

    async def handle_join(self, server: str) -> None:
        """Send the commands of a server that has added the bot, perhaps again, if it has packs.

        Discord has forgotten what was registered before.
        """
        if await self._app.load_enabled_packs(server):
            await self._notes.remove(OF_SERVERS, server.removeprefix(PLATFORM))
            self.handle_change(server)

    async def send_pending_changes(self) -> None:
        """Send what changed while no process was running. Of several processes that start, one
        does it.
        """
        try:
            note_keys = await self._notes.list_keys(OF_SERVERS)
            servers = {
                *await self._app.list_servers_with_packs(PLATFORM),
                *(f"{PLATFORM}{key}" for key in note_keys),
            }
        except UserError as error:
            log.error("which servers have packs could not be read: %s", error.message)
            return
        for server in sorted(servers):
            if server.removeprefix(PLATFORM).isdecimal() and server not in self._servers:
                _, retry_after = await self._try_sync(server, is_start=True)
                if retry_after:
                    self.handle_change(server)

    async def add_problem(self, server: str, reply: Reply) -> Reply:
        """Add to an answer for a manager that Discord has not taken the change of a server's
        commands, and why.

        Waits up to MANAGER_WAIT_SECONDS seconds for Discord. A refusal stays as it is.
        """
        pending = self._servers.get(server)
        sentence = self._sentences.pop(server, "")
        if pending is not None:
            try:
                sentence = await asyncio.wait_for(
                    asyncio.shield(pending.sentence), MANAGER_WAIT_SECONDS
                )
            except TimeoutError:
                sentence = NOT_YET
            self._sentences.pop(server, None)
        if sentence and not reply.error:
            return replace(reply, lines=(*reply.lines, sentence))
        return reply

    async def _send_until_current(self, server: str, pending: _PendingServer) -> None:
        """Send a server's commands, and repeat that until Discord has taken the latest ones or
        refuses them for good. Then forget the pending server.
        """
        attempts = 0
        while True:
            pending.changed.clear()
            sentence, retry_after = await self._try_sync(server)
            if pending.changed.is_set():
                attempts = 0
                continue
            if not pending.sentence.done():
                pending.sentence.set_result(sentence)
            if not retry_after:
                del self._servers[server]
                if sentence:
                    self._sentences[server] = sentence
                return
            wait = max(retry_after, WAITS[min(attempts, len(WAITS) - 1)])
            attempts += 1
            try:
                await asyncio.wait_for(pending.changed.wait(), wait)
            except TimeoutError:
                continue

    async def _try_sync(self, server: str, *, is_start: bool = False) -> SyncResult:
        """Send a server's commands if they changed.

        Return the sentence for the manager ("": nothing to say), and the seconds after which to try
        again (0: never). Errors are logged, and raise nothing.
        """
        try:
            return await self._sync(server, is_start=is_start), 0.0
        except (discord.HTTPException, *BROKEN, UserError) as error:
            log.error("the commands of %s could not be registered: %s", server, error)
            if isinstance(error, discord.HTTPException):
                return _describe_refusal(error)
            return NOT_YET, WAITS[0]

    async def _sync(self, server: str, *, is_start: bool) -> str:
        """Send a server's commands until Discord has those of its packs, which may change in the
        meantime.

        Return the sentence for the manager, or "". At a start return "" without sending if it is
        another process's turn. Raises discord.HTTPException, one of BROKEN, or UserError.
        """
        key = server.removeprefix(PLATFORM)
        removed_packs = set[str]()
        while True:
            note = await self._notes.get(OF_SERVERS, key) or {}
            packs = await self._app.load_enabled_packs(server)
            source_hash = await self._hash_pack_sources(packs)
            if note.get("made_from", "") == source_hash:
                return _format_problem(note, removed_packs)
            commands: list[Json] = []
            too_large: list[str] = []
            if packs:
                commands, too_large = await self._build_commands(server)
            version = hash_commands(commands)
            refused = dict(note.get("refused") or {})
            if version != note.get("version", hash_commands([])):
                turn_key = f"{self._application}/{key}"
                if is_start and not await is_our_turn(turn_key, version, self._notes):
                    return ""
                refused = await self._register_without_refused(int(key), commands)
                log.info("registered %s commands with Discord for %s", len(commands), server)
            removed_packs = (removed_packs | {*note.get("packs", ())}) - {*packs}
            if packs:
                new_note: Json = {
                    "version": version,
                    "made_from": source_hash,
                    "left_out": too_large,
                    "packs": list(packs),
                }
                if refused:
                    new_note["refused"] = refused
                await self._notes.put(OF_SERVERS, key, new_note)
            else:
                await self._notes.remove(OF_SERVERS, key)

    async def _register_without_refused(self, server: int, commands: list[Json]) -> dict[str, str]:
        """Register a server's commands without those of the packs that Discord refuses.

        Return Discord's reason for each refused pack by its name. Raises discord.HTTPException if
        Discord refuses the list without naming a command.
        """
        refused: dict[str, str] = {}
        while True:
            accepted = [
                command
                for command in commands
                if command["name"].removesuffix(TABLE) not in refused
            ]
            try:
                await self._http.bulk_upsert_guild_commands(self._application, server, accepted)
                return refused
            except discord.HTTPException as error:
                reasons = _find_refused_packs(error.text, accepted)
                if error.status != 400 or not reasons:
                    raise
                log.error("Discord refuses commands of packs on %s: %s", server, error)
                refused |= reasons

    async def _hash_pack_sources(self, packs: Mapping[str, str]) -> str:
        """Return a hash that changes if the commands of these packs can have changed, or "" without
        packs.

        `packs` maps their ids to the hashes of their content.
        """
        if not packs:
            return ""
        if not self._source_hash:
            self._source_hash = await asyncio.to_thread(hash_sources)
        lines = [self._source_hash, *map(" ".join, sorted(packs.items()))]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    async def _build_commands(self, server: str) -> tuple[list[Json], list[str]]:
        """Build the commands of a server's packs, without those that are registered globally.

        Return those that Discord takes, and the names, with a slash, of those that are too large.
        """
        registry, names = await self._app.load_server_registry(server)
        own_names = [name for name in names if name not in self._app.registry.top_names]
        return await asyncio.to_thread(_build_payloads, registry, own_names)


def _build_payloads(registry: Registry, names: list[str]) -> tuple[list[Json], list[str]]:
    """Build the commands with these names for a server; a name without a command is skipped.

    Return those that Discord takes, and the names, with a slash, of those that are too large.
    """
    payloads = []
    for name in names:
        if any(registry.list_below((name,))):
            command = build_command(name, registry)
            payloads.append(
                {key: value for key, value in command.items() if key not in ONLY_GLOBAL}
            )
    return split_by_size(payloads)


_NAMED = re.compile(r"^In (\d+)\.[^:]*: (.*)$", re.MULTILINE)
"""A line of Discord's refusal: the index of a command in the list, and the reason."""


def _find_refused_packs(text: str, commands: list[Json]) -> dict[str, str]:
    """Return the reason for each pack with a command that Discord's refusal `text` names."""
    reasons_by_index = {int(index): reason for index, reason in _NAMED.findall(text)}
    return {
        commands[index]["name"].removesuffix(TABLE): reason
        for index, reason in reasons_by_index.items()
        if index < len(commands)
    }


def _format_problem(note: Mapping[str, Any], removed_packs: Iterable[str]) -> str:
    """Format the sentence for the manager about a server's registered commands, or return "".

    `note` says which packs Discord refused and which commands are too large. `removed_packs` have
    just left the menu.
    """
    refused = note.get("refused")
    if refused:
        first_reason = next(iter(refused.values()))
        return REFUSED_ONES.format(names=_format_pack_names(refused), why=first_reason)
    too_large = note.get("left_out")
    if too_large:
        return TOO_LARGE.format(most=f"{MAX_COMMAND:,}", names=" and ".join(too_large))
    if removed_packs:
        return LEFT.format(names=_format_pack_names(sorted(removed_packs)))
    return ""


def _format_pack_names(packs: Iterable[str]) -> str:
    return " and ".join(f"/{id}" for id in packs)


def _describe_refusal(error: discord.HTTPException) -> SyncResult:
    """Return the sentence for the manager about Discord's refusal, and the seconds after which to
    try again; 0 if that is no use.
    """
    if error.code == TOO_MANY_A_DAY:
        return TODAY, HOUR
    if error.status in (403, 404):
        return NO_RIGHT, 0.0
    if error.status == 429 or error.status >= 500:
        return NOT_YET, WAITS[0]
    return REFUSED, 0.0


KIND, TURN, OURS = "commands", "registering", "adapters/discord"
_ME = secrets.token_hex(8)
ROOT = Path(__file__).resolve().parents[2]
_TRIES = (2.0, 10.0, 60.0, 300.0)
"""Seconds before each further attempt to send the global commands."""
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
"""Keys by which two commands are compared. Discord adds others."""
_LISTS = ("options", "choices", "contexts", "integration_types")


async def sync_commands(http: Any, application: int, notes: Notes) -> None:
    """Register our global commands with Discord, unless some process has sent the same before.

    They are built in a thread, and only if the source files changed since the last time, because
    reading every table slows down the games. A failure is logged and the attempt repeated, except
    after a lasting refusal.
    """
    source_hash = await asyncio.to_thread(hash_sources)
    commands = None
    version = ""
    for wait in (*_TRIES, None):
        try:
            note = await notes.get(KIND, str(application)) or {}
            if note.get("made_from") == source_hash:
                return
            if commands is None:
                commands = await asyncio.to_thread(list_our_commands)
                version = hash_commands(commands)
            if note.get("version") != version:
                if not await is_our_turn(str(application), version, notes):
                    if wait is None:
                        return
                    await asyncio.sleep(wait)
                    continue
                if not await _register_commands(http, application, commands):
                    return
            await notes.put(KIND, str(application), {"version": version, "made_from": source_hash})
            return
        except (discord.HTTPException, *BROKEN, UserError) as error:
            log.error("could not register commands: %s", error)
            is_refusal = isinstance(error, discord.HTTPException) and 400 <= error.status < 429
            if wait is None or is_refusal:
                return
            await asyncio.sleep(wait)


async def _register_commands(http: Any, application: int, commands: list[Json]) -> bool:
    """Register the global commands.

    Return False if Discord took them for servers alone, because nobody may add this application to
    their own account; the next start tries again. Raises discord.HTTPException or OSError.
    """
    try:
        await http.bulk_upsert_global_commands(application, commands)
    except discord.HTTPException as error:
        if error.status != 400 or "integration_types" not in error.text:
            raise
        log.warning(
            "commands for servers alone: User Install is off in the Developer Portal, under Installation"
        )
        restricted = [restrict_to_servers(command) for command in commands]
        await http.bulk_upsert_global_commands(application, restricted)
        return False
    log.info("registered %s commands with Discord", len(commands))
    return True


async def is_our_turn(key: str, version: str, notes: Notes) -> bool:
    """Return whether this process registers the commands with the hash `version`.

    Of several processes that start together, the first to ask in each minute does.
    """
    minute = f"{version[:16]}/{int(time.time() // 60)}"
    if await notes.replace(TURN, key, minute, {"by": _ME}):
        return True
    note = await notes.get(TURN, key) or {}
    return bool(note.get("by") == _ME)


def hash_sources() -> str:
    """Return a hash of all files that the commands are built from, and of the host's packs.

    As long as it stays the same, the commands cannot have changed.
    """
    digest = hashlib.sha256()
    for folder, pattern in (
        ("bot", "*.py"),
        ("tables", "*.yaml"),
        ("bot/tables", "*.yaml"),  # the tables of an installed wheel
        (OURS, "command_payload.py"),
    ):
        for path in sorted((ROOT / folder).rglob(pattern)):
            file_hash = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(ROOT)}\0{file_hash}\n".encode())
    for id, system in load_shared_systems().items():
        if id not in list_builtin_systems():  # a pack of the host's
            digest.update(f"{id}\0{system.key}\n".encode())
    return digest.hexdigest()


def hash_commands(commands: list[Any]) -> str:
    """Return a hash of a list of commands that ignores their order, ids, and what Discord adds."""
    entries = [_normalize_entry(command) for command in commands]
    entries.sort(key=lambda entry: str(entry["name"]))
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _normalize_entry(entry: Mapping[str, Any]) -> Json:
    """Copy a command, option or choice with the compared keys alone, and without empty values."""
    normalized: Json = {}
    for key, value in entry.items():
        if key not in _COUNTED or value in (None, [], False):
            continue
        if key in _LISTS:
            value = [
                _normalize_entry(item) if isinstance(item, Mapping) else item for item in value
            ]
        normalized[key] = value
    return normalized
