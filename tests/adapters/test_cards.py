"""Unit cards and look-ups by thumb, on Discord and on Slack: what a card does, and what another
number costs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.discord.duel_helpers import duel
from tests.adapters.discord.process import running as running_discord
from tests.adapters.slack.conftest import settle, socket_slack
from tests.adapters.slack.duel_helpers import say as say_on_slack
from tests.adapters.slack.process import running as running_slack
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import SlackStandIn
from tests.standins.taps import DiscordThumb, SlackThumb

pytestmark = pytest.mark.scenes(2)

__all__ = ["socket_slack"]


async def test_a_card_fires_and_has_its_history_on_discord(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running_discord(discord, tmp_path):
        table, anna, ben = await duel(discord)
        enemy = await (await anna.slash(table, "unit show", name="Cell 1")).answer()
        assert enemy.ephemeral
        assert list(enemy.buttons) == ["Fire at it", "Odds", "Melee", "History"]
        form = await anna.press(enemy, "Fire at it")
        fired = await (await anna.submit_modal(form, {"Who's firing": ["Squad 1"]})).answer()
        assert not fired.ephemeral
        assert "Cell 1" in fired.content, "the card filled in whom"
        history = await (await anna.press(enemy, "History")).answer()
        assert history.ephemeral
        assert "#6" in history.text
        own = await (await anna.slash(table, "unit show", name="Squad 1")).answer()
        marked = await (await anna.select(own, "Mark or change", "Moved")).answer()
        assert "moved" in marked.text.casefold()
        theirs = await (await ben.slash(table, "unit show", name="Squad 1")).answer()
        assert "Fire at it" in theirs.buttons


async def test_a_card_fires_and_has_its_history_on_slack(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running_slack(socket_slack, tmp_path, home):
        for who, lines in (
            (
                anna,
                (
                    'game start lnlt "Hill 875" sides="US, VC"',
                    "game join US",
                    'unit add "Squad 1" squad US morale=5 fp=2',
                ),
            ),
            (ben, ("game join VC", 'unit add "Cell 1" squad VC morale=4 fp=1')),
        ):
            for line in lines:
                await say_on_slack(who, games, line)
        enemy = await (await anna.slash(games, "/unit", 'show "Cell 1"')).answer()
        assert enemy.ephemeral_for == anna.id
        assert enemy.buttons() == ["Fire at it", "Odds", "Melee", "History"]
        view = await (await anna.press(enemy, "Fire at it")).modal()
        await anna.submit(view, {"attackers": {"value": ["us1"]}})
        fired = await ben.wait_for(games, "Squad 1 fires")
        assert "Cell 1" in fired.everything, "the card filled in whom"
        history = await (await anna.press(enemy, "History")).answer()
        assert history.ephemeral_for == anna.id
        assert "#6" in history.everything
        own = await (await anna.slash(games, "/unit", 'show "Squad 1"')).answer()
        marked = await (await anna.choose(own, "a:menu-0", "Moved")).answer()
        assert "moved" in marked.everything.casefold()
    assert socket_slack.refusals == []


async def test_another_number_and_the_whole_table_on_discord(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running_discord(discord, tmp_path):
        table, anna = discord.channel("table"), DiscordThumb(discord.user("Anna"))
        found = await (
            await anna.person.slash(table, "lnlt-table combat melee-odds", attack=3, defense=2)
        ).answer()
        form = await anna.press(found, "Another number…")
        other = await (await anna.submit(form, {"attack": "6"})).answer()
        assert other.content != found.content
        assert anna.spent() == (3, 1), "the button, the field, and the form sent"
        whole = await (await anna.press(other, "Whole table")).answer()
        assert whole.ephemeral
        assert anna.spent() == (1, 0)


async def test_another_number_and_the_whole_table_on_slack(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, one, _, games = settle(socket_slack)
    anna = SlackThumb(one)
    async with running_slack(socket_slack, tmp_path, home):
        found = await (
            await one.slash(games, "/lnlt-table", "melee-odds attack=3 defense=2")
        ).answer()
        view = await (await anna.press(found, "Another number…")).modal()
        await anna.submit(view, {"attack": "6"})
        other = await one.wait_for(games, "3-1 · melee odds")
        assert anna.spent() == (3, 1), "the button, the field, and the form sent"
        whole = await (await anna.press(other, "Whole table")).answer()
        assert whole.ephemeral_for == one.id
        assert anna.spent() == (1, 0)
    assert socket_slack.refusals == []


async def test_odds_are_shared_with_one_tap_and_a_thread_shares_the_game_on_discord(
    tmp_path: Path,
) -> None:
    async with DiscordStandIn.running() as discord, running_discord(discord, tmp_path):
        table, one, ben = await duel(discord)
        anna, flank = DiscordThumb(one), discord.thread("left flank", table)
        odds = await (
            await one.slash(flank, "lnlt fire", attackers="Squad 1", targets="Cell 1", odds=True)
        ).answer()
        assert odds.ephemeral, "the thread knows the channel's units"
        shown = await (await anna.press(odds, "Share")).answer()
        assert not shown.ephemeral
        assert "Anna" in shown.text
        assert "Cell 1" in shown.text
        assert anna.spent() == (1, 0)
        fired = await (
            await ben.slash(flank, "lnlt fire", attackers="Cell 1", targets="Squad 1")
        ).answer()
        log = await (await one.slash(table, "log")).answer()
        assert "Cell 1 fires" in log.text, fired.text
