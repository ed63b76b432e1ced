"""A turn of Lock 'n Load on Discord by its buttons alone: taps and characters counted, everybody called once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.process import running
from tests.standins.discord import Channel, DiscordStandIn, Interaction, Message, Person

TAPS = 8
"""Most taps that a turn without fire may cost, by both players together; nothing is typed."""


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


class Evening:
    """Alice and Bob at a table, who only press; their taps are counted."""

    def __init__(self, discord: DiscordStandIn) -> None:
        self.alice, self.bob = discord.user("Alice"), discord.user("Bob")
        self.table: Channel = discord.channel("table")
        self.taps = 0

    async def tap(self, who: Person, message: Message, label: str) -> Message:
        """The answer to a button, which all see."""
        self.taps += 1
        answer = await (await who.press(message, label)).answer()
        assert not answer.ephemeral, answer.text
        return answer

    async def begin(self) -> Message:
        """The card of turn 2: turn 1 was ended by whoever started the game."""
        started = await (
            await self.alice.slash(self.table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
        ).answer()
        await self.tap(self.alice, started, "Join US")
        await self.tap(self.bob, started, "Join VC")
        card = await self.tap(self.alice, started, "Next phase")
        card = await self.tap(self.alice, card, "Next phase")
        self.taps = 0
        return await self.tap(self.alice, card, "Next turn")


async def test_a_turn_without_fire_is_played_by_taps_alone(discord: DiscordStandIn) -> None:
    """Initiative, Next phase, three passes, which end the phase, Next turn."""
    evening = Evening(discord)
    rally = await evening.begin()
    evening.taps = 0
    assert rally.content.startswith("**Turn 2, Rally: both sides**")
    assert not rally.pings, "Alice pressed, and Bob has acted a moment ago"
    won = await evening.tap(evening.bob, rally, "Initiative")
    us_first = won.content.startswith("**US")
    first, second = (evening.alice, evening.bob) if us_first else (evening.bob, evening.alice)
    card = await evening.tap(second, won, "Next phase")
    side = "US" if us_first else "VC"
    assert card.content == f"**Turn 2, Operations: {side} goes first, {'Alice' if us_first else 'Bob'}**"
    for who in (first, second, first):
        card = await evening.tap(who, card, "Pass")
    assert card.content.startswith("**Turn 2, Administrative: both sides**")
    last = await evening.tap(first, card, "Next turn")
    assert last.content.startswith("**Turn 3, Rally: both sides**")
    assert evening.taps <= TAPS
    assert not any(message.pings for message in discord.messages(evening.table)), "both are there"


async def test_the_buttons_of_a_card_open_forms_and_refuse_others(discord: DiscordStandIn) -> None:
    evening = Evening(discord)
    rally = await evening.begin()
    await (await evening.alice.slash(evening.table, "game initiative", side="US")).answer()
    card = await evening.tap(evening.bob, rally, "Next phase")
    dave = discord.user("Dave")
    for who, word in ((evening.bob, "It is US's go; you play VC."), (dave, "You play no side in this game.")):
        refused = await (await who.press(card, "Next phase")).answer()
        assert refused.ephemeral
        assert word in refused.text
    opened: Interaction = await evening.alice.press(card, "Fire")
    assert not opened.failed
    reminded = await (await dave.press(card, "Reminders")).answer()
    assert reminded.ephemeral
    assert "leader also activates" in reminded.text
