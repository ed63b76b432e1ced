"""`/ladder export`: a ladder as a file that anybody can check."""

import asyncio
import json

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.ladder.choose_ladder import LADDER_SYSTEM, choose_ladder
from bot.commands.ladder.ladder_docs import read_results
from bot.commands.ladder.standings_cache import load_all_results
from bot.ladder.export import build_ladder_file
from bot.ladder.season import compute_ladder, get_month
from bot.rules.text.names import format_count
from bot.rules.text.phrase import phrase
from bot.storage.records import Doc
from bot.ui.reply.packing import Packing
from bot.ui.reply.reply import File, Reply


@declare_command(
    "ladder export",
    "The ladder as a file: results, ratings and what it takes to check them",
    LADDER_SYSTEM,
    private=True,
    title="The ladder as a file",
    verb="Export",
    needs_game=True,
)
async def export_ladder(context: Context) -> Reply:
    """Send the ladder of a game on this server as a file.

    Raises UserError if the server has no such ladder.
    """
    server, system, title = await choose_ladder(context)
    docs = await load_all_results(context, server, system)
    file = await asyncio.to_thread(_build_file, docs, server, system, title, context.now)
    lines = (
        f"{format_count(len(docs), 'result')}, and the ratings based on them.",
        phrase(
            "To check it: `grognard verify {name}`, followed by the files from `/game export`",
            name=file.name,
        ),
    )
    return Reply(f"Ladder of {title} as JSON", lines, private=True, files=(file,))


def _build_file(docs: list[Doc], server: str, system: str, title: str, now: float) -> File:
    """Return the file of a ladder. `docs` hold all its results, `now` is in Unix seconds."""
    results = read_results(docs)
    ladder = compute_ladder(results, get_month(now))
    data = build_ladder_file(
        results, ladder, server=server, system=system, title=title, created=now
    )
    file = Packing(f"ladder-{system}.json")
    file.add(json.dumps(data, ensure_ascii=False))
    return file.build_file()
