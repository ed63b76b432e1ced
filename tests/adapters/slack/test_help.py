"""Help on Slack, through the real library: one private message that turns, and a greeting that is answered."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn


async def test_help_turns_and_a_greeting_is_answered(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        first = await (await anna.slash(games, "/help")).answer()
        assert first.ephemeral_for == anna.id
        sets = await (await anna.choose(first, "a:menu-0", "help:lnlt")).answer()
        assert "*Attacks:* fire, melee" in str(sets.blocks)
        assert not [message for message in anna.sees(games) if "Grognard fights" in message.plain]
        shot = await (await anna.slash(games, "/lnlt", "fire help")).answer()
        assert shot.ephemeral_for == anna.id
        odds = await (await anna.press(shot, "Try it")).answer()
        assert odds.ephemeral_for == anna.id
        hello = await (await ben.mention(games, "hello there")).answer()
        assert hello.plain.startswith("*Hello. Grognard")
    assert socket_slack.refusals == []
