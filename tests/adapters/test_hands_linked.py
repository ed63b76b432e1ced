"""Hands in one game on two networks: each sees their own, where they are; nobody else a card, by
whatever way.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.adapters.discord.hands_helpers import choices as on_discord
from tests.adapters.discord.process import Bot as DiscordBot
from tests.adapters.slack.conftest import stand_in
from tests.adapters.slack.hands_helpers import PLAY, words
from tests.adapters.slack.hands_helpers import choices as in_window
from tests.adapters.slack.linked_helpers import Evening, say, write
from tests.adapters.slack.process import Bot, running
from tests.standins.discord import DiscordStandIn
from tests.standins.discord import Message as Outputs
from tests.standins.slack import SlackStandIn
from tests.standins.slack.views import OpenView

TREES = "Alder, Birch, Cedar, Damson, Elm, Fir, Gorse, Hazel, Ivy, Juniper, Larch, Maple"


class Hands(Evening):
    """Anna on Discord has US, Ben on Slack VC; Greta leads, Cora looks on."""

    async def deal(self) -> None:
        await self.link()
        await write(self.ben, self.games, "/game", "join VC")
        await self.on_discord("ben")
        await say(self.greta, self.table, "deck make", cards=TREES, name="woods")
        await say(self.greta, self.table, "deck deal", count=2)
        await self.on_slack("deals 2 cards each")

    async def window(self) -> OpenView:
        """Ben's hand."""
        return await (await self.ben.slash(self.games, "/hand", "")).modal()

    async def hand(self) -> Outputs:
        """Anna's hand."""
        return await say(self.anna, self.table, "hand")

    def public(self) -> str:
        """All that everybody has seen in both channels, edits too."""
        here = [one.text for one in self.discord.messages(self.table) if not one.ephemeral]
        there = [one for one in self.ben.sees(self.games) if one.ephemeral_for is None]
        return "\n".join(
            [*here, *(said.everything for one in there for said in (one, *(one.earlier or [])))]
        )

    def nobody_saw(self, *held: str) -> None:
        """Of these cards none is anywhere that all see; the list of the deck, in the answer to
        `make`, apart.
        """
        said = self.public().replace(TREES, "")
        assert not [card for card in held if card in said]


async def _hands(evening: Hands) -> None:
    await evening.deal()
    dealt = await evening.on_slack("deals 2 cards each")
    view = await (await evening.ben.press(dealt, "Your hand")).modal()
    vc, us = in_window(view, PLAY), on_discord(await evening.hand(), "Play")
    assert len(vc) == len(us) == 2
    looked = await (await evening.cora.press(dealt, "Your hand")).modal()
    assert looked.title == "Your hand is empty"
    assert not any(card in words(looked) for card in (*vc, *us))
    evening.nobody_saw(*vc, *us)

    await evening.ben.choose(view, PLAY, vc[0])
    assert vc[0] in (await evening.on_discord(f"ben plays {vc[0]}")).text
    peeked = await say(evening.anna, evening.table, "deck peek", count=1)
    top = peeked.content.rpartition(": ")[2].strip("*")
    await evening.on_slack("looks at the next card of woods")
    evening.nobody_saw(vc[1], *us, top)


async def _restart(evening: Hands, bot: Bot, us: list[str], vc: list[str]) -> None:
    await bot.kill()
    await bot.start()
    await evening.discord.ready()
    shown = await evening.hand()
    assert on_discord(shown, "Play") == us
    assert "On top of woods" in shown.text
    assert in_window(await evening.window(), PLAY) == vc
    file = await write(evening.cora, evening.games, "/privacy", "export")
    assert not any(card in file.everything for card in (*us, *vc))


async def _end(evening: Hands, us: list[str], vc: list[str]) -> None:
    await say(evening.greta, evening.table, "game end", confirm=True)
    asked = await evening.on_slack("asks to end the game and open all hands")
    await evening.ben.press(asked, "Show my hand")
    await evening.on_discord("ben agrees to open VC's hand")
    assert not (await say(evening.anna, evening.table, "game status")).text.startswith("Ended")
    evening.nobody_saw(*us, *vc)
    # as it still stands on a screen which does not hear that it is drawn anew
    old = replace(await evening.hand())
    await say(evening.anna, evening.table, "hand", agree=True)
    await evening.on_slack("agrees to open US's hand")
    await say(evening.greta, evening.table, "game end", confirm=True)
    story = await evening.on_slack("US's hand")
    assert all(card in evening.public() for card in (*us, *vc)), story.everything
    pressed = await evening.anna.select(old, "Play", us[0])
    assert pressed is not None
    assert "is over" in old.text or "ended" in old.text.casefold(), old.text
    assert not on_discord(old, "Play")
    await say(evening.greta, evening.table, "game resume")
    view = await evening.window()
    assert in_window(view, PLAY) == [f"{card} (known to all)" for card in vc]
    await evening.ben.choose(view, PLAY, f"{vc[0]} (known to all)")
    await evening.on_discord(f"ben plays {vc[0]}")


@pytest.mark.slow
async def test_hands_on_two_networks_from_the_deal_to_the_end_and_beyond(tmp_path: Path) -> None:
    slack: SlackStandIn = await stand_in("socket")
    async with AsyncExitStack() as stack:
        stack.push_async_callback(slack.stop)
        discord = await stack.enter_async_context(DiscordStandIn.running())
        evening = Hands(discord, slack)
        more = {
            name: DiscordBot(discord, tmp_path).environment[name]
            for name in ("DISCORD_API", "DISCORD_TOKEN")
        }
        bot = await stack.enter_async_context(running(slack, tmp_path, evening.home, "run", **more))
        await discord.ready()
        await _hands(evening)
        us, vc = on_discord(await evening.hand(), "Play"), in_window(await evening.window(), PLAY)
        await _restart(evening, bot, us, vc)
        await _end(evening, us, vc)
    # a new process does not know its pace, and may redraw a window that another one has replaced
    assert {
        (method, refused) for method, refused, _ in slack.refusals if refused != "ratelimited"
    } <= {("views.update", "not_found")}
