"""Discord: `grognard discord` runs the bot there, `grognard commands discord` prints what Discord is told."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.rules.errors import UserError

if TYPE_CHECKING:
    from bot.settings import Settings


def main(words: Sequence[str]) -> int:
    """`grognard discord`: until SIGINT or SIGTERM; exit status 0. Raises UserError without a good token."""
    if words:
        raise UserError("discord takes nothing behind it: its settings stand in the environment or in .env.")
    from bot.settings import load_settings

    settings = load_settings()
    check_settings(settings)
    gc.disable()  # nothing dies while modules are loaded; the client turns it on again
    from adapters.discord.serve import serve
    from adapters.run import run

    return run(settings, [lambda app: serve(app, settings)])


def check_settings(settings: Settings) -> None:
    """Raise UserError naming what is missing, with the line to add."""
    if not settings.discord_token:
        raise UserError("DISCORD_TOKEN is not set.", hint="The line in .env: DISCORD_TOKEN=... (the bot's token)")


def show_commands(words: Sequence[str]) -> int:
    """`grognard commands discord`: the registration as JSON; exit status 0. Raises UserError."""
    if list(words) != ["discord"]:
        raise UserError("commands needs the platform.", hint="Type: grognard commands discord")
    gc.disable()  # it lives for a third of a second
    from adapters.discord.sync import our_commands

    print(json.dumps(our_commands(), indent=1, ensure_ascii=False))
    return 0
