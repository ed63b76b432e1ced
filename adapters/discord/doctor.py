"""The Discord part of `grognard doctor`: checks of token, application, commands and permissions,
and the invite link.
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
"""Maximum number of servers that are listed."""

Finding = tuple[str, str]
"""A grade ("ok", "note" or "fault") and a line for the host."""


async def check(settings: Settings) -> list[Finding]:
    """Check the bot's setup at Discord and return a finding for each thing checked.

    Without a token return a single note. If Discord cannot be reached, return a fault.
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
        reason = str(error) or type(error).__name__
        return [(FAULT, f"Discord cannot be reached from here: {reason}")]


async def _check(session: aiohttp.ClientSession, key: str) -> list[Finding]:
    """Make all checks with a session that has the token. `key` is DISCORD_PUBLIC_KEY, or "".

    If Discord does not accept the token, return that fault alone.
    """
    status, user = await _get(session, "/users/@me")
    if status == 401:
        menu = "Developer Portal, your application, Bot, Reset Token"
        return [(FAULT, f"Discord does not know this DISCORD_TOKEN; make a new one: {menu}")]
    if status != 200:
        return [
            (FAULT, f"Discord answered {status} when asked whose token this is; try again later")
        ]
    findings = [(OK, f"Discord: the token belongs to {user['username']}")]
    _, application = await _get(session, "/applications/@me")
    application_id = str(application["id"])
    findings += _check_application(application, key)
    findings.append(_check_own_installs(application))
    findings += await _check_commands(session, application_id)
    _, servers = await _get(session, "/users/@me/guilds")
    findings += _check_servers(servers)
    invite_url = build_invite_url(application_id)
    return [*findings, (NOTE, f"Discord: to invite the bot, open {invite_url}")]


async def _get(session: aiohttp.ClientSession, path: str) -> tuple[int, Any]:
    """Call Discord's API and return the HTTP status and the JSON answer."""
    base = os.environ.get("DISCORD_API", API).rstrip("/")
    async with session.get(base + path) as answer:
        return answer.status, await answer.json(content_type=None)


def _check_application(application: Mapping[str, Any], key: str) -> list[Finding]:
    """Return a fault for each wrong setting of the application, or a single ok."""
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
    findings = [(FAULT, f"Discord: {sentence}") for is_wrong, sentence in faults if is_wrong]
    fine = f"Discord: the application {application['name']} takes commands; no privileged intent needed"
    return findings or [(OK, fine)]


def _check_own_installs(application: Mapping[str, Any]) -> Finding:
    """Say whether people may add the bot to their own account, and how many have."""
    if BY_PERSON in (application.get("integration_types_config") or {}):
        count = int(application.get("approximate_user_install_count") or 0)
        have = f" ({count} have)" if count else ""
        url = build_own_install_url(application["id"])
        return (OK, f"Discord: anybody can add the bot to their own account{have}: {url}")
    remedy = "Developer Portal, Installation, Installation Contexts: tick User Install"
    return (
        NOTE,
        f"Discord: nobody can add the bot to their own account, to roll on servers without it; {remedy}",
    )


async def _check_commands(session: aiohttp.ClientSession, application: str) -> list[Finding]:
    """Compare the commands that Discord has registered with ours."""
    status, registered = await _get(session, f"/applications/{application}/commands")
    if status != 200:
        return [(FAULT, f"Discord: the commands cannot be read ({status})")]
    count = len(registered)
    if hash_commands(registered) != hash_commands(list_our_commands()):
        note = f"Discord has {count} commands that are out of date: the next start registers the new ones"
        return [(NOTE, note)]
    return [(OK, f"Discord has all {count} commands")]


def _check_servers(servers: list[Mapping[str, Any]]) -> list[Finding]:
    """Say on how many servers the bot has all permissions, and list those on which it lacks some,
    at most _SHOWN.
    """
    faults: list[Finding] = []
    for server in servers:
        bits = int(server.get("permissions") or 0)
        missing = [name for name, bit in NEEDED.items() if not bits & (bit | ADMINISTRATOR)]
        if missing:
            faults.append(
                (FAULT, f"Discord: on {server['name']} the bot lacks {', '.join(missing)}")
            )
    if not servers:
        return [(NOTE, "Discord: the bot is not in any server yet")]
    right = len(servers) - len(faults)
    findings = [
        (
            OK,
            f"Discord: on {right} of {len(servers)} servers the bot has every permission it needs",
        ),
        *faults[:_SHOWN],
    ]
    unlisted = len(faults) - _SHOWN
    if unlisted > 0:
        findings.append((FAULT, f"Discord: and on {unlisted} more servers"))
    return findings
