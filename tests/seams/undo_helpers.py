"""Helpers of tests/seams/test_undo.py, which other tests use as well."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any

from bot.ui.reply.reply import Reply
from bot.ui.spec import Place
from bot.verification.check_file import check
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tools import verify_log

SHOT = "lnlt fire attackers=us1 targets=vc1 hand=1,6"

PLACE, THERE = Place("discord:55/900", "discord:55"), Place("discord:55/901", "discord:55")

DAY = 24 * 3600


async def linked(channel: Channel) -> None:
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    there = Channel(channel.app, THERE, "there")
    assert not (await there.say("Bob", f"game link {code}", manager=True)).error


async def assert_verified(channel: Channel) -> list[dict[str, Any]]:
    """The events of the exported log, which all verifiers find sound."""
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
    return [row["body"] for row in log["events"]]


async def assert_verified_of(game: Awaitable[Channel]) -> list[dict[str, Any]]:
    """The same of a game that is still to be played."""
    return await assert_verified(await game)


async def newest(channel: Channel) -> dict[str, Any]:
    """The last event of the channel's game."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return [row.data for row in await channel.app.store.load_events(loaded.row)][-1]


class Away:
    """A game on Discord whose clock goes on, and whose platform says who is still there."""

    def __init__(self) -> None:
        self.now, self.here = 1_700_000_000.0, dict[str, bool | None]()

    @classmethod
    async def fired(cls) -> tuple[Away, Channel, Reply]:
        """Anna has fired at Bob's men, and asks to take it back."""
        away = cls()
        channel = Channel(await fresh_app(lambda: away.now), PLACE)
        channel.app.executor.members["console"] = away.is_member
        await two_sides(channel)
        await channel.do("Anna", SHOT)
        return away, channel, await channel.do("Anna", "game undo")

    async def is_member(self, user: str, place: str) -> bool | None:
        assert place == ""
        return self.here.get(user)

    async def manager(self, channel: Channel, action: str, name: str = "Max") -> Reply:
        return await channel.app.press(
            action, channel.who(name, manager=True), channel.place, f"{name}{action}"
        )


async def stood_in(reason: str) -> Channel:
    """A game in which a manager agreed to an undo and a redo, for an opponent who is gone."""
    away, channel, asked = await Away.fired()
    if reason == "left":
        away.here["console:bob"] = False
    else:
        away.now += 7 * DAY + 60
    for what in ("undo", "redo"):
        asked = asked if what == "undo" else await channel.do("Anna", "game redo")
        assert (await away.manager(channel, asked.buttons[0].action)).first_line.endswith(
            "Max agreed as manager"
        )
    return channel
