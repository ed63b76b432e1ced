"""Slash commands: the interaction read, the command run, its answer brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.discord.ask import Ask
from adapters.discord.channels import confirmed
from adapters.discord.posting import missing
from adapters.discord.reading import fetch_files, read_command
from bot.complete import meant
from bot.reply import Reply, error_reply
from bot.rules.errors import UserError

if TYPE_CHECKING:
    from adapters.discord.client import Grognard


ABOUT_THE_GAME = (("game", "start"), ("game", "status"))
"""Commands whose answer also says what the bot may not do in the channel."""


async def run_command(bot: Grognard, ask: Ask, data: Mapping[str, Any]) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form."""
    read = read_command(data, ask.where.server)
    try:
        spec = bot.app.spec(read.path)
        read = replace(read, options=meant(spec, read.options))
        private = bot.app.is_private(read.path, read.options)
    except UserError as error:
        await bot.delivery.say(ask, error_reply(error))
        return
    if spec.family == "sequence":
        from adapters.discord.forms import needs_form, open_form

        if needs_form(spec, read.options):
            await open_form(bot, ask, spec, read.options)
            return

    async def work() -> Reply:
        try:
            await fetch_files(read, bot.wire)
            channels = await confirmed(bot, ask, read)
        except UserError as error:
            return error_reply(error)
        delivery = ask.to_json(private=private)
        reply = await bot.app.run_typed(spec, read.options, ask.who, ask.where, ask.request_id, delivery, channels)
        return with_warning(reply, ask) if spec.path in ABOUT_THE_GAME else reply

    await bot.delivery.serve(ask, work(), private=private)


def with_warning(reply: Reply, ask: Ask) -> Reply:
    """The reply, which also names the permissions that the bot lacks in this channel."""
    lacking = missing(ask, files=True)
    if not lacking or reply.error:
        return reply
    permissions = ", ".join(lacking)
    warning = f"The bot lacks permissions in this channel: {permissions}. Late answers, tables or files may not come."
    return replace(reply, lines=(*reply.lines, warning))
