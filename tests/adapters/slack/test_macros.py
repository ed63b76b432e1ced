"""Macros on Slack: as a command, behind a mention by name alone, and with a form for what is
left open.
"""

from __future__ import annotations

from pathlib import Path

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn


async def test_a_macro_is_run_as_text_in_a_mention_and_from_its_form(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    anna.admin = True
    async with running(socket_slack, tmp_path, home):
        text = 'add h "roll {n}d10>=8 hand={dice}" server'
        saved = await (await anna.slash(games, "/macro", text)).answer()
        assert saved.ephemeral_for == anna.id
        assert "Macro h is saved" in saved.everything
        typed = await (await ben.slash(games, "/macro", "h 2 9,1")).answer()
        assert "1 success" in typed.everything
        assert not typed.ephemeral_for
        named = await (await ben.mention(games, "h 3 9,8,2")).answer()
        assert "2 successes" in named.everything

        asked = await ben.slash(games, "/grognard", "h 2")
        form = await asked.modal()
        assert form.title == "Macro h"
        await ben.submit(form, {"dice": {"value": "8,8"}})
        assert "2 successes" in (await asked.answer()).everything

        refused = await (await ben.mention(games, "macro run h 2")).answer()
        assert "Needed: Hand" in refused.everything
        pressed = await ben.press(refused, "Fill in the form")
        form = await pressed.modal()
        await ben.submit(form, {"dice": {"value": "1,1"}})
        assert "0 successes" in (await pressed.answer()).everything
