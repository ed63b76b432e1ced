"""What pictures cost: tables with their hit cell and odds, drawn in a worker process that has
just begun, and after.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bot.charts.charts import render_odds
from bot.charts.png import render_picture_png
from bot.charts.table import render_named_table
from bot.cli.odds_text import count_odds_reply
from bot.odds_pool.pool import Worker
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import compute_each_odds
from bot.ui.reply.parts import Odds

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
    sequence = find_shared_system("lnlt").find_sequence("fire")
    first, later = [], []
    for _ in range(3):
        worker = Worker()
        await worker.run(
            compute_each_odds, sequence, dict(sequence.example), ("targets[0].result",), {}
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
        await measured(
            name, render_picture_png, render_named_table, find_shared_system(id), table, given
        )
    sequence = find_shared_system("lnlt").find_sequence("fire")
    reply = count_odds_reply(sequence, sequence.example)
    charts = tuple(part for part in reply.lines if isinstance(part, Odds))
    await measured(
        "odds of 3 targets", render_picture_png, render_odds, reply.title, reply.by, charts, ""
    )


if __name__ == "__main__":
    asyncio.run(main())
