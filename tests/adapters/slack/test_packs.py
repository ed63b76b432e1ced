"""A workspace's own game on Slack: a zip behind a mention, its commands as text, in mentions and as forms."""

from __future__ import annotations

from pathlib import Path

from bot.systems.packs.content import zipped
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.packs.conftest import FEW
from tests.scenarios.test_pack_versions import FIRST
from tests.standins.slack import SlackStandIn


async def test_a_pack_comes_by_a_mention_and_is_played_as_text_mention_and_form(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    anna.admin = True
    content = {name: text.encode() for name, text in {**FEW, **FIRST}.items()}
    async with running(socket_slack, tmp_path, home):
        review = await (await anna.mention(games, "pack add", files={"few.zip": zipped(content)})).answer()
        assert "Few 1 is checked and kept" in review.everything
        assert "Combat sequences: Shoot." in review.everything
        enabled = await (await anna.press(review, "Enable")).answer()
        assert "Few 1 is enabled here" in enabled.everything
        shot = await (await ben.slash(games, "/grognard", "few shoot targets=unit hand=6")).answer()
        assert "hit" in shot.everything
        looked = await (await ben.mention(games, "few-table crt roll=2")).answer()
        assert "miss" in looked.everything
        asked = await ben.slash(games, "/grognard", "few shoot")
        form = await asked.modal()
        assert form.title == "Shoot"
        await ben.submit(form, {"targets": {"value": "unit"}})
        assert "hoot" in (await asked.answer()).everything
