"""The permissions that the bot needs on Discord, the addresses that ask for them, and the sentences
for missing ones.
"""

from collections.abc import Iterable
from urllib.parse import urlencode

from adapters.discord.request import (
    ATTACH_FILES,
    BY_PERSON,
    BY_SERVER,
    EMBED_LINKS,
    PIN_MESSAGES,
    SEND_IN_THREADS,
    SEND_MESSAGES,
    VIEW_CHANNEL,
    DiscordRequest,
)
from bot.ui.spec import BotRight

NEEDED = {
    "View Channels": VIEW_CHANNEL,
    "Send Messages": SEND_MESSAGES,
    "Embed Links": EMBED_LINKS,
    "Attach Files": ATTACH_FILES,
    "Send Messages in Threads": SEND_IN_THREADS,
}
WELCOME = {"Pin Messages": PIN_MESSAGES}
"""Permissions that the bot asks for when it is invited, but can do without: with them it pins the
board.
"""
MAY_NOT_PIN = "The bot lacks the permission Pin Messages here; a moderator can grant it."
NO_FILES = 'The bot lacks the permission "Attach Files" in this channel; a moderator can grant it.'


_PURPOSES = {
    "View Channels": "seeing this channel",
    "Send Messages": "late results, reminders and the board",
    "Embed Links": "answers in a colored frame",
    "Attach Files": "pictures, exports and long tables",
    "Send Messages in Threads": "late results, reminders and the board",
    "Pin Messages": "keeping the board easy to find",
}
_REMEDY = "Ask a server manager: Edit Channel, Permissions, Grognard, then switch it on."


def list_rights(request: DiscordRequest) -> tuple[BotRight, ...]:
    """List each permission that the bot can use in the channel or thread of a request, and whether
    it has it.
    """
    unused = "Send Messages" if request.thread else "Send Messages in Threads"
    return tuple(
        BotRight(name, _PURPOSES[name], request.has_permission(bit), _REMEDY)
        for name, bit in (NEEDED | WELCOME).items()
        if name != unused
    )


def list_missing_permissions(request: DiscordRequest, *, files: bool = False) -> tuple[str, ...]:
    """List the names of needed permissions that the bot lacks in the channel or thread of a
    request.

    "Attach Files" counts only with `files`.
    """
    unneeded = {"Send Messages" if request.thread else "Send Messages in Threads"}
    if not files:
        unneeded.add("Attach Files")
    needed = {name: bit for name, bit in NEEDED.items() if name not in unneeded}
    return tuple(name for name, bit in needed.items() if not request.has_permission(bit))


def explain_not_posted(request: DiscordRequest) -> str:
    """Format the note to the user for an answer that Discord refused to post in the channel."""
    missing = ", ".join(list_missing_permissions(request)) or "Send Messages"
    return f"This could not be posted in its channel: the bot lacks the permission {missing} there."


def format_permission_warning(missing: Iterable[str]) -> str:
    """Format the warning about missing permissions that answers about the game end with."""
    names = ", ".join(missing)
    return f"The bot lacks permissions in this channel: {names}. Late answers, tables and files may not arrive."


def build_invite_url(application: int | str) -> str:
    """Build the address at which a manager adds the bot to a server, with just the permissions
    that it uses.
    """
    query = {
        "client_id": application,
        "scope": "bot applications.commands",
        "permissions": sum((*NEEDED.values(), *WELCOME.values())),
        "integration_type": BY_SERVER,
    }
    return f"https://discord.com/oauth2/authorize?{urlencode(query)}"


def build_own_install_url(application: int | str) -> str:
    """Build the address at which people add the bot to their own account."""
    query = {
        "client_id": application,
        "scope": "applications.commands",
        "integration_type": BY_PERSON,
    }
    return f"https://discord.com/oauth2/authorize?{urlencode(query)}"
