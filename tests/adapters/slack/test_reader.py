"""A command that Slack shows works where it is read: by slash, after a mention, in a thread, in
direct messages; and the plain text of a notification says the same as the blocks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(2)


async def test_a_slip_after_a_mention_is_put_right_by_one_press(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        refused = await (await anna.mention(games, "rol 2d6")).answer()
        assert "`@grognard roll 2d6`" in refused.everything
        assert "@grognard roll 2d6" in refused.text, "the notification says so, too"
        rolled = await (await anna.press(refused, "Run it")).answer()
        assert "rolls 2d6" in rolled.everything
        thread = rolled.ts
        inside = await (await anna.mention(games, "rol 3d6", thread=thread)).answer()
        assert "`@grognard roll 3d6`" in inside.everything
        typed = await (await anna.mention(games, "roll 3d6", thread=thread)).answer()
        assert "rolls 3d6" in typed.everything


async def test_what_would_open_a_form_is_no_error_in_a_message(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        for line in ("game start", "unit add", "macro add"):
            asked = await (await anna.mention(games, line)).answer()
            assert "Error" not in asked.everything, line
            assert asked.buttons() == ["Fill in the form"], line
        form = await (await anna.press(asked, "Fill in the form")).modal()
        assert form.title


async def test_slacks_own_me_is_never_shown(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, _, games = settle(slack)
    async with running(slack, tmp_path, home):
        shown = await (await anna.slash(games, "/grognard", "me show")).answer()
        for text in (shown.text, shown.everything):
            assert "/grognard me ping" in text
            assert "/me ping" not in text.replace("/grognard me ping", "")
