"""Helpers of tests/commands/cards/test_hands.py, which other tests use as well."""

from __future__ import annotations

import json
from typing import Any

from bot.verification.check_file import check
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text

CLOSED = ("card.", "face.", "from.")


async def table() -> Channel:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..30" cup')
    return channel


async def sound(channel: Channel, *, closed: bool = False) -> dict[str, Any]:
    """The exported log, which must be sound; while cards are `closed`, none of them is in it."""
    log: dict[str, Any] = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    if closed:
        assert not [row for row in log["texts"] if row["key"].startswith(CLOSED)]
        assert "hands" not in {row["key"] for row in log["texts"]}
    return log


async def own(channel: Channel, name: str) -> list[str]:
    """The cards that somebody is shown as theirs."""
    reply = await channel.do(name, "hand")
    assert reply.private
    assert reply.announce is None
    part = next((part for part in reply.lines if getattr(part, "label", "") == "cup"), None)
    return [card for card in part.text.split(", ") if card] if part is not None else []  # type: ignore[union-attr]


async def end(channel: Channel) -> dict[str, Any]:
    """The game ended by agreement, its seed revealed: all is open, and computed again."""
    first = await channel.do("Anna", "game end confirm")
    if first.announce is not None and "asks to end" in first.announce.title:
        await channel.do("Bob", "hand agree")
        await channel.do("Anna", "game end confirm")
    await channel.do("Anna", "fair reveal")
    log = await sound(channel)
    assert [row for row in log["texts"] if row["key"].startswith(CLOSED)]
    return log


async def last_event(channel: Channel) -> dict[str, Any]:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return (await channel.app.store.load_events(loaded.row))[-1].data


async def stood_in_for_a_hand() -> Channel:
    """A game in which a manager agreed for a side that is silent and holds cards."""
    times = [1_800_000_000.0]
    channel = Channel(await fresh_app(lambda: times[0]))
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..9" cup')
    await channel.do("Bob", "deck draw 2 to=me")
    asked = await channel.do("Anna", "game end confirm")
    assert asked.announce is not None
    assert "a manager who isn't playing can agree for them" in str(asked.announce.lines)
    assert (await channel.say("Mia", "hand agree", manager=True)).error
    times[0] += 8 * 24 * 3600
    assert (await channel.say("Dora", "hand agree")).error
    told = await channel.say("Mia", "hand agree", manager=True)
    assert told.title == "You agree to open the hands of absent players when the game ends"
    assert not told.error, told.format_text()
    body = await last_event(channel)
    assert (body["by"], body["reason"], body["seats"]) == ("manager", "silent", ["VC"])
    return channel
