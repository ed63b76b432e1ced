"""The log of a long game is looked through by marks, and says what it says when all of it is
read.
"""

from __future__ import annotations

from typing import Any

import pytest

import bot.commands.log.log
import bot.commands.log.log_index
from bot.storage.base import StoreError
from bot.storage.records import MarkRow
from tests.playing import Channel, two_sides

LINES = (
    "log", "log kind=undo", "log kind=roll", "log kind=sequence count=2", "log kind=sequence count=2 page=2",
    "log unit=us1", "log unit=us1,us2 count=1 page=2", "log unit=us1..us3 kind=unit", "log side=VC",
    "log side=vc kind=unit",
    "log unit=Tran story", "log side=US story", "log kind=fair", 'log unit="Cell 2" page=2', "log unit=Nobody",
    "log kind=game side=US count=1",
)  # fmt: skip
BLOCK = 5


async def played() -> Channel:
    """A game in which units fire, are changed, undone and brought back."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", "lnlt fire attackers=us1 targets=vc1", "roll 2d6 label=wind", "unit edit us2 fp=4"
    )
    await channel.do(
        "Anna", "game undo", "game redo", "unit edit us1 fp=3", "game undo", "roll 1d6 secret"
    )
    await channel.do(
        "Bob",
        "lnlt fire attackers=vc2 targets=us2",
        "unit edit vc3 morale=4",
        "game undo",
        "game redo",
    )
    await channel.do("Bob", "game undo", "unit remove vc3", "roll 2d6", "unit edit vc2 fp=2")
    return channel


async def row_of(channel: Channel) -> str:
    """The game's id in the store."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return loaded.row


async def pages(channel: Channel) -> dict[str, tuple[str, Any]]:
    """What each of LINES is answered with, buttons too."""
    replies = {line: await channel.do("Anna", line) for line in LINES}
    return {line: (reply.format_text(), reply.buttons) for line, reply in replies.items()}


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is a long game."""
    monkeypatch.setattr(bot.commands.log.log, "BLOCK", BLOCK)
    monkeypatch.setattr(bot.commands.log.log_index, "BLOCK", BLOCK)
    monkeypatch.setattr(bot.commands.log.log, "LONG", 0)
    monkeypatch.setattr(bot.commands.log.log, "FEW", 100)  # else the worker marks them


async def test_by_marks_the_log_says_the_same(request: pytest.FixtureRequest) -> None:
    channel = await played()
    whole = await pages(channel)
    assert sum("(undone)" in text for text, _ in whole.values()) > 4
    request.getfixturevalue("short_blocks")
    assert await pages(channel) == whole
    assert await pages(channel) == whole, "from stored marks alone"
    game = await channel.game()
    rows = await channel.app.store.load_index_blocks(
        await row_of(channel), [bot.commands.log.log_index.MARKED]
    )
    assert [row.block for row in rows] == list(range(game.number // BLOCK))


async def test_what_comes_later_is_marked_when_it_is_looked_for(short_blocks: None) -> None:
    channel = await played()
    before = (await channel.do("Anna", "log unit=us2")).format_text().splitlines()
    await channel.do("Anna", "unit edit us2 fp=5", *["roll 2d6"] * 6)
    number = (await channel.game()).number - 6
    after = (await channel.do("Anna", "log unit=us2")).format_text().splitlines()
    assert after[1] == f"#{number} Anna (US): Squad 2 edited"
    assert after[2:-1] == before[1:-1]


async def test_of_a_marked_log_only_what_is_shown_is_read(
    short_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = await played()
    await channel.do("Anna", "log unit=Tran")
    store, read = channel.app.store, list[int]()
    events = store.load_events

    async def counting(*given: Any, **more: Any) -> Any:
        rows = await events(*given, **more)
        read.append(len(rows))
        return rows

    monkeypatch.setattr(store, "load_events", counting)
    await channel.do("Anna", "log unit=Tran")
    assert sum(read) < BLOCK, "the last events, which are no full block yet"


async def test_marks_that_cannot_be_written_are_made_again(
    short_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = await played()

    async def full(*_: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(channel.app.store, "save_index_blocks", full)
    first = await pages(channel)
    monkeypatch.undo()
    assert await pages(channel) == first


async def test_another_edition_of_marks_is_not_used(
    short_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = await played()
    first = await pages(channel)
    store, row = channel.app.store, await row_of(channel)
    marked = await store.load_index_blocks(row, ["unit:squad 1"])
    assert marked
    monkeypatch.setattr(bot.commands.log.log, "EDITION", "2")
    await store.save_index_blocks([MarkRow(row, "unit:squad 1", one.block, "") for one in marked])
    assert await pages(channel) == first
