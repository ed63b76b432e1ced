"""An evening on Slack with the bot as its own process: the scenario that Discord plays, with Slack's own manners.

Commands, a form, buttons, a thread by mentions, a restart in the middle; the game must end as on the console.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.stores.sqlite import SqliteStore
from tests.adapters.discord.test_evening import on_the_console, state_of
from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, Message, SlackStandIn, User


async def say(player: User, where: Channel, command: str, text: str = "") -> Message:
    """The answer to a slash command, which must not be an error."""
    handle = await player.slash(where, command, text)
    assert handle.in_time
    answer = await handle.answer()
    assert "Error" not in answer.text, answer.text
    return answer


async def fight_by_form(anna: User, games: Channel) -> Message:
    """A fire attack by the form, wrong at first; then the same with the mistake put right."""
    asked = await anna.slash(games, "/lnlt", "fire")
    view = await asked.modal()
    fields: dict[str, dict[str, Any]] = {
        "attackers": {"value": ["Squad 1", "Squad 2"]},
        "targets": {"value": ["Cell 1"]},
        "flags": {"value": ["adjacent"]},
        "tm": {"value": 0},
        "how": {"value": "hand"},
        "rest": {"value": "at whom Cell 9, leader's modifier 1"},
        "lm": {"value": 1},
    }
    await anna.press(view, "More fields")
    await anna.workspace.slack.watch.until(lambda: "lm" in anna.open_modal_state(view), timeout=30, what="more fields")
    refused = await anna.submit(view, fields)
    assert list(refused.errors) == ["targets"]
    assert "There is no Cell 9." in refused.errors["targets"]
    mended = await anna.submit(view, {"rest": {"value": ""}})
    assert mended.errors == {}
    assert anna.modal() is None
    answer = await asked.answer()
    for face in ("6", "2", "4"):
        answer = await (await anna.press(answer, face)).answer()
    return answer


@pytest.mark.slow
async def test_an_evening_with_a_restart_ends_as_on_the_console(slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(slack)
    carl = home.user("Carl")
    async with running(slack, tmp_path, home) as bot:
        await say(anna, games, "/game", 'start lnlt "Hill 875" sides="US, VC"')
        await say(anna, games, "/game", "join US")
        await say(ben, games, "/grognard", "game join VC")
        await say(anna, games, "/unit", 'add "Squad 1..3" squad US morale=5 fp=2')
        await say(ben, games, "/unit", 'add "Cell 1..3" squad VC morale=5 fp=1')

        fought = await fight_by_form(anna, games)
        assert fought.ephemeral_for is None
        assert fought.text.startswith("Cell 1 takes casualties")
        assert fought in carl.sees(games)
        await (await anna.mention(games, "game next")).answer()
        await say(ben, games, "/lnlt", 'rally "Cell 1" hand=1,2')
        mauled = await say(anna, games, "/lnlt", 'melee attackers="Squad 1; Squad 2" defenders="Cell 2" hand=6,5,1,1')
        assert "dice by hand" in mauled.plain

        await bot.kill()
        await asyncio.sleep(1.1)  # Slack takes a message a second; a start by fork is quicker, and knows of none
        await bot.start()

        # a button from before the restart
        asked = await (await anna.press(mauled, "Undo")).answer()
        assert (await (await carl.press(asked, "Agree")).answer()).ephemeral_for == carl.id
        taken_back = await (await ben.press(asked, "Agree")).answer()
        assert "is undone" in taken_back.text
        await say(anna, games, "/game", "redo")
        await say(ben, games, "/game", "redo")
        await say(ben, games, "/lnlt", 'fire attackers="Cell 3" targets="Squad 3" tm=1 hand=5,1,6')
        await say(anna, games, "/game", "next")

        secret = await ben.slash(games, "/roll", "2d6 label=ambush secret hand=3,4")
        own, told = sorted(await secret.answers(2), key=lambda one: one.ephemeral_for is None)
        assert own.ephemeral_for == ben.id
        assert "7 for ambush" not in told.everything
        assert (await (await anna.press(told, "Open it")).answer()).ephemeral_for == anna.id
        assert "7 for ambush" in (await (await ben.press(told, "Open it")).answer()).plain

        # a thread plays the channel's game, by mentions; what is private stays private
        thread = await (await anna.mention(games, "roll 1d20", thread=fought.ts)).answer()
        assert thread.thread_ts == fought.ts
        assert "free play begins" not in thread.plain
        again = await (await anna.press(thread, "Again")).answer()
        assert again.thread_ts == fought.ts
        helped = await (await ben.mention(games, "help lnlt fire", thread=fought.ts)).answer()
        assert helped.ephemeral_for == ben.id
        assert helped.thread_ts == fought.ts

        # the game comes along into direct messages as a file, and goes on there
        await say(anna, games, "/game", "export")
        exported = [one for one in anna.sees(anna.im) if one.files][-1].files[0]
        await (await anna.dm("game import", files={exported.name: exported.data})).answer()
        assert "rolls d20" in (await (await anna.dm("roll 1d20")).answer()).text

    assert slack.refusals == []
    app = await App.open(await SqliteStore.open(tmp_path / "grognard.db"))
    try:
        ended = await state_of(app, f"slack:{home.id}/{games.id}")
        alone = await state_of(app, f"slack:{home.id}/{anna.im.id}")
    finally:
        await app.close()
    assert alone == ended
    ended["players"] = {name.title(): side for name, side in ended["players"].items()}  # type: ignore[attr-defined]
    ended["master"] = str(ended["master"]).title()
    assert ended == await on_the_console()
