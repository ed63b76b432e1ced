"""`/find` on each platform: lists with buttons that work, a whole table, a page, a form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.process import running as running_discord
from tests.adapters.evening import Platform, on_each
from tests.adapters.slack.conftest import settle, socket_slack
from tests.adapters.slack.process import running as running_slack
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import SlackStandIn

__all__ = ["socket_slack"]

pytestmark = pytest.mark.scenes(1)


@on_each
async def test_what_is_found_opens_by_its_button_and_a_sure_attack_as_its_form(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        listed = await e.typed("Anna", "find smoke", "Laying smoke")
        assert e.is_private(listed)
        table = await e.pressed("Anna", listed, "Whole table", "Table 4")
        assert e.is_private(table)
        form = await e.form("Anna", listed, "Open form")
        assert "smoke" in e.title(form)

        whole = await e.typed("Anna", "find melee odds", "PAC 07")
        assert e.is_private(whole)
        page = await e.typed("Anna", "find hesitant", "prone, can only crawl")
        assert e.is_private(page)
        words = await e.pressed("Anna", page, "All words", "Each item is a unit type")
        assert e.is_private(words)

        await e.say("Anna", 'game start lnlt "Ford" scenario=ford')
        shot = await e.opened("Anna", "find fire")
        assert e.title(shot) == "Direct fire"
        before = len(e.messages())
        nothing = await e.typed("Anna", "find xyzzy", "Nothing here is called")
        assert e.is_private(nothing)
        assert len([one for one in e.messages() if not e.is_private(one)]) <= before


async def test_bare_words_are_the_games_by_mention_and_in_direct_messages(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running_slack(socket_slack, tmp_path, home):
        before = await (await anna.mention(games, "melee odds 7 4")).answer()
        assert "There is no command" in before.plain
        await (await anna.mention(games, "game start lnlt scenario=ford")).answer()
        whole = await (await anna.mention(games, "melee odds")).answer()
        assert "PAC 07" in whole.plain
        assert whole.ephemeral_for == anna.id
        answer = await (await anna.mention(games, "melee odds 7 4")).answer()
        assert "2-1" in answer.plain
        phase = await (await anna.mention(games, "next")).answer()
        assert "Operations" in phase.plain
        listed = await (await anna.mention(games, "12b")).answer()
        assert listed.ephemeral_for == anna.id
        found = await (await anna.press(listed, "Whole table")).answer()
        assert "Table 12b" in found.plain
        direct = await (await anna.dm("find melee odds")).answer()
        assert "PAC 07" in direct.plain
    assert socket_slack.refusals == []


async def test_find_works_in_direct_messages_of_discord_and_is_completed(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as standin, running_discord(standin, tmp_path):
        anna, table = standin.user("Anna"), standin.channel("table")
        listed = await (await anna.slash(anna.dm(), "find", words="smoke")).answer()
        whole = await (await anna.press(listed, "Whole table")).answer()
        assert "Table 4" in whole.text
        offered = await anna.autocomplete(table, "find", "words", "melee od")
        assert "lnlt-table melee-odds" in [choice.value for choice in offered]
