"""Help on Slack, through the real library: one private message that turns, and a greeting that
is answered.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from adapters.slack.home import Home
from adapters.slack.request import Json
from adapters.slack.request_handler import RequestHandler
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn

pytestmark = pytest.mark.scenes(2)


async def test_help_turns_and_a_greeting_is_answered(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        first = await (await anna.slash(games, "/help")).answer()
        assert first.ephemeral_for == anna.id
        sets = await (await anna.choose(first, "a:menu-0", "help:lnlt")).answer()
        assert "*Attacks:* fire, melee" in str(sets.blocks)
        assert not [message for message in anna.sees(games) if "Grognard fights" in message.plain]
        shot = await (await anna.slash(games, "/lnlt", "fire help")).answer()
        assert shot.ephemeral_for == anna.id
        odds = await (await anna.press(shot, "Try it")).answer()
        assert odds.ephemeral_for == anna.id
        hello = await (await ben.mention(games, "hello there")).answer()
        assert hello.plain.startswith("*Hello. Grognard")
    assert socket_slack.refusals == []


async def test_the_home_shows_ones_games_and_plays_them(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    """Anna passes from her home; the channel sees it, and Ben's home says that it is his go."""
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await anna.open_home("runs tabletop wargames in chat")
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await (await anna.slash(games, "/game", "join US")).answer()
        await (await ben.slash(games, "/game", "join VC")).answer()
        for line in ("initiative US", "next"):
            await (await anna.slash(games, "/game", line)).answer()
        shown = await anna.open_home("It's your move in 1 of 1 game")
        assert "*Hill 875*" in str(shown.blocks)
        form = await (await anna.press(shown, "Fire")).modal()
        assert form.title == "Direct fire"
        assert f"<#{games.id}>" in str(shown.blocks), "where it is"
        assert "turn passed: <!date^" in str(shown.blocks), "since when it waits"
        before = len(anna.sees(games))
        board = await (await anna.press(shown, "Board")).modal()
        assert "Turn 1, Operations" in str(board.blocks)
        assert len(anna.sees(games)) == before, "a private page posts nothing"
        await ben.open_home("Nobody is waiting for you in 1 game")
        told = await (await anna.press(shown, "Pass")).modal()
        assert "VC to play" in str(told.blocks)
        await anna.wait_for(games, "VC to play")
        await ben.home_says("in 1 of 1")
        await anna.home_says("Nobody is waiting")
        again = await anna.open_home()
        rolls = await (await anna.press(again, "Roll…")).modal()
        assert rolls is not None
    assert socket_slack.refusals == []


