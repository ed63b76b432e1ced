"""The permissions that matter here, as bits."""

from __future__ import annotations

ADMINISTRATOR = 1 << 3
MANAGE_GUILD = 1 << 5
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
MANAGE_MESSAGES = 1 << 13
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
READ_HISTORY = 1 << 16
MENTION_EVERYONE = 1 << 17
USE_COMMANDS = 1 << 31
CREATE_THREADS = 1 << 35
SEND_IN_THREADS = 1 << 38
USE_EXTERNAL_APPS = 1 << 50
PIN_MESSAGES = 1 << 51

EVERYTHING = (1 << 52) - 1
PLAYER = (
    VIEW_CHANNEL
    | SEND_MESSAGES
    | EMBED_LINKS
    | ATTACH_FILES
    | READ_HISTORY
    | USE_COMMANDS
    | SEND_IN_THREADS
)
PLAYER |= USE_EXTERNAL_APPS
IN_DM = PLAYER | MENTION_EVERYONE
IN_CONVERSATIONS = EMBED_LINKS | ATTACH_FILES | MENTION_EVERYONE
"""What an app may do in its answers that somebody added to their account."""

NAMED = {
    "administrator": ADMINISTRATOR,
    "manage_guild": MANAGE_GUILD,
    "view_channel": VIEW_CHANNEL,
    "send_messages": SEND_MESSAGES,
    "manage_messages": MANAGE_MESSAGES,
    "embed_links": EMBED_LINKS,
    "attach_files": ATTACH_FILES,
    "read_message_history": READ_HISTORY,
    "mention_everyone": MENTION_EVERYONE,
    "use_application_commands": USE_COMMANDS,
    "create_public_threads": CREATE_THREADS,
    "send_messages_in_threads": SEND_IN_THREADS,
    "use_external_apps": USE_EXTERNAL_APPS,
    "pin_messages": PIN_MESSAGES,
}


def changed(bits: int, changes: dict[str, bool]) -> int:
    """`bits` with each named permission granted (True) or taken (False). Raises KeyError for an
    unknown name.
    """
    for name, granted in changes.items():
        bits = bits | NAMED[name] if granted else bits & ~NAMED[name]
    return bits
