"""Earlier games on Slack, through the real library: the list with its buttons, a thread."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn


async def test_a_game_ends_and_is_taken_up_again_from_the_list(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875"')).answer()
        question = await (await anna.slash(games, "/game", "end")).answer()
        assert question.ephemeral_for == anna.id
        pressed = await anna.press(question, "End it")
        page = await pressed.answer(where=lambda one: bool(one.files))
        assert [file.name for file in page.files] == ["hill-875.html"]
        assert [file.title for file in page.files] == ["Hill 875"]
        assert "Hill 875 is over" in page.text, "a file never comes without words"
        story = await pressed.answer(where=lambda one: "Hill 875 is over" in one.text)
        assert story.ephemeral_for is None
        listed = await (await ben.slash(games, "/game", "list")).answer(
            where=lambda one: one.ephemeral_for == ben.id
        )
        opened = await (await ben.press(listed, "Read")).answer()
        assert opened.ephemeral_for == ben.id
        resumed = await (await ben.press(opened, "Resume")).answer()
        assert 'resumes "Hill 875"' in resumed.plain
        inside = await (await anna.mention(games, "game status", thread=story.ts)).answer()
        assert "Hill 875" in inside.text
    assert socket_slack.refusals == []
