"""What somebody new reads on Slack: the app's home, and the channel that the bot is invited to."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.slack.conftest import say, settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn


async def test_an_empty_home_says_what_this_is_and_starts_the_first_game(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, _ = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        view = await anna.open_home("runs tabletop wargames in chat")
        started = await anna.press(view, "Start The Ford at Dawn")
        modal = await started.modal()
        assert "The Ford at Dawn" in str(modal.blocks)
        await anna.open_home("The Ford at Dawn")
    assert socket_slack.refusals == []


async def test_the_bot_greets_a_channel_that_it_is_invited_to(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, _ = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        club = home.channel("club", bot_member=False, members=[anna, ben])
        await anna.invite_bot(club)
        greeting = await ben.wait_for(club, "Grognard is here")
        assert "Anyone who can post here can join in." in greeting.plain
        assert greeting.ephemeral_for is None
        assert "Start a game" in greeting.buttons()


async def test_setup_rights_says_which_scopes_are_missing(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    home.scopes -= {"pins:write", "files:write"}
    async with running(socket_slack, tmp_path, home):
        listed = await say(anna, games, "/grognard", "setup rights")
        assert listed.ephemeral_for == anna.id
        assert "missing 2 permissions" in listed.plain
        assert "Missing: files:write (pictures" in listed.plain
        assert listed.plain.count("Ask a workspace admin") == 1
        assert "Granted: Member of this channel" in listed.plain
        club = home.channel("club", bot_member=False, members=[anna])
        elsewhere = await say(anna, club, "/grognard", "setup rights")
        assert "Missing: Member of this channel" in elsewhere.plain
        assert "/invite @grognard" in elsewhere.plain


async def test_home_offers_to_join_games_of_channels_that_you_are_in(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    club = home.channel("club", private=True, members=[anna])
    async with running(socket_slack, tmp_path, home):
        for channel, name in ((club, "Secret Hill"), (games, "Hill 875")):
            await say(anna, channel, "/grognard", f'game start lnlt "{name}" sides="US, VC"')
            await say(anna, channel, "/grognard", "game join US")
        view = await ben.open_home("VC has no player yet")
        assert "Hill 875" in str(view.blocks)
        assert "Secret Hill" not in str(view.blocks)
        assert "Join US" not in str(view.blocks)
        await ben.press(view, "Join VC")
        joined = await anna.wait_for(games, "ben plays VC")
        assert joined.ephemeral_for is None
        view = await ben.open_home("Hill 875")
        assert "has no player yet" not in str(view.blocks)
        assert "Board" in str(view.blocks)
    assert socket_slack.refusals == []


async def test_a_pasted_block_is_answered_once_and_nothing_is_run(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    block = "roll 2d6\nroll 3d6\nroll 4d6"
    async with running(socket_slack, tmp_path, home):
        answers = [
            await (await anna.mention(games, block)).answer(),
            await (await anna.slash(games, "/roll", "2d6\n/roll 3d6\n/roll 4d6")).answer(),
            await (await anna.dm(block)).answer(),
        ]
        for answer in answers:
            assert "yours has 3" in answer.plain
            assert "roll 2d6" in answer.plain
            assert answer.buttons() == []
        rolled = await say(anna, games, "/roll", "1d1")
        assert "#2" in rolled.plain, "the first roll of this channel"
