"""`/game export`: the whole game as a file.

It is JSON, the after-action page, its rolls as CSV, or the story as Markdown.
"""

import asyncio
import json
import re

from bot.commands.channel_games import use_named_game
from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.log.csv_and_story import stream_report, stream_rolls_csv
from bot.commands.log.json_export import export_json, stream_json
from bot.game.rights import need_player
from bot.game.state import Game
from bot.report.event_odds import FACTS, list_fact_requests
from bot.report.page import build_page_from_text
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.phrase import Phrase, phrase
from bot.rulesets.rule_sets import RuleSets
from bot.ui.common_options import PAST_GAME
from bot.ui.reply.packing import Packing
from bot.ui.reply.reply import File, Reply

EXPORT_FILES = "json (can be imported again), html (a page to read and check), csv or markdown"
EXPORT_FORMAT = Option(
    "format", "enum", EXPORT_FILES, values=("json", "html", "csv", "markdown"), default="json"
)
FORMATS = {
    "json": "it can be imported again, and checked with grognard verify",
    "html": "open it in any browser, and press Check the dice",
    "csv": "one line per roll",
}
MOST_EVENTS = 25_000
"""Maximum number of events of a game on a page. Browsers fail to open longer ones."""
LONG = 1_000_000
"""Characters from which an export is parsed in the worker. Here it would delay all players."""
PAGE_QUEUE_SECONDS = 20.0
"""Seconds for which a page waits for its turn to be built."""
SECONDS = 15.0
"""Maximum seconds to build a page without its facts: several times what a long game needs."""


@declare_command(
    "game export",
    "Export the game as JSON, a page to read and check, a CSV of rolls, or Markdown",
    EXPORT_FORMAT,
    PAST_GAME,
    example="html",
    private=True,
)
async def export_game(context: Context) -> Reply:
    """Send the game as a file to one of its players.

    Raises UserError if there is no such game, and for a user who does not play it.
    """
    await use_named_game(context, context.clean_options()["game"])
    game = context.need_game()
    need_player(game, context.actor)
    kind = context.clean_options()["format"]
    if kind == "html":
        return _build_file_reply(context, kind, await build_page_file(context))
    file = Packing(f"{build_file_name(game)}.{ENDINGS.get(kind, kind)}")
    async for text in _WRITERS[kind](context):
        await asyncio.to_thread(file.add, text)
    return _build_file_reply(context, kind, file.build_file())


async def build_page_file(context: Context) -> File:
    """Build the after-action page as a file, which is not packed because a browser opens it.

    Only a few pages are built at once, so that the worker stays free for odds. The others wait
    without an export in memory. Raises UserError if the game or the wait is too long.
    """
    check_length(context.game)
    try:
        await asyncio.wait_for(context.pages.acquire(), PAGE_QUEUE_SECONDS)
    except TimeoutError:
        raise UserError(
            "Too many pages are being built right now.", hint="Try again in a minute.", code="busy"
        ) from None
    try:
        export = await export_json(context)
        page = await build_page_text(context, export)
        return File(f"{build_file_name(context.game)}.html", page)
    finally:
        context.pages.release()


def _build_file_reply(context: Context, kind: str, file: File) -> Reply:
    game = context.game
    about = FORMATS.get(kind, "what happened, turn by turn")
    word = {"markdown": "Markdown", "html": "a page"}.get(kind, kind.upper())
    lines: list[str | Phrase] = [f"{game.number} events: {about}."]
    if game.drawn:
        lines.append(
            phrase("It will include the last seed once that has been revealed: `/fair reveal`")
        )
    return Reply(
        f"{game.name or 'Free play'} as {word}",
        tuple(lines),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
        private=True,
        files=(file,),
    )


def build_file_name(game: Game) -> str:
    """Return the name of a file of this game without its extension: `hill-875`."""
    return re.sub(r"[^a-z0-9]+", "-", game.name.casefold()).strip("-")[:40] or "game"


def check_length(game: Game) -> None:
    """Raise UserError if a game is too long for a page or a picture of its course."""
    if game.number > MOST_EVENTS:
        message = f"This game is too long for that: it has {game.number:,} events and the limit is {MOST_EVENTS:,}."
        raise UserError(message, hint=phrase("`/game export json` has all of it."), code="too-many")


def list_fact_requests_of_export(export: str, systems: RuleSets) -> dict[int, str]:
    """Return the facts to compute for the page of an exported game (JSON), by event number."""
    return list_fact_requests(json.loads(export), systems)


async def build_page_text(context: Context, export: str) -> str:
    """Build the page of an exported game (JSON). Raises UserError if the worker is too busy."""
    facts = await compute_facts(context, export)
    text: str = await context.run_in_worker(
        build_page_from_text, export, facts, context.systems, seconds=SECONDS
    )
    return text


async def compute_facts(context: Context, export: str, number: int = 0) -> dict[int, str]:
    """Compute the facts of an exported game (JSON), by event number.

    `number` restricts them to one event; 0 means all events.
    """
    if len(export) > LONG:
        requests: dict[int, str] = await context.run_in_worker(
            list_fact_requests_of_export, export, context.systems, seconds=SECONDS
        )
    else:
        requests = await asyncio.to_thread(list_fact_requests_of_export, export, context.systems)
    if number:
        requests = {event: request for event, request in requests.items() if event == number}
    return await FACTS.compute_missing(context.run_in_worker, requests, context.systems)


ENDINGS = {"markdown": "md"}
_WRITERS = {"json": stream_json, "csv": stream_rolls_csv, "markdown": stream_report}
