"""Files of a game that is written out in pieces are those of one that is written at once."""

from __future__ import annotations

import json
import re

import pytest

import bot.commands.log.csv_and_story
import bot.commands.log.export
import bot.loading.log_reader
from bot.game.events import has_dice
from bot.verification.export import export_game
from tests.playing import Channel, two_sides


async def played() -> Channel:
    """A game with notes, sealed rolls (one open, one not), an order, an undone shot and one
    brought back.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna",
        "roll 2d6 label=wind",
        "lnlt fire attackers=us1 targets=vc1",
        'roll 1d6 label="=1+1" secret',
    )
    await channel.do("Bob", "lnlt fire attackers=vc2 targets=us2 secret", "roll 2d6 hand=3,4")
    await channel.do(
        "Anna",
        "game next",
        "unit edit us1 fp=3",
        "game undo",
        "unit edit us2 fp=4",
        "game undo",
        "game redo",
    )
    sealed = min((await channel.game()).sealed)
    await channel.do("Anna", f"game reveal {sealed}", 'game plan 3 "Gunships on call"')
    await channel.do("Anna", 'order write "Squads 1 + 2 advance"')
    return channel


async def content(channel: Channel, kind: str) -> str:
    """The text of an export, without the time when it was made."""
    reply = await channel.do("Anna", f"game export {kind}")
    return re.sub('"exported":"[^"]*"', '"exported":"-"', reply.files[0].text)


async def at_once(channel: Channel) -> str:
    """The export made in one go of all that the store has."""
    store, loaded = channel.app.store, await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    row, game = loaded.row, loaded.game
    events, seeds = await store.load_events(row), await store.load_seeds(row)
    texts, persons = await store.load_texts(row), await store.load_persons(row)
    whole = export_game(
        game.id, events, seeds, texts, persons, name=game.name, system=game.system, exported="-"
    )
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


async def test_in_small_pieces_every_file_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = await played()
    whole = {kind: await content(channel, kind) for kind in ("json", "csv", "markdown")}
    assert whole["json"] == await at_once(channel)
    assert {"sealed", "undo", "redo"} <= {
        row["body"]["kind"] for row in json.loads(whole["json"])["events"]
    }
    monkeypatch.setattr(bot.commands.log.csv_and_story, "BATCH", 3)  # the worker writes them now
    monkeypatch.setattr(bot.loading.log_reader, "BATCH", 3)
    monkeypatch.setattr(bot.loading.log_reader, "TEXTS", 2)
    assert {kind: await content(channel, kind) for kind in whole} == whole


async def test_a_game_too_long_for_a_page_ends_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = await played()
    monkeypatch.setattr(bot.commands.log.export, "MOST_EVENTS", 20)
    await channel.refused("Anna", "game export html", "too-many")
    monkeypatch.setattr(bot.loading.log_reader, "BATCH", 3)
    events = [row["body"] for row in json.loads(await content(channel, "json"))["events"]]
    ended = (await channel.do("Anna", "game end draw confirm=yes")).announce
    assert ended is not None
    assert f"{sum(map(has_dice, events))} rolls" in ended.format_text()
    assert not ended.files


async def test_the_page_of_a_long_export_is_worked_out_beside_the_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await played()
    page = await channel.do("Anna", "game export html")
    monkeypatch.setattr(bot.commands.log.export, "LONG", 0)
    again = await channel.do("Anna", "game export html")
    assert [len(file.text) for file in again.files] == [len(file.text) for file in page.files]
