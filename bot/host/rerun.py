"""`grognard rerun`: the stored games under today's tables, before a changed one goes live."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from bot.host.cli import Arguments
from bot.process.settings import load_settings
from bot.rules.errors import UserError

MOST_SHOWN = 50


def rerun(words: Sequence[str]) -> int:
    """Play the outcomes of these games again, or of --all; 1 where one would be another. Raises UserError."""
    found = Arguments(words, flags={"all": False})
    games = tuple(found.words)
    if bool(games) == ("all" in found.flags):
        raise UserError("Name games, or --all.", hint="grognard rerun --all", code="bad-arguments")
    return asyncio.run(_rerun(games))


async def _rerun(games: tuple[str, ...]) -> int:
    from bot.audit.replay import rerun as played_again
    from bot.stores.opening import opened_store

    count, others = 0, Counter[str]()
    async with opened_store(load_settings()) as store:
        async for one in played_again(store, games):
            count += 1
            if one.other:
                others[one.what] += 1
                if others.total() <= MOST_SHOWN:
                    print(f"Game {one.game} #{one.number} {one.what}: {one.other}")
    if (hidden := others.total() - MOST_SHOWN) > 0:
        print(f"... and {hidden} more")
    outcomes = "1 outcome" if count == 1 else f"{count} outcomes"
    if not others:
        print(f"{outcomes} played again, each as it was.")
        return 0
    print(f"{outcomes} played again, {others.total()} would be another: ", end="")
    print(", ".join(f"{what} {number}" for what, number in others.most_common()) + ".")
    print("Raise `edition` in the game's game.yaml (docs/editions.md): games so far stay as they were.")
    return 1
