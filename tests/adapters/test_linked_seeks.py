"""A seek that is shared between Discord and Slack: from the link of two managers to the first shot."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.discord.process import Bot as DiscordBot
from tests.adapters.drawing import draw
from tests.adapters.evening import OnDiscord, OnSlack, Table
from tests.adapters.seek_helpers import CARD, find_in_thread, say_in_thread
from tests.adapters.slack.conftest import stand_in
from tests.adapters.slack.process import running
from tests.standins.discord import DiscordStandIn


async def link_servers(here: OnDiscord, there: OnSlack) -> None:
    """Let Vera on Discord and Greta on Slack share the seeks of their channels."""
    here.people["Vera"] = here.discord.user("Vera", manage_guild=True)
    there.people["Greta"].admin = True
    await here.say("Vera", "setup seekers")
    await there.say("Greta", "setup seekers")
    given = await here.alone("Vera", "seek link")
    draw(here, "code", given)
    code = here.words(given).split("The code is ")[1][:8]
    await there.alone("Greta", f"seek link {code}", says="shared from now on")
    tables: tuple[Table, ...] = (here, there)
    for table, words in zip(tables, ("Vera shares", "shares"), strict=True):
        notice = await table.message(f"{words} seeks with")
        draw(table, "linked", notice)
        assert not table.called(notice)


def has_words(table: Table, message: Any, words: str) -> bool:
    """Return whether a message has these words in it now."""
    return words in table.whole(message)


@pytest.mark.slow
async def test_two_strangers_on_two_networks_come_to_a_shot(tmp_path: Path) -> None:
    slack = await stand_in("socket")
    async with AsyncExitStack() as stack:
        stack.push_async_callback(slack.stop)
        discord = await stack.enter_async_context(DiscordStandIn.running())
        here, there = OnDiscord(discord), OnSlack(slack)
        settings = {
            name: DiscordBot(discord, tmp_path).environment[name]
            for name in ("DISCORD_API", "DISCORD_TOKEN")
        }
        await stack.enter_async_context(running(slack, tmp_path, there.home, "run", **settings))
        await discord.ready()
        discord.permit_bot(here.table, create_public_threads=True)
        await link_servers(here, there)
        await here.alone("Anna", "me ping zone=Europe/Berlin quiet=22-7")
        await there.alone("Carl", "me ping zone=Europe/London quiet=22-7")
        posted = await here.alone("Anna", 'seek game daily lnlt scenario=ford text="Be kind."')
        draw(here, "posted", posted)
        assert "It is also shown in #games of t1 (a workspace on Slack)" in here.words(posted)
        card, linked_card = await here.message(CARD), await there.message(CARD)
        sides: list[tuple[Table, Any, str]] = [(here, card, "Anna"), (there, linked_card, "Carl")]
        for table, shown, _ in sides:
            draw(table, "card", shown)
            assert table.buttons(shown) == ["Play", "Our hours", "Withdraw"]
            assert table.called(shown) == []
        hours = await there.pressed("Carl", linked_card, "Our hours")
        assert there.is_private(hours)
        assert "share about 14 hours a day" in there.words(hours)
        listed = await there.alone("Carl", "seek list")
        draw(there, "list", listed)
        await there.rest()
        begun = await there.pressed("Carl", linked_card, "Play", says="has begun")
        draw(there, "begun", begun)
        assert there.is_private(begun)
        for table, shown, who in sides:
            await table.until(partial(has_words, table, shown, "plays it"), "a card over")
            draw(table, "over", shown)
            assert table.buttons(shown) == ["Open the game"]
            first = await find_in_thread(table, shown, "is game master")
            draw(table, "first", first)
            assert table.called(first) == [who]
        plays_us = "Anna plays US" in here.words(await here.message("is game master"))
        attacker, target = ("us1", "vc1") if plays_us else ("vc1", "us1")
        await say_in_thread(there, "Carl", "game initiative", linked_card)
        await here.message("takes the initiative")
        await say_in_thread(here, "Anna", f"lnlt fire {attacker} {target}", card)
        shot = await find_in_thread(there, linked_card, "fires")
        draw(there, "shot", shot)
        assert "Nobody is looking" in there.words(await there.alone("Carl", "seek list"))
