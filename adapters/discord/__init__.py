"""Discord: `adapters.run` runs the bot there, `grognard commands discord` prints what Discord is told."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence

from bot.rules.errors import UserError


def show_commands(words: Sequence[str]) -> int:
    """`grognard commands discord`: the registration as JSON; exit status 0. Raises UserError."""
    if list(words) != ["discord"]:
        raise UserError("commands needs the platform.", hint="Type: grognard commands discord", code="bad-arguments")
    gc.disable()  # it lives for a third of a second
    from adapters.discord.payload import our_commands

    print(json.dumps(our_commands(), indent=1, ensure_ascii=False))
    return 0
