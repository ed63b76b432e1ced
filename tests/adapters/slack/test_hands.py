"""Hands on Slack: a window that is drawn anew with each card; what all see is in the channel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.hands_helpers import (
    GIVE,
    PLAY,
    choices,
    words,
)
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, Message, SlackStandIn, User

pytestmark = pytest.mark.scenes(2)


async def say(player: User, where: Channel, command: str, text: str) -> Message:
    """The answer to a slash command."""
    return await (await player.slash(where, command, text)).answer()


async def gather(anna: User, ben: User, games: Channel) -> None:
    """Anna with four US squads, Ben with six of the VC."""
    await say(anna, games, "/game", 'start lnlt "Hill 875" sides="US, VC"')
    await say(anna, games, "/game", "join US")
    await say(ben, games, "/game", "join VC")
    await say(anna, games, "/unit", 'add "US Squad 1..4" squad US morale=5 fp=2')
    await say(ben, games, "/unit", 'add "VC Squad 1..6" squad VC morale=12 fp=1')


async def test_a_hand_is_a_window_that_changes_with_each_card(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home) as bot:
        await gather(anna, ben, games)
        await say(anna, games, "/deck", 'make "101..140" cup')
        dealt = await say(anna, games, "/deck", "deal 3")
        view = await (await anna.press(dealt, "Your hand")).modal()
        assert view.title == "Your hand"
        held = choices(view, PLAY)
        assert len(held) == 3

        await anna.choose(view, PLAY, held[1])
        played = await ben.wait_for(games, f"anna plays {held[1]}")
        assert played.ephemeral_for is None
        assert "Undo" in played.buttons()
        await slack.watch.until(
            lambda: choices(view, PLAY) == [held[0], held[2]] or None,
            timeout=30,
            what="the hand without it",
        )

        await bot.kill()
        await bot.start()
        await anna.choose(view, GIVE, held[0])
        await slack.watch.until(
            lambda: "Who gets" in words(view) or None, timeout=30, what="the question for whom"
        )
        await anna.press(view, "VC")
        told = await ben.wait_for(games, "gives 1 hidden card into VC's hand")
        assert held[0] not in told.text.split()
        await slack.watch.until(
            lambda: choices(view, PLAY) == [held[2]] or None,
            timeout=30,
            what="the hand without both",
        )
        theirs = await (await ben.slash(games, "/hand", "")).modal()
        assert held[0] in choices(theirs, PLAY)
        assert len(choices(theirs, PLAY)) == 4


async def test_a_window_says_what_is_theirs_no_more_and_a_closed_one_is_a_message(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home) as bot:
        await gather(anna, ben, games)
        await say(anna, games, "/deck", 'make "101..140" cup')
        await say(anna, games, "/deck", "draw cup 30 me")
        view = await (await anna.slash(games, "/hand", "")).modal()
        first = choices(view, PLAY)
        assert len(first) == 25
        await anna.press(view, "More")
        await socket_slack.watch.until(
            lambda: len(choices(view, PLAY)) == 5 or None, timeout=30, what="the second page"
        )
        await anna.press(view, "More")
        await socket_slack.watch.until(
            lambda: choices(view, PLAY) == first or None, timeout=30, what="the first page"
        )

        await bot.kill()
        await bot.start()  # what it shows elsewhere it has forgotten: the window does not follow
        await say(anna, games, "/deck", "play all")
        await anna.choose(view, PLAY, first[3])
        await socket_slack.watch.until(
            lambda: "That card is no longer in your hand" in words(view) or None,
            timeout=30,
            what="the refusal",
        )
        assert not choices(view, PLAY)

        decks = await say(anna, games, "/deck", "show cup")
        await anna.press(decks, "Picture")
        told = await anna.wait_for(games, "deck.png is in your direct messages")
        assert told.ephemeral_for == anna.id

        await anna.close(view)
        typed = await anna.mention(games, "hand")
        told = await typed.answer()
        assert told.ephemeral_for == anna.id
        assert "Your hand is empty" in told.text
        again = await (await anna.press(told, "Refresh")).answer()
        assert again.ephemeral_for == anna.id


async def test_in_direct_messages_and_behind_a_late_trigger_the_hand_is_a_message(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        typed = await (await anna.dm("deck draw standard-52 3 me")).answer()
        assert "You draw" in typed.text or "draws 3 cards into" in typed.text
        told = await (await anna.dm("hand")).answer()
        held = choices(told, PLAY)
        assert len(held) == 3
        await anna.choose(told, PLAY, held[0])
        await anna.wait_for(anna.im, "anna plays ")
        assert choices(told, PLAY) == held[1:], "in its place"
        assert (await (await anna.slash(anna.im, "/hand", "")).modal()).title == "Your hand"

        socket_slack.limits.trigger_seconds = -1.0
        assert (await say(anna, games, "/deck", "draw standard-52 2 me")).ephemeral_for in (
            None,
            anna.id,
        )
        late = await say(anna, games, "/hand", "")
        assert late.ephemeral_for == anna.id
        held = choices(late, PLAY)
        await anna.choose(late, PLAY, held[0])
        await anna.wait_for(games, "anna plays ")
        shown = await say(anna, games, "/hand", "")
        assert choices(shown, PLAY) == held[1:]


async def test_a_window_follows_what_is_typed_elsewhere(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        await gather(anna, ben, games)
        await say(anna, games, "/deck", 'make "101..140" cup')
        dealt = await say(anna, games, "/deck", "deal 3")
        view, theirs = [await (await one.press(dealt, "Your hand")).modal() for one in (anna, ben)]
        held, other = choices(view, PLAY), choices(theirs, PLAY)[0]
        await say(anna, games, "/deck", f"play {held[0]}")
        await slack.watch.until(
            lambda: choices(view, PLAY) == held[1:] or None, timeout=30, what="played by text"
        )
        await say(ben, games, "/deck", f"give {other} US")
        await slack.watch.until(
            lambda: choices(view, PLAY) == [*held[1:], other] or None,
            timeout=30,
            what="given by another",
        )
        await slack.watch.until(
            lambda: other not in choices(theirs, PLAY) or None, timeout=30, what="its giver"
        )
        seen = view.hash
        await say(ben, games, "/deck", "play all")
        await slack.watch.until(
            lambda: not choices(theirs, PLAY) or None, timeout=30, what="Ben's is empty"
        )
        assert view.hash == seen, "nobody else's window changes"
        await anna.close(view)
        await say(anna, games, "/deck", "play all")
        told = await (await ben.slash(games, "/hand", "")).modal()
        assert told.title == "Your hand is empty"


async def test_a_window_that_slack_asks_to_wait_for_is_followed_all_the_same(
    slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(slack)
    async with running(slack, tmp_path, home):
        await gather(anna, ben, games)
        await say(anna, games, "/deck", 'make "101..140" cup')
        dealt = await say(anna, games, "/deck", "deal 3")
        view = await (await anna.press(dealt, "Your hand")).modal()
        held = choices(view, PLAY)
        limit = slack.faults.ratelimit("views.update", times=2)
        await say(anna, games, "/deck", f"play {held[0]}")
        await slack.watch.until(
            lambda: choices(view, PLAY) == held[1:] or None, timeout=30, what="asked to wait twice"
        )
        assert limit.hits == 2
        slack.faults.ratelimit("views.update")
        await anna.choose(view, PLAY, held[1])
        await ben.wait_for(games, f"anna plays {held[1]}")
        await slack.watch.until(
            lambda: choices(view, PLAY) == held[2:] or None, timeout=30, what="a press that waits"
        )
        await say(anna, games, "/deck", f"play {held[2]}")
        await slack.watch.until(
            lambda: not choices(view, PLAY) or None, timeout=30, what="and what is typed then"
        )
