"""Hands on show, whatever comes while one is being drawn anew: the last state stands, and it is
nobody's cost.
"""

from __future__ import annotations

import asyncio
import gc
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.hand_windows import HandWindows
from bot.execution.budgets import Budgets
from bot.storage.base import StoreError
from bot.ui.reply.parts import Group
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.playing import Channel, two_sides


class Screen:
    """Where Anna's hand is: each change takes until its gate opens, and what came last is seen."""

    def __init__(self, *gates: asyncio.Event, there: bool = True) -> None:
        self.shows, self.there, self.waits = "", there, False
        self._gates = [*gates]

    async def draw(self, _: Any, reply: Reply) -> bool:
        there = self.there
        if self._gates:
            self.waits = True
            await self._gates.pop(0).wait()
            self.waits = False
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


async def settled(hands: HandWindows, screen: Screen | None = None) -> None:
    """Until no change is under way, or one that waits at a gate."""
    async with asyncio.timeout(60):
        while hands._tasks and not (screen and screen.waits):  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_of_changes_that_overtake_each_other_the_last_one_stands() -> None:
    channel, request = await table()
    slow = asyncio.Event()
    screen = Screen(slow)
    hands = HandWindows(channel.app, screen.draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled(hands, screen)
    await channel.do("Anna", "deck draw to=me")
    await settled(hands, screen)
    slow.set()
    await settled(hands)
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_what_changed_before_a_hand_was_there_is_seen() -> None:
    channel, request = await table()
    screen = Screen()
    hands = HandWindows(channel.app, screen.draw)
    shown = await channel.do("Anna", "hand")
    await channel.do("Anna", "deck draw to=me")
    hands.remember_window(request, shown)
    await settled(hands)
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_a_change_under_way_does_not_come_behind_what_was_pressed() -> None:
    channel, request = await table()
    slow = asyncio.Event()
    screen = Screen(slow)
    hands = HandWindows(channel.app, screen.draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled(hands, screen)
    with hands.pause_during_press(request):
        await channel.do("Anna", "deck draw to=me")
        pressed = await channel.do("Anna", "hand")
        screen.shows = held(pressed)
        hands.remember_window(request, pressed)
    slow.set()
    await settled(hands)
    assert screen.shows == held(pressed)


async def test_an_old_message_that_is_gone_does_not_end_the_new_one() -> None:
    channel, request = await table()
    slow = asyncio.Event()
    screen = Screen(slow, there=False)
    hands = HandWindows(channel.app, screen.draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled(hands, screen)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    screen.there = True
    slow.set()
    await settled(hands)
    await channel.do("Anna", "deck draw to=me")
    await settled(hands)
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_what_others_do_costs_nothing_whose_hand_is_on_show() -> None:
    channel, request = await table()
    screen = Screen()
    hands = HandWindows(channel.app, screen.draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await settled(hands)
    channel.app.executor.budgets = Budgets(6, lambda: 0.0)
    for _ in range(6):
        await channel.do("Bob", "deck draw to=me")
        await settled(hands)
    await channel.do("Anna", "hand")


async def test_what_was_refused_in_a_hand_does_not_end_its_following() -> None:
    channel, request = await table()
    screen = Screen()
    hands = HandWindows(channel.app, screen.draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    with hands.pause_during_press(request):
        await channel.fails("Anna", "deck play 31 cup", "31")
        await channel.do("Anna", "deck draw to=me")
        await settled(hands)
        assert not screen.shows, "what was pressed is under way"
    await settled(hands)
    assert screen.shows == held(await channel.do("Anna", "hand"))
    await channel.do("Anna", "deck draw to=me")
    await settled(hands)
    assert screen.shows == held(await channel.do("Anna", "hand"))


async def test_a_hand_that_asks_something_is_not_drawn_over() -> None:
    channel, request = await table()
    screen = Screen()
    hands = HandWindows(channel.app, screen.draw)
    shown = await channel.do("Anna", "hand")
    hands.remember_window(request, shown)
    gives = next(menu for menu in shown.menus if menu.label == "Give").entries[0].action
    with hands.pause_during_press(request):
        hands.remember_window(request, await channel.press("Anna", gives))
    await channel.do("Anna", "deck draw to=me")
    await settled(hands)
    assert not screen.shows


async def test_a_hand_is_worked_out_once_unless_something_happened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel, request = await table()
    worked_out, asked = list[str](), list[str]()
    unasked, seen = channel.app.refresh_answer, channel.app.store.load_earlier_reply

    async def noted(action: str, who: Person, where: Place) -> Reply:
        worked_out.append(action)
        return await unasked(action, who, where)

    async def looked_up(request_id: str) -> Any:
        asked.append(request_id)
        return await seen(request_id)

    monkeypatch.setattr(channel.app, "refresh_answer", noted)
    monkeypatch.setattr(channel.app.store, "load_earlier_reply", looked_up)
    hands = HandWindows(channel.app, Screen().draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await settled(hands)
    assert not worked_out
    await channel.do("Bob", "roll d6")
    await settled(hands)
    assert not worked_out, "dice change no hand"
    await channel.do("Bob", "deck draw")
    await settled(hands)
    assert len(worked_out) == 1
    assert not asked, "nobody pressed it, so there is no earlier answer"


@pytest.mark.parametrize("how", ["privacy", "deleted", "another game"])
async def test_a_hand_of_what_is_gone_is_forgotten_at_once(how: str) -> None:
    channel, request = await table()
    hands = HandWindows(channel.app, Screen().draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await settled(hands)
    kept = hands._open_hands
    assert len(kept) == 1
    if how == "privacy":
        await channel.do("Anna", "privacy delete confirm")
    else:
        await channel.do("Anna", "game end confirm")
        await settled(hands)
        assert len(kept) == 1, "opened hands are on show as well"
    if how == "deleted":
        assert not (await channel.say("Anna", "game delete confirm", manager=True)).error
    elif how == "another game":
        await channel.do("Anna", 'game start lnlt "Another" sides="US, VC"')
    await settled(hands)
    assert not kept


async def test_what_fails_while_a_hand_is_drawn_anew_does_not_end_its_following() -> None:
    channel, request = await table()
    failing, screen = [True], Screen()

    async def draw(request: Any, reply: Reply) -> bool:
        if failing:
            failing.clear()
            raise StoreError("The database does not answer.")
        return await screen.draw(request, reply)

    loop, unheard = asyncio.get_running_loop(), list[Any]()
    loop.set_exception_handler(lambda _, context: unheard.append(context))
    hands = HandWindows(channel.app, draw)
    hands.remember_window(request, await channel.do("Anna", "hand"))
    await settled(hands)  # it looks whether something has changed
    await channel.do("Anna", "deck draw to=me")
    await settled(hands)
    assert not failing
    assert not screen.shows
    await channel.do("Bob", "deck draw")
    await settled(hands)
    gc.collect()
    assert not unheard
    assert screen.shows == held(await channel.do("Anna", "hand"))
