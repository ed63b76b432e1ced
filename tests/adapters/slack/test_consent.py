"""Nobody listens in on Slack, where a slash command works in every channel, whoever is a member
of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.slack.calls import SlackApi
from adapters.slack.channels import mark_own_conversation
from adapters.slack.request import SlackRequest
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, SlackStandIn, User, Workspace

pytestmark = pytest.mark.scenes(2)

MEMBERS_ONLY = "only to a channel that both you and the bot are in"


class Club:
    """One workspace: Anna plays, Ben runs it, Mallory has a game of their own."""

    def __init__(self, slack: SlackStandIn) -> None:
        self.slack = slack
        self.home, self.anna, self.ben, self.games = settle(slack)
        self.ben.admin = True
        self.mallory = self.home.user("Mallory")

    async def say(self, who: User, where: Channel, command: str, text: str) -> str:
        """The text of the answer."""
        return (await (await who.slash(where, command, text)).answer()).text

    async def code(self, who: User, where: Channel) -> str:
        """The code that `/game link` gives, which is for its asker alone."""
        await who.slash(where, "/game", "link")
        return (await who.wait_for(where, "The code is")).text.split("\n")[0].split()[-1].strip("*")


@pytest.fixture
async def club(socket_slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Club]:
    club = Club(socket_slack)
    async with running(socket_slack, tmp_path, club.home):
        yield club


def secret_channel(home: Workspace, *members: User, bot: bool) -> Channel:
    """A private channel of these members."""
    return home.channel("secret", bot_member=bot, private=True, members=list(members))


async def test_a_game_is_not_sent_into_a_private_channel_of_others(club: Club) -> None:
    """The attack of the audit: two channels of one's own linked, then a transfer to a channel
    known by its id alone.
    """
    secret = secret_channel(club.home, club.anna, club.ben, bot=False)
    await club.say(club.mallory, club.games, "/game", 'start lnlt Bait sides="US, VC"')
    for id in (
        secret.id,
        f"<#{secret.id}|>",
        f"#{secret.id}",
        club.anna.im.id,
        "C0NOWHERE",
        f"{club.games.id}/17.5",
    ):
        assert MEMBERS_ONLY in await club.say(
            club.mallory, club.games, "/game", f"transfer {id}"
        ), id
    await club.say(club.anna, secret, "/roll", "2d6")
    assert "Free play" in await club.say(club.anna, secret, "/game", "status")
    assert "Bait" in await club.say(club.mallory, club.games, "/game", "status")


async def test_who_asks_must_be_a_member_too(club: Club) -> None:
    secret = secret_channel(club.home, club.anna, bot=True)
    await club.say(club.mallory, club.games, "/game", 'start lnlt Bait sides="US, VC"')
    assert MEMBERS_ONLY in await club.say(
        club.mallory, club.games, "/game", f"transfer {secret.id}"
    )
    assert club.anna.sees(secret) == []


async def test_the_bot_must_be_a_member_too(club: Club) -> None:
    """Else nobody there would hear of it."""
    public = club.home.channel("public", bot_member=False)
    await club.say(club.ben, club.games, "/game", 'start lnlt Hill sides="US, VC"')
    assert MEMBERS_ONLY in await club.say(club.ben, club.games, "/game", f"transfer {public.id}")


async def test_a_game_moves_among_members_once_it_is_taken_over(club: Club) -> None:
    hall = club.home.channel("hall")
    await club.say(club.anna, club.games, "/game", 'start lnlt Hill sides="US, VC"')
    asked = await club.say(club.anna, club.games, "/game", f"transfer <#{hall.id}|hall>")
    assert "asks to move" in asked
    request = await club.ben.wait_for(hall, "asks to play")
    assert (
        "Only a workspace admin"
        in (await (await club.anna.press(request, "Take it over")).answer()).text
    )
    assert (
        "played here from now on"
        in (await (await club.ben.press(request, "Take it over")).answer()).text
    )
    await club.anna.wait_for(club.games, "ben moves")
    assert "Hill" in await club.say(club.anna, hall, "/game", "status")


async def test_without_the_scope_nothing_moves_and_the_reason_is_said(club: Club) -> None:
    hall = club.home.channel("hall")
    club.home.scopes -= {"channels:read", "groups:read"}
    await club.say(club.anna, club.games, "/game", 'start lnlt Hill sides="US, VC"')
    assert "before it needed permission" in await club.say(
        club.anna, club.games, "/game", f"transfer {hall.id}"
    )


async def test_a_channel_is_linked_by_its_manager_alone(club: Club) -> None:
    """A slash command works where the bot is no member too; a link there needs somebody who runs
    the workspace.
    """
    secret = secret_channel(club.home, club.anna, club.mallory, club.ben, bot=False)
    await club.say(club.mallory, club.games, "/game", 'start lnlt Bait sides="US, VC"')
    code = await club.code(club.mallory, secret)
    await club.say(club.mallory, club.games, "/game", f"link {code}")
    await club.mallory.wait_for(club.games, "Link requested")
    await club.say(club.anna, secret, "/roll", "2d6 label=unseen")
    assert not any("unseen" in one.everything for one in club.mallory.sees(club.games))


async def test_the_direct_messages_with_the_bot_are_ones_own_and_no_others(club: Club) -> None:
    await club.say(club.ben, club.games, "/game", 'start lnlt Hill sides="US, VC"')
    code = await club.code(club.ben, club.games)
    # which does not say whose messages these are
    await club.say(club.anna, club.anna.im, "/game", f"link {code}")
    await club.anna.wait_for(club.anna.im, "The channels are linked")
    await club.ben.wait_for(club.games, "links this channel with a private conversation")


async def test_direct_messages_of_two_people_are_nobodys_own() -> None:
    """A slash command in them looks like one in the bot's own; Slack says which channel is that."""

    class Calls(SlackApi):
        def __init__(self) -> None:
            """No session: nothing is called."""

        async def call(self, token: str, method: str, **arguments: object) -> dict[str, object]:
            assert (method, arguments) == ("conversations.open", {"users": "U1"})
            return {"channel": {"id": "D1"}}

    own = await mark_own_conversation(Calls(), "xoxb", SlackRequest("T1", "D1", "U1"))
    assert own.where.owner == "slack:T1/U1"
    assert (
        await mark_own_conversation(Calls(), "xoxb", SlackRequest("T1", "D2", "U1"))
    ).where.owner == ""
    assert (
        await mark_own_conversation(Calls(), "xoxb", SlackRequest("T1", "C2", "U1"))
    ).where.owner == ""
