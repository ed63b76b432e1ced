"""What strangers once stumbled over on Slack, played again through the real library."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.slack.installation import make_manifest
from bot.commands.dispatch import load_shared_registry
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(1)

HINT = 120
"""Characters of a usage hint that a phone still shows; Slack takes 1,000."""


async def test_a_thread_plays_the_channels_game_and_an_import_opens_its_form(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        started = await (
            await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')
        ).answer()
        for line in ("join US",):
            await (await anna.slash(games, "/game", line)).answer()
        await (await anna.slash(games, "/unit", 'add "Squad 1..2" squad US morale=5 fp=2')).answer()
        start = started if started.channel.id == games.id else next(iter(anna.sees(games)))
        fired = await (
            await anna.mention(games, 'lnlt fire "Squad 1" "squad morale=4"', thread=start.ts)
        ).answer()
        assert fired.thread_ts == start.ts
        assert "Squad 1 fires" in fired.everything
        log = await (await anna.mention(games, "log", thread=start.ts)).answer()
        assert "Squad 1 fires" in log.everything, "the thread has the channel's log"
        view = await (await anna.slash(games, "/unit", "import")).modal()
        assert [block for block in view.blocks if block["type"] == "input"], "a form, and no error"
        several = (
            'fire attackers=us1 targets="squad morale=4; squad morale=6 fp=2; leader morale=5" odds'
        )
        odds = await (await ben.slash(games, "/lnlt", several)).answer()
        for number in ("1", "2"):
            assert (
                f"squad {number}" in odds.everything.casefold()
                or f"target {number}" in odds.everything.casefold()
            )
        helped = await (await ben.slash(games, "/lnlt", "fire --help")).answer()
        assert helped.ephemeral_for == ben.id
        assert "can have" in helped.everything, "what a unit can have is said"
    assert socket_slack.refusals == []


def test_usage_hints_are_short_and_say_nothing_twice() -> None:
    """`/baps-table` had 49 names in one hint, and `/game` its words in description and hint."""
    for command in make_manifest(load_shared_registry())["features"]["slash_commands"]:
        hint = command.get("usage_hint", "")
        assert len(hint) <= HINT, command
        assert hint.strip("- ") or not hint, command
        assert hint != command["description"]
