"""Slash commands: the interaction read, the command run, its answer brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.discord.answer import answer
from adapters.discord.forms import open_form
from adapters.discord.incoming import read_command
from adapters.discord.request import Request
from adapters.discord.work import Work, in_time
from bot.interface.form.form import asks
from bot.interface.reply.reply import Reply, error_reply
from bot.interface.spec import Command, Receipt
from bot.interface.typing.complete import meant
from bot.rules.errors import UserError


async def run_command(work: Work, request: Request, data: Mapping[str, Any]) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form."""
    read = read_command(data, request.where.server)
    try:
        async with in_time():
            spec = await work.app.spec_at(read.path, request.where)
            read = replace(read, options=meant(spec, read.options))
            called = await work.app.called(spec, read.options, request.who, request.where)
        spec, read = called.spec, replace(read, options=dict(called.options))
        private = spec.is_private(read.options)
    except UserError as error:
        await work.delivery.say(request, error_reply(error))
        return
    if asks(spec, read.options):
        await open_form(work, request, spec, read.options)
        return

    delivery = request.to_json(private=private, **({"resolved": dict(read.channels)} if read.channels else {}))
    command = Command(spec.path, read.options, request.who, request.where, request.request_id, delivery, spec=spec)
    await work.delivery.serve(request, command, _offered(work, request, command), private=private)


async def _offered(work: Work, request: Request, command: Command) -> Reply:
    """The answer to a typed command; a refusal leads to its form."""
    reply = await answer(work, request, command)
    if command.spec is None:
        return reply
    return await work.app.forms.offered(reply, command.spec, command.options, command.who)


async def make_good(work: Work, receipt: Receipt) -> None:
    """Answer a command or press whose receipt a dead process left."""
    command = receipt.command
    request = Request.from_json({**command.delivery, "name": command.who.name, "manager": command.who.manager})
    reply = await work.app.make_good(receipt, lambda: answer(work, request, command))
    await work.delivery.make_good(request, reply)
