"""Tables and rosters that are pasted or sent on Slack: the answer says what was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.pasted import ROSTERS, TABLES
from tests.standins.slack import SlackStandIn

pytestmark = [pytest.mark.scenes(1), pytest.mark.slow]


async def test_tables_and_rosters_are_read_as_they_are_sent(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    anna.admin = True
    async with running(socket_slack, tmp_path, home):
        for sent in TABLES:
            files = {sent.name: sent.text.encode()}
            review = await (await anna.mention(games, "pack add", files=files)).answer()
            for part in sent.answers:
                assert part in review.everything, review.everything
        await (await anna.slash(games, "/grognard", "game start lnlt")).answer()
        for roster in ROSTERS:
            files = {roster.name: roster.text.encode()}
            answer = await (await anna.mention(games, "unit import", files=files)).answer()
            for part in roster.answers:
                assert part in answer.everything, answer.everything
