"""What the bot may do on Discord: the permissions that it needs, the address that asks for them,
and what it says where one is missing."""

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
"""What the bot does without, and asks for when it is invited: the board is pinned then."""
MAY_NOT_PIN = "The bot lacks the permission Pin Messages here; a moderator can grant it."
NO_FILES = 'The bot lacks the permission "Attach Files" in this channel; a moderator can grant it.'


_PURPOSES = {
    "View Channels": "to be found in this channel",
    "Send Messages": "late results, reminders and the board",
    "Embed Links": "answers in a coloured frame",
    "Attach Files": "pictures, exports and long tables",
    "Send Messages in Threads": "late results, reminders and the board",
    "Pin Messages": "keeping the board at hand",
}
_REMEDY = "Ask a server manager: Edit Channel, Permissions, Grognard, then switch it on."


def list_rights(request: DiscordRequest) -> tuple[BotRight, ...]:
    """Return each permission that the bot can use where a request came from."""
    unused = "Send Messages" if request.thread else "Send Messages in Threads"
    return tuple(
        BotRight(name, _PURPOSES[name], request.has_permission(bit), _REMEDY)
        for name, bit in (NEEDED | WELCOME).items()
        if name != unused
    )


def list_missing_permissions(request: DiscordRequest, *, files: bool = False) -> tuple[str, ...]:
    """Names of the permissions that the bot lacks where a request came from; to attach files
    only with `files`.
    """
    spared = {
        "Send Messages" if request.thread else "Send Messages in Threads",
        *(() if files else ("Attach Files",)),
    }
    return tuple(
        name
        for name, bit in NEEDED.items()
        if name not in spared and not request.has_permission(bit)
    )


def explain_not_posted(request: DiscordRequest) -> str:
    """What goes to the person who asked, with an answer that Discord would not have in the
    channel.
    """
    lacking = ", ".join(list_missing_permissions(request)) or "Send Messages"
    return f"This could not be posted in its channel: the bot lacks the permission {lacking} there."


def format_permission_warning(lacking: Iterable[str]) -> str:
    """What an answer about the game adds where permissions are missing."""
    names = ", ".join(lacking)
    return f"The bot lacks permissions in this channel: {names}. Late answers, tables and files may not arrive."


def build_invite_url(application: int | str) -> str:
    """The address under which a server's manager adds the bot, with just the permissions that it
    uses.
    """
    permissions = sum((*NEEDED.values(), *WELCOME.values()))
    asked = {
        "client_id": application,
        "scope": "bot applications.commands",
        "permissions": permissions,
    }
    return (
        f"https://discord.com/oauth2/authorize?{urlencode(asked | {'integration_type': BY_SERVER})}"
    )


def build_own_install_url(application: int | str) -> str:
    """The address under which somebody adds the bot to their own account."""
    asked = {
        "client_id": application,
        "scope": "applications.commands",
        "integration_type": BY_PERSON,
    }
    return f"https://discord.com/oauth2/authorize?{urlencode(asked)}"
