"""Reading files and long texts that users send in the checker process, so that nobody waits for
them.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from bot.commands.context import Context
from bot.odds_pool.pool import WORKER_SECONDS
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT
from bot.rules.odds.rolls import TooManyStates
from bot.ui.reply.packing import ZIPPED

T = TypeVar("T")


async def parse_untrusted(
    context: Context, parse: Callable[..., T], text: str, *arguments: object
) -> T:
    """Return `parse(text, *arguments)`; `parse` must be a function of a module.

    A text of at most `MAX_TEXT` characters is parsed in a thread, a longer one and a zip in the
    checker process. Raises UserError as `parse` does, and for a text that takes the checker too
    long.
    """
    if len(text) <= MAX_TEXT and not text.startswith(ZIPPED):
        return await asyncio.to_thread(parse, text, *arguments)
    try:
        return await context.run_in_checker(parse, text, *arguments)  # type: ignore[no-any-return]
    except TooManyStates:
        raise UserError(
            f"This file could not be read within {WORKER_SECONDS:.0f} seconds, "
            "so nothing was imported.",
            hint="Send it in smaller pieces.",
            option="file",
            code="too-slow",
        ) from None
