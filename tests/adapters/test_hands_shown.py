"""Hands on show, whatever comes while one is being drawn anew: the last state stands, and it is nobody's cost."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from adapters.hands import Hands
from bot.interface.reply.parts import Group
from bot.interface.reply.reply import Reply
from bot.running.budgets import Budgets
from tests.playing import Channel, two_sides


class Screen:
    """Where Anna's hand is: each change takes until its gate opens, and what came last is seen."""

    def __init__(self, *gates: asyncio.Event, there: bool = True) -> None:
        self.shows, self.there = "", there
        self._gates = [*gates]

    async def draw(self, _: Any, reply: Reply) -> bool:
        there = self.there
        if self._gates:
            await self._gates.pop(0).wait()
        self.shows = held(reply)
        return there


def held(reply: Reply) -> str:
    """The cards of a hand."""
    return ", ".join(part.text for part in reply.lines if isinstance(part, Group))


async def table() -> tuple[Channel, Any]:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..30" cup')
    await channel.do("Anna", "deck draw count=5 to=me")
    return channel, SimpleNamespace(who=channel.who("Anna"), where=channel.place)


async def settled() -> None:
    for _ in range(200):
        await asyncio.sleep(0.001)


async def test_of_changes_that_overtake_each_other_the_last_one_stands() -> None:
    channel, request = await table()
    slow = asyncio.Event()
    screen = Screen(slow)
    hands = Hands(channel.app, screen.draw)
    hands.keep(request, await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled()
    await channel.do("Anna", "deck draw to=me")
    await settled()
    slow.set()
    await settled()
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_what_changed_before_a_hand_was_there_is_seen() -> None:
    channel, request = await table()
    screen = Screen()
    hands = Hands(channel.app, screen.draw)
    shown = await channel.do("Anna", "hand")
    await channel.do("Anna", "deck draw to=me")
    hands.keep(request, shown)
    await settled()
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_a_change_under_way_does_not_come_behind_what_was_pressed() -> None:
    channel, request = await table()
    slow = asyncio.Event()
    screen = Screen(slow)
    hands = Hands(channel.app, screen.draw)
    hands.keep(request, await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled()
    hands.leave(request)
    await channel.do("Anna", "deck draw to=me")
    pressed = await channel.do("Anna", "hand")
    screen.shows = held(pressed)
    hands.keep(request, pressed)
    slow.set()
    await settled()
    assert screen.shows == held(pressed)


async def test_an_old_message_that_is_gone_does_not_end_the_new_one() -> None:
    channel, request = await table()
    slow = asyncio.Event()
    screen = Screen(slow, there=False)
    hands = Hands(channel.app, screen.draw)
    hands.keep(request, await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled()
    hands.keep(request, await channel.do("Anna", "hand"))
    screen.there = True
    slow.set()
    await settled()
    await channel.do("Anna", "deck draw to=me")
    await settled()
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_what_others_do_costs_nothing_whose_hand_is_on_show() -> None:
    channel, request = await table()
    screen = Screen()
    hands = Hands(channel.app, screen.draw)
    hands.keep(request, await channel.do("Anna", "hand"))
    await settled()
    channel.app.handling.budgets = Budgets(6, lambda: 0.0)
    for _ in range(6):
        await channel.do("Bob", "deck draw to=me")
        await settled()
    await channel.do("Anna", "hand")
