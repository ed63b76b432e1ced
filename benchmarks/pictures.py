"""What pictures cost: tables with their hit cell and odds, drawn in a worker process that has
just begun, and after.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bot.host.odds_text import reply_of
from bot.interface.reply.parts import Odds
from bot.odds_worker.pool import Worker, count_odds_here
from bot.picture.charts import odds_picture
from bot.picture.png import picture_png
from bot.picture.table import named_table_picture
from bot.systems.catalog import system

RUNS = 15
TABLES = {
    "14 rows of 9 cells": ("lnlt", "melee-odds", {"attack": 7, "defense": 4}),
    "11 rows of 9 codes": ("nhis", "ranged-combat", {"firepower": 9, "roll": 7}),
    "7 rows of 10 cells with 4 lines each": ("baps", "crt", {"row": 2, "men": 3, "roll": 17}),
}


async def milliseconds(run: Callable[[], Awaitable[Any]]) -> float:
    """How long it takes until the picture is back in the bot."""
    start = time.perf_counter()
    await run()
    return (time.perf_counter() - start) * 1000


async def measured(name: str, function: Callable[..., Any], *arguments: Any) -> None:
    """Print the first picture of a worker that has counted odds before, and the median of those
    after it.
    """
    sequence = system("lnlt").sequence("fire")
    first, later = [], []
    for _ in range(3):
        worker = Worker()
        await worker.run(
            count_odds_here, "lnlt", "fire", dict(sequence.example), ("targets[0].result",), {}
        )
        first.append(await milliseconds(lambda: worker.run(function, *arguments)))  # noqa: B023
        later += [await milliseconds(lambda: worker.run(function, *arguments)) for _ in range(RUNS)]  # noqa: B023
        await worker.close()
    print(
        f"{name:38} first {statistics.median(first):6.1f} ms   later {statistics.median(later):6.1f} ms"
    )


async def main() -> None:
    """Measure each of them."""
    for name, (id, table, given) in TABLES.items():
        await measured(name, picture_png, named_table_picture, id, table, given)
    sequence = system("lnlt").sequence("fire")
    reply = reply_of(sequence, sequence.example)
    charts = tuple(part for part in reply.lines if isinstance(part, Odds))
    await measured(
        "odds of 3 targets", picture_png, odds_picture, reply.title, reply.by, charts, ""
    )


if __name__ == "__main__":
    asyncio.run(main())
