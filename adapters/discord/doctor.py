"""`grognard doctor` for Discord: whether token, application, commands and permissions are right;
the invite link.
"""

import os
from collections.abc import Mapping
from typing import Any

import aiohttp

from adapters.discord.command_payload import list_our_commands
from adapters.discord.permissions import NEEDED, build_invite_url, build_own_install_url
from adapters.discord.registration import hash_commands
from adapters.discord.request import ADMINISTRATOR, BY_PERSON
from bot.runtime.settings import Settings

API = "https://discord.com/api/v10"
OK, NOTE, FAULT = "ok", "note", "fault"
_SHOWN = 10

Finding = tuple[str, str]


async def check(settings: Settings) -> list[Finding]:
    """("ok" | "note" | "fault", line) for each thing looked at; only a note where no token is
    set.
    """
    if not settings.discord_token:
        return [(NOTE, "DISCORD_TOKEN is not set: Discord is not served")]
    headers = {
        "Authorization": f"Bot {settings.discord_token}",
        "User-Agent": "DiscordBot (grognard doctor, 0.1)",
    }
    timeout = aiohttp.ClientTimeout(total=15)
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
            return await _check(session, settings.discord_public_key)
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return [
            (FAULT, f"Discord cannot be reached from here: {str(error) or type(error).__name__}")
        ]


async def _check(session: aiohttp.ClientSession, key: str) -> list[Finding]:
    status, user = await _get(session, "/users/@me")
    if status == 401:
        where = "Developer Portal, your application, Bot, Reset Token"
        return [(FAULT, f"Discord does not know this DISCORD_TOKEN; make a new one: {where}")]
    if status != 200:
        return [
            (FAULT, f"Discord answered {status} when asked whose token this is; try again later")
        ]
    found = [(OK, f"Discord: the token is that of {user['username']}")]
    _, application = await _get(session, "/applications/@me")
    found += _check_application(application, key)
    found.append(_check_own_installs(application))
    found += await _check_commands(session, str(application["id"]))
    _, servers = await _get(session, "/users/@me/guilds")
    found += _check_servers(servers)
    return [
        *found,
        (NOTE, f"Discord: to invite the bot, open {build_invite_url(str(application['id']))}"),
    ]


async def _get(session: aiohttp.ClientSession, path: str) -> tuple[int, Any]:
    async with session.get(os.environ.get("DISCORD_API", API).rstrip("/") + path) as answer:
        return answer.status, await answer.json(content_type=None)


def _check_application(application: Mapping[str, Any], key: str) -> list[Finding]:
    has_address = bool(application.get("interactions_endpoint_url"))
    faults = (
        (
            has_address and not key,
            "commands are sent to a web address, so the bot never sees them; empty the field Interactions Endpoint URL "
            "in the Developer Portal, unless other processes with DISCORD_PUBLIC_KEY listen there",
        ),
        (
            key and not has_address,
            "DISCORD_PUBLIC_KEY is set, but Discord has no address to send commands to; Developer Portal, General "
            "Information, Interactions Endpoint URL: https://YOUR-NAME/discord/interactions",
        ),
        (
            key and application.get("verify_key") not in (None, key.lower()),
            "DISCORD_PUBLIC_KEY is not this application's (General Information, Public Key)",
        ),
        (
            application.get("bot_require_code_grant"),
            "invites fail while Requires OAuth2 Code Grant is on (Developer Portal, Bot)",
        ),
    )
    found = [(FAULT, f"Discord: {said}") for is_wrong, said in faults if is_wrong]
    fine = f"Discord: the application {application['name']} takes commands; no privileged intent needed"
    return found or [(OK, fine)]


def _check_own_installs(application: Mapping[str, Any]) -> Finding:
    """Return whether people may add the bot to their own account."""
    if BY_PERSON in (application.get("integration_types_config") or {}):
        count = int(application.get("approximate_user_install_count") or 0)
        have = f" ({count} have)" if count else ""
        return (
            OK,
            f"Discord: anybody may add it to their own account{have}: {build_own_install_url(application['id'])}",
        )
    where = "Developer Portal, Installation, Installation Contexts: tick User Install"
    return (
        NOTE,
        f"Discord: nobody can add it to their own account, to roll where the bot is no member; {where}",
    )


async def _check_commands(session: aiohttp.ClientSession, application: str) -> list[Finding]:
    status, standing = await _get(session, f"/applications/{application}/commands")
    if status != 200:
        return [(FAULT, f"Discord: the commands cannot be read ({status})")]
    if hash_commands(standing) != hash_commands(list_our_commands()):
        return [
            (
                NOTE,
                f"Discord knows {len(standing)} commands, not today's: the next start registers them",
            )
        ]
    return [(OK, f"Discord knows all {len(standing)} commands")]


def _check_servers(servers: list[Mapping[str, Any]]) -> list[Finding]:
    found: list[Finding] = []
    for server in servers:
        bits = int(server.get("permissions") or 0)
        lacking = [name for name, bit in NEEDED.items() if not bits & (bit | ADMINISTRATOR)]
        if lacking:
            found.append(
                (FAULT, f"Discord: on {server['name']} the bot lacks {', '.join(lacking)}")
            )
    if not servers:
        return [(NOTE, "Discord: the bot is not in any server yet")]
    rest = len(found) - _SHOWN
    more: list[Finding] = [(FAULT, f"Discord: and on {rest} more servers")] if rest > 0 else []
    right = len(servers) - len(found)
    return [
        (OK, f"Discord: on {right} of {len(servers)} servers the bot may do all it needs"),
        *found[:_SHOWN],
        *more,
    ]
