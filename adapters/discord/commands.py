"""Slash commands: the interaction read, the command run, its answer brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.discord.channel_posts import missing
from adapters.discord.channels import confirmed
from adapters.discord.incoming import fetch_files, read_command
from adapters.discord.request import Request
from adapters.discord.work import Work
from bot.interface.complete import meant
from bot.interface.reply import Reply, error_reply
from bot.interface.spec import Command, Receipt
from bot.rules.errors import UserError

ABOUT_THE_GAME = (("game", "start"), ("game", "status"))
"""Commands whose answer also says what the bot may not do in the channel."""


async def run_command(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form."""
    read = read_command(data, request.where.server)
    try:
        spec = work.app.spec(read.path)
        read = replace(read, options=meant(spec, read.options))
        private = spec.is_private(read.options)
    except UserError as error:
        await work.delivery.say(request, error_reply(error))
        return
    if spec.family == "sequence":
        from adapters.discord.forms import needs_form, open_form

        if needs_form(spec, read.options):
            await open_form(work, request, spec, read.options)
            return

    delivery = request.to_json(private=private, **({"resolved": dict(read.channels)} if read.channels else {}))
    command = Command(spec.path, read.options, request.who, request.where, request.request_id, delivery, spec=spec)
    await work.delivery.serve(request, command, answer(work, request, command), private=private)


async def answer(work: Work, request: Request, command: Command) -> Reply:
    """The answer to a command, whose files are fetched first."""
    options = dict(command.options)
    try:
        await fetch_files(options, work.wire)
        channels = await confirmed(work, request, command.delivery.get("resolved"))
    except UserError as error:
        return error_reply(error)
    reply = await work.app.run(replace(command, options=options, channels=channels))
    return with_warning(reply, request) if command.path in ABOUT_THE_GAME else reply


async def make_good(work: Work, receipt: Receipt) -> None:
    """Answer a command or press whose receipt a dead process left."""
    command = receipt.command
    request = Request.from_json({**command.delivery, "name": command.who.name, "manager": command.who.manager})
    reply = await work.app.make_good(receipt, lambda: answer(work, request, command))
    await work.delivery.make_good(request, reply)


def with_warning(reply: Reply, request: Request) -> Reply:
    """The reply, which also names the permissions that the bot lacks in this channel."""
    lacking = missing(request, files=True)
    if not lacking or reply.error:
        return reply
    permissions = ", ".join(lacking)
    warning = f"The bot lacks permissions in this channel: {permissions}. Late answers, tables or files may not come."
    return replace(reply, lines=(*reply.lines, warning))