async def test_a_game_begun_at_home_is_in_the_channel_that_was_picked(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    elsewhere, theirs = (
        home.channel("elsewhere", bot_member=False),
        home.channel("theirs", members=[ben]),
    )
    async with running(socket_slack, tmp_path, home):
        shown = await anna.open_home()
        for channel, wrong in (
            (elsewhere, "The bot is not in that channel"),
            (theirs, "You are not in that channel"),
        ):
            told = await (await anna.choose(shown, "a:start", channel.id)).modal()
            assert wrong in str(told.blocks)
        form = await (await anna.choose(shown, "a:start", games.id)).modal()
        assert form.title == "Start a game"
        await anna.submit(form, {"scenario": {"value": "lnlt/ford"}})
        started = await anna.wait_for(games, "The Ford at Dawn")
        assert not started.ephemeral_for
        assert not [one for one in anna.sees(anna.im) if "The Ford" in one.everything]
    assert socket_slack.refusals == []


async def test_whoever_has_left_the_channel_reads_nothing_of_it_at_home(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await (await anna.slash(games, "/game", "join US")).answer()
        await (await anna.slash(games, "/roll", "2d6 label=unseen")).answer()
        # as it still stands on a screen which is behind
        shown = replace(await anna.open_home("Hill 875"))
        games.members = {ben.id}
        told = await (await anna.press(shown, "Since I left")).modal()
        assert "There's no game here" in str(told.blocks)
        assert "unseen" not in str(told.blocks)


async def test_of_two_drawings_of_a_home_that_overtake_each_other_the_later_one_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first hangs on its way to Slack while something happens and the home is opened once
    more.
    """
    games, shown, slow = ["Hill 875"], list[str](), [asyncio.Event()]

    async def find(_: Any) -> Any:
        return SimpleNamespace(id="T1", token="xoxb")

    async def call(*_: Any, view: Json, **__: Any) -> None:
        if slow:
            await slow.pop().wait()
        shown.append(view["blocks"][0])

    async def blocks(*_: Any) -> list[str]:
        return [" ".join(games)]

    async def ack() -> None:
        return

    there = SimpleNamespace(find=find)
    home = Home(
        cast(
            "RequestHandler",
            SimpleNamespace(teams=there, people=there, wire=SimpleNamespace(call=call)),
        )
    )
    monkeypatch.setattr(home, "_build_blocks", blocks)
    body = {"team_id": "T1", "event": {"tab": "home", "user": "U1"}}
    gate = slow[0]
    async with asyncio.timeout(60), asyncio.TaskGroup() as both:
        both.create_task(home.on_opened(ack, body))
        while slow:  # noqa: ASYNC110
            await asyncio.sleep(0)
        games.append("The Ford")
        both.create_task(home.on_opened(ack, body))
        for _ in range(20):
            await asyncio.sleep(0)
        gate.set()
    assert shown == ["Hill 875", "Hill 875 The Ford"]


async def test_shortcuts_of_a_message_work_in_its_thread(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        await (await anna.slash(games, "/game", "join US")).answer()
        start = next(one for one in anna.sees(games) if "Hill 875" in one.everything)
        rolled = await (await anna.mention(games, "roll 2d6", thread=start.ts)).answer()
        undone = await (await anna.shortcut("undo", rolled)).answer()
        assert "takes back" in undone.everything or "undo" in undone.everything.casefold()
        told = await (await anna.shortcut("odds", start)).answer()
        assert "has no roll to undo" in told.everything
        assert (await (await anna.shortcut("roll")).modal()).title == "Roll dice"
        assert (await (await anna.shortcut("fire")).modal()).title == "Direct fire"
    assert socket_slack.refusals == []


async def test_the_shortcut_fire_opens_the_game_whose_units_fire(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    """A game of ASL is listed first, as both sides have its go; but it knows no shot with units."""
    home, anna, _, games = settle(socket_slack)
    woods = home.channel("woods")
    async with running(socket_slack, tmp_path, home):
        nobody = await (await anna.shortcut("fire")).answer()
        assert "None of your games here has a unit that can fire" in nobody.everything
        await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
        for line in ("join US", "initiative VC", "next"):
            await (await anna.slash(games, "/game", line)).answer()
        await (await anna.slash(woods, "/game", 'start asl "Gavutu" sides="US, Japan"')).answer()
        await (await anna.slash(woods, "/game", "join US")).answer()
        alone = await (await anna.shortcut("fire")).modal()
        assert alone.title == "Direct fire", alone.title
        shown = str((await anna.open_home()).blocks)
        assert shown.index("Gavutu") < shown.index("Hill 875"), "the other one was listed first"
    assert socket_slack.refusals == []


async def test_grognard_alone_opens_a_picker_of_everything(
    socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    home, anna, _, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        anna.admin = True
        await (await anna.slash(games, "/setup", "systems lnlt ucn")).answer()
        picker = await (await anna.slash(games, "/grognard", "")).modal()
        groups = [group["label"]["text"] for group in picker.elements()[0][1]["option_groups"]]
        assert {"lnlt", "ucn", "game"} <= set(groups)
        assert not {"asl", "baps", "nhis"} & set(groups), "they are switched off here"
        await anna.submit(picker, {"command": {"value": "lnlt fire"}})
        form = anna.modal()
        assert form is not None
        assert form.title == "Direct fire"
    assert socket_slack.refusals == []
