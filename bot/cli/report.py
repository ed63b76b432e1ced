"""`grognard report` and `grognard publish`: the page of an exported game, and that of a game in
the database, as files.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from bot.cli.cli import Arguments
from bot.loading.load_game import restore_game
from bot.report.event_odds import compute_export_facts
from bot.report.page import build_page
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.runtime.file_rights import explain_file_errors
from bot.runtime.settings import Settings, load_settings
from bot.spectators.watched_games import public_export
from bot.storage.opening import open_store
from bot.storage.store import Store
from bot.verification.check_file import read_file_text
from bot.verification.export_format import read_export, read_json
from bot.verification.packs_of_game import ExportedPacks


def write_report(words: Sequence[str]) -> None:
    """Write the page of an exported game (JSON, packed, or another page), and print its size.

    The page's file is that of --out, or the export's with the ending .html. Raises UserError.
    """
    arguments = Arguments(words, flags={"out": True})
    (file,) = arguments.take_only("FILE")
    path = Path(file)
    if "out" in arguments.flags:
        out = Path(arguments.flags["out"][-1])
    else:
        out = path.with_suffix("").with_suffix(".html")
    if out.resolve() == path.resolve():
        raise UserError(
            "The page would overwrite the game.",
            hint="Choose another file: -o FILE.html",
            code="bad-value",
        )
    export = read_json(read_file_text(path), f"The file {path}")
    packs = ExportedPacks(read_export(export))
    assert isinstance(export, dict)
    try:
        systems = packs.systems
        text = build_page(export, compute_export_facts(export, systems), systems)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UserError(
            f"The file {path} is damaged: no page can be made from it.",
            hint="grognard verify shows what is wrong.",
            code="damaged-log",
        ) from None
    with explain_file_errors(out, code="unwritable-folder"):
        out.write_text(text, "utf-8")
    print(f"{out}: {len(export['events'])} events, {len(text.encode()) // 1000} kB")


SHORTEST = 5
LONGEST = 86_400
"""Limits of --every, in seconds."""
MOST_LISTED = 8
"""Maximum number of game ids in a hint."""
READABLE = 0o644
"""File mode of a page: a web server may read it."""


def publish_page(words: list[str]) -> int:
    """Write the page of a game in the database into a folder; with --every also after each change
    of the game, until interrupted.

    Return the exit status 0. Raises UserError.
    """
    arguments = Arguments(words, flags={"every": True})
    game, folder = arguments.take_only("GAME", "FOLDER")
    settings = load_settings()
    if not settings.postgres:
        with explain_file_errors(settings.data, "read"):
            database_exists = settings.database is not None and settings.database.exists()
        if not database_exists:
            raise UserError("There is no database here yet, so there are no games.", code="no-game")
    asyncio.run(_publish_repeatedly(settings, game, Path(folder), _parse_interval(arguments)))
    return 0


def _parse_interval(arguments: Arguments) -> int:
    """Return the seconds of --every, or 0 without it. Raises UserError if they are out of range."""
    typed = arguments.flags.get("every", ["0"])[-1]
    if typed != "0" and not (
        typed.isascii() and typed.isdecimal() and SHORTEST <= int(typed[:9]) <= LONGEST
    ):
        raise UserError(
            f"--every takes a number of seconds from {SHORTEST} to {LONGEST}.", code="bad-value"
        )
    return int(typed)


async def _publish_repeatedly(settings: Settings, name: str, folder: Path, interval: int) -> None:
    """Write the page of a game if it has new events, and again every `interval` seconds; only once
    if that is 0. Raises UserError if there is no such game.
    """
    async with await open_store(settings) as store:
        row = await find_game(store, name)
        published_events = 0
        while True:
            events = await store.load_events(row)
            if len(events) != published_events:
                published_events = len(events)
                export = await public_export(store, row, events)
                systems = load_shared_systems()
                text = build_page(export, compute_export_facts(export, systems), systems)
                file = write_page(folder, export["name"], row, text)
                print(f"{file}: {published_events} events", flush=True)
            if not interval:
                return
            await asyncio.sleep(interval)


async def find_game(store: Store, name: str) -> str:
    """Return the id in the store of the game with this title or id: that in the store, or that in
    exports.

    Raises UserError if no game has that title or id, or several have that title.
    """
    matches: list[str] = []
    last = ""
    while ids := await store.list_games(after=last):
        last = ids[-1]
        for row in ids:
            saved = await store.load_game_by_id(row)
            if saved is None:
                continue
            game = restore_game(saved).game
            if name in (row, game.id):
                return row
            if game.name.casefold() == name.casefold():
                matches.append(row)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UserError(
            f'Several games are called "{name[:40]}".',
            hint=f"Give the id: {', '.join(matches[:MOST_LISTED])}.",
            code="unclear-game",
        )
    raise UserError(
        f'There is no game "{name[:40]}".',
        hint="Give its title, or its id as shown in an export.",
        code="unknown-game",
    )


def write_page(folder: Path, name: str, row: str, text: str) -> Path:
    """Write a page into a folder, which is created if necessary, and return its file.

    The file has a name from the game's title and id, with nothing but letters, digits and hyphens,
    and replaces the earlier page at once. Raises UserError.
    """
    title = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40] or "game"
    file = folder / f"{title}-{re.sub('[^a-z0-9]', '', row)[:8]}.html"
    with explain_file_errors(folder, code="unwritable-folder"):
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=folder, prefix=".", suffix=".part", delete=False
        ) as part:
            part.write(text)
        os.chmod(part.name, READABLE)
        os.replace(part.name, file)
    return file
