"""Pictures on Slack: uploaded into the channel with their words, or to the asker alone where the
answer was private.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(1)

PNG = b"\x89PNG\r\n\x1a\n"
DCT = "combat dct unit=good-order-mmc morale=5 total=11"


async def test_a_lookup_is_drawn_into_the_channel(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        answer = await (await anna.slash(games, "/lnlt-table", DCT)).answer()
        assert not answer.files
        await anna.press(answer, "Picture")
        shared = await socket_slack.watch.until(
            lambda: [one for one in ben.sees(games) if one.files], timeout=30, what="the picture"
        )
        [file] = shared[0].files
        assert (file.name, file.title, file.data[:8]) == ("dct.png", "Dct", PNG)
        assert shared[0].text, "the words are in the same message"
        assert "column unit good order MMC: casualties." in socket_slack.uploads.alts[file.id]


async def test_odds_are_drawn_for_the_asker_alone(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        fire = 'fire attackers="squad fp=4" targets="squad morale=5" odds'
        odds = await (await anna.slash(games, "/lnlt", fire)).answer()
        told = await (await anna.press(odds, "Picture")).answer()
        assert told.ephemeral_for == anna.id
        assert "odds.png is in your direct messages" in told.plain
        assert [one.files[0].data[:8] for one in anna.sees(anna.im) if one.files] == [PNG]
        assert not [one for one in ben.sees(games) if one.files]


async def test_the_picture_comes_behind_the_answer(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await anna.slash(games, "/lnlt-table", f"{DCT} picture")
        shared = await socket_slack.watch.until(
            lambda: [one for one in ben.sees(games) if one.files], timeout=30, what="the picture"
        )
        said = [one for one in ben.sees(games) if "casualties" in one.plain]
        assert said, "the answer in words"
        assert said[0].order < shared[0].order
