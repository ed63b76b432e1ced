"""Discord: `grognard discord` runs the bot there, `grognard commands discord` prints what Discord is told."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence

from bot.rules.errors import UserError


def main(words: Sequence[str]) -> int:
    """`grognard discord`: until it is stopped. Raises UserError without a token."""
    if words:
        raise UserError("discord takes no words behind it.")
    gc.disable()  # nothing dies while modules are loaded; the client turns it on again
    from adapters.discord.life import run
    from bot.settings import load_settings

    return run(load_settings())


def show_commands(words: Sequence[str]) -> int:
    """`grognard commands discord`: the registration as JSON."""
    if list(words) != ["discord"]:
        raise UserError("commands needs the platform.", hint="Type: grognard commands discord")
    from adapters.discord.payload import payload
    from bot.registry import registry

    print(json.dumps(payload(registry()), indent=1, ensure_ascii=False))
    return 0
