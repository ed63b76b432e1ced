"""Slash commands: the interaction read, the command run, its answer brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.discord.channel_posts import missing
from adapters.discord.channels import confirmed
from adapters.discord.incoming import fetch_files, read_command
from adapters.discord.request import Request
from bot.interface.complete import meant
from bot.interface.reply import Reply, error_reply
from bot.interface.spec import Command
from bot.outbox.journal import Receipt
from bot.rules.errors import UserError

if TYPE_CHECKING:
    from adapters.discord.client import Grognard


ABOUT_THE_GAME = (("game", "start"), ("game", "status"))
"""Commands whose answer also says what the bot may not do in the channel."""


async def run_command(bot: Grognard, request: Request, data: Mapping[str, Any]) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form."""
    read = read_command(data, request.where.server)
    try:
        spec = bot.app.spec(read.path)
        read = replace(read, options=meant(spec, read.options))
        private = bot.app.is_private(read.path, read.options)
    except UserError as error:
        await bot.delivery.say(request, error_reply(error))
        return
    if spec.family == "sequence":
        from adapters.discord.forms import needs_form, open_form

        if needs_form(spec, read.options):
            await open_form(bot, request, spec, read.options)
            return

    delivery = request.to_json(private=private, **({"resolved": dict(read.channels)} if read.channels else {}))
    command = Command(spec.path, read.options, request.who, request.where, request.request_id, delivery)
    await bot.delivery.serve(request, command, work(bot, request, command), private=private)


async def work(bot: Grognard, request: Request, command: Command) -> Reply:
    """The answer to a command, whose files are fetched first."""
    options = dict(command.options)
    try:
        await fetch_files(options, bot.wire)
        channels = await confirmed(bot, request, command.delivery.get("resolved"))
    except UserError as error:
        return error_reply(error)
    reply = await bot.app.run(replace(command, options=options, channels=channels))
    return with_warning(reply, request) if command.path in ABOUT_THE_GAME else reply


async def make_good(bot: Grognard, receipt: Receipt) -> None:
    """Answer a command or press whose receipt a dead process left."""
    command = receipt.command
    request = Request.from_json({**command.delivery, "name": command.who.name, "manager": command.who.manager})
    reply = await bot.app.make_good(receipt, lambda: work(bot, request, command))
    await bot.delivery.make_good(request, reply)


def with_warning(reply: Reply, request: Request) -> Reply:
    """The reply, which also names the permissions that the bot lacks in this channel."""
    lacking = missing(request, files=True)
    if not lacking or reply.error:
        return reply
    permissions = ", ".join(lacking)
    warning = f"The bot lacks permissions in this channel: {permissions}. Late answers, tables or files may not come."
    return replace(reply, lines=(*reply.lines, warning))
