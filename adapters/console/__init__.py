"""The console: every command in a terminal, no account needed. Also reads a script from standard input."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from bot.rules.errors import UserError


def main(words: Sequence[str]) -> int:
    """`grognard play [--as NAME]`: exit status 0; raises UserError for words it does not know."""
    from bot.host.cli import Arguments

    arguments = Arguments(words, flags={"as": True})
    if arguments.words or arguments.pairs:
        raise UserError("play takes only --as NAME.", code="bad-arguments")
    name = arguments.flags.get("as", ["Player"])[-1]
    from adapters.console.session import play

    return asyncio.run(play(name, interactive=sys.stdin.isatty() and sys.stdout.isatty()))
