"""Slash commands: the interaction read, the command run, its answer brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adapters.discord.ask import Ask
from adapters.discord.reading import fetch_files, read_command
from bot.reply import Reply, error_reply
from bot.rules.errors import UserError

if TYPE_CHECKING:
    from adapters.discord.client import Grognard


async def run_command(bot: Grognard, ask: Ask, data: Mapping[str, Any]) -> None:
    """Run a slash command; one that lacks what it needs opens the guided form."""
    read = read_command(data, ask.where.server)
    try:
        spec = bot.app.spec(read.path)
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
        except UserError as error:
            return error_reply(error)
        return await bot.app.run_typed(
            spec, read.options, ask.who, ask.where, ask.request_id, ask.to_json(private=private)
        )

    await bot.delivery.serve(ask, work(), private=private)
