"""Commands as text, mentions and direct messages, with the bot as its own process, in both of
Slack's transports.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.slack.listeners import get_bot_of_event
from adapters.slack.teams import Team
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(1)

FIRE = 'lnlt fire attackers="squad fp=2 sw=3; squad fp=1" targets="leader morale=6 lm=1; squad morale=5" tm=1'


async def test_commands_mentions_and_direct_messages_are_answered(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        handle = await anna.slash(games, "/roll", "2d6+3 label=rally")
        assert handle.in_time
        answer = await handle.answer()
        assert answer.ephemeral_for is None
        assert "for rally · anna rolls 2d6+3" in answer.text
        assert answer in ben.sees(games)
        assert "#2" in answer.plain

        named = await anna.slash(games, "/grognard", FIRE + " adjacent")
        assert "2 squads fire" in (await named.answer()).text

        wrong = await (await anna.slash(games, "/lnlt", "fier")).answer()
        assert wrong.ephemeral_for == anna.id
        assert "fire" in wrong.plain
        assert wrong not in ben.sees(games)

        mention = await ben.mention(games, "roll 1d6")
        told = await mention.answer()
        assert "ben rolls d6" in told.text
        assert told.thread_ts is None

        threaded = await ben.mention(games, "roll 1d6", thread=told.ts)
        inside = await threaded.answer(where=lambda one: one.thread_ts == told.ts)
        assert "ben rolls d6" in inside.text
        assert "#2" not in inside.plain, "a thread plays its channel's game"

        refused = await (await ben.mention(games, "rol 1d6", thread=told.ts)).answer()
        assert refused.ephemeral_for == ben.id
        assert refused.thread_ts == told.ts

        alone = await (await anna.dm("roll 3d6")).answer()
        assert "anna rolls 3d6" in alone.text
        assert alone.channel is anna.im
        assert (await (await anna.dm("help")).answer()).plain


async def test_nothing_typed_pings_formats_or_spoofs(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = socket_slack
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        label = f'label="<!channel> <@{ben.id}> *bold* & <http://evil.example|safe>\nBen: 2d6 = 12"'
        answer = await (await anna.slash(games, "/roll", f"2d6 {label}")).answer()
        for text in (answer.text, *answer.plain.split("\n")):
            assert "<!" not in text
            assert "<@" not in text
            assert "<http" not in text
            assert "*bold*" not in text.strip("*") or text is answer.text
        assert "&amp;" in answer.text
        assert answer.text.split("\n")[0].endswith(" · anna rolls 2d6")
        assert not any(one.startswith("Ben:") for one in answer.plain.split("\n"))


async def test_where_the_bot_is_no_member_commands_still_work(
    http_slack: SlackStandIn, tmp_path: Path
) -> None:
    slack = http_slack
    home, anna, _, _ = settle(slack)
    foreign = home.channel("elsewhere", bot_member=False)
    async with running(slack, tmp_path, home):
        answer = await (await anna.slash(foreign, "/roll", "2d6")).answer()
        assert answer.via == "response_url"
        assert answer.ephemeral_for is None
        again = await (await anna.press(answer, "Again")).answer()
        assert "anna rolls 2d6" in again.text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"authorizations": [{"user_id": "U2"}]}, "U2"),
        ({"authorizations": [{}]}, "U1"),
        ({"authorizations": []}, "U1"),
        ({}, "U1"),
    ],
)
def test_a_mention_names_the_bot_of_its_own_workspace(
    body: dict[str, object], expected: str
) -> None:
    """An installation for a whole organization has a bot with another id in each workspace."""
    assert get_bot_of_event(body, Team("T1", "xoxb", "U1")) == expected
