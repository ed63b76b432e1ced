"""The answer to a command as Discord sent it: its files fetched, its channels confirmed."""

from __future__ import annotations

from dataclasses import replace

from adapters.discord.channel_posts import missing
from adapters.discord.channels import confirmed
from adapters.discord.incoming import fetch_files
from adapters.discord.request import Request
from adapters.discord.work import Work
from bot.interface.reply.reply import Reply, error_reply
from bot.interface.spec import Command
from bot.rules.errors import UserError

ABOUT_THE_GAME = (("game", "start"), ("game", "status"))
"""Commands whose answer also says what the bot may not do in the channel."""


async def answer(work: Work, request: Request, command: Command) -> Reply:
    """The answer to a command, whose files are fetched first."""
    options = dict(command.options)
    try:
        await fetch_files(options, work.wire)
        channels = await confirmed(work, request, command.delivery.get("resolved"))
    except UserError as error:
        return error_reply(error)
    reply = await work.app.run(replace(command, options=options, channels=channels))
    if command.path[0] == "pack":
        return await with_menu(work, request, reply)
    return with_warning(reply, request) if command.path in ABOUT_THE_GAME else reply


def with_warning(reply: Reply, request: Request) -> Reply:
    """The reply, which also names the permissions that the bot lacks in this channel."""
    lacking = missing(request, files=True)
    if not lacking or reply.error:
        return reply
    permissions = ", ".join(lacking)
    warning = (
        f"The bot lacks permissions in this channel: {permissions}. Late answers, tables and files may not arrive."
    )
    return replace(reply, lines=(*reply.lines, warning))


async def with_menu(work: Work, request: Request, reply: Reply) -> Reply:
    """The answer to what may have changed the packs of a server, once Discord has its new menu, or says why not."""
    return reply if work.servers is None else await work.servers.with_trouble(request.where.server, reply)
