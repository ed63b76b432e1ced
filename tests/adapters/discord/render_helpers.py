"""Helpers of tests/adapters/discord/test_render.py, which other tests use as well."""

from __future__ import annotations

from adapters.discord.render import DiscordMessage, render_message
from adapters.discord.request import ATTACH_FILES, EMBED_LINKS, DiscordRequest
from bot.commands.dispatch import load_shared_registry
from bot.ui.reply.reply import Reply
from tests.standins.discord.limits import check_message

ALL = EMBED_LINKS | ATTACH_FILES


def shown(reply: Reply, allowed: int = ALL) -> DiscordMessage:
    message = render_message(
        reply,
        DiscordRequest(1, "token", 2, 2, 3, guild=4, allowed=allowed),
        load_shared_registry(),
    )
    check_message(
        message.body, [len(file.text) for file in message.files], flags=message.body.get("flags", 0)
    )
    return message
