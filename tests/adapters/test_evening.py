"""An evening on each platform, the bot as its own process: commands, a form, buttons, a restart,
and on in a DM.

The same game is then played on the console's side of the house, with the same dice, and must stand
the same.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Person, Place
from tests.adapters.evening import OnDiscord, OnSlack, Platform, Table, on_discord, on_slack
from tests.adapters.evening_helpers import (
    state_of,
)
from tests.fresh import fresh_app
from tests.standins import discord as d
from tests.standins import slack as s

CONSOLE = [
    ("Anna", '/game start lnlt "Hill 875" sides="US, VC"'),
    ("Anna", "/game join US"),
    ("Ben", "/game join VC"),
    ("Anna", '/unit add "Squad 1..3" squad US morale=5 fp=2'),
    ("Ben", '/unit add "Cell 1..3" squad VC morale=5 fp=1'),
    ("Anna", '/lnlt fire attackers="Squad 1; Squad 2" targets="Cell 1" adjacent lm=1 hand=6,2,4'),
    ("Anna", "/game next"),
    ("Ben", '/lnlt rally "Cell 1" rallier=leader hand=1,2'),
    ("Anna", '/lnlt melee attackers="Squad 1; Squad 2" defenders="Cell 2" hand=6,5,1,1'),
    ("Anna", "/game undo"),
    ("Ben", "/game undo"),
    ("Anna", "/game redo"),
    ("Ben", "/game redo"),
    ("Ben", '/lnlt fire attackers="Cell 3" targets="Squad 3" tm=1 hand=5,1,6'),
    ("Anna", "/game next"),
    ("Ben", "/roll 2d6 label=ambush secret hand=3,4"),
    ("Ben", "/game reveal 14"),
]


async def on_the_console() -> dict[str, object]:
    """The state of the game after all lines of the console."""
    app = await fresh_app()
    place = Place("console:main", "console")
    for number, (name, text) in enumerate(CONSOLE):
        reply = await app.run_text(
            text, Person(f"console:{name.casefold()}", name), place, str(number)
        )
        assert not reply.error, reply.format_text()
    return await state_of(app, place.key)


async def form_on_discord(e: OnDiscord) -> d.Message:
    """A fire attack without typing a unit's numbers: one form, its odds first, a mistake mended,
    own dice by keypad.
    """
    anna = e.people["Anna"]
    opened = await anna.slash(e.table, "lnlt fire")
    attackers, targets = (part["component"]["options"] for part in opened.modal["components"][:2])
    assert [option["label"] for option in attackers][:3] == ["Squad 1", "Squad 2", "Squad 3"]
    assert targets[0]["label"] == "Cell 1"
    wrong: dict[str, object] = {
        "Who's firing": ["Squad 1", "Squad 2"],
        "Targets": ["Cell 1"],
        "Terrain and modifiers": ["Adjacent +2"],
    }
    wrong |= {"Other modifiers": "terrain much, leader's modifier 1"}
    refused = await (await anna.submit_modal(opened, wrong)).answer()
    assert "tm must be a whole number" in refused.text
    opened = await anna.press(refused, "Fix it")
    assert [
        option["label"]
        for option in opened.modal["components"][0]["component"]["options"]
        if option.get("default")
    ] == [
        "Squad 1",
        "Squad 2",
    ]
    mended = {
        "Other modifiers": "leader's modifier 1",
        "What now?": "Show the odds first",
    }
    odds = await (await anna.submit_modal(opened, mended)).answer()
    assert odds.ephemeral
    assert "casualties" in odds.text
    opened = await anna.press(odds, "Change…")
    keypad = await (await anna.submit_modal(opened, {"What now?": "Enter my own dice"})).answer()
    assert keypad.ephemeral
    assert keypad.content.replace("*", "") == "Next: attack (d6)"
    await anna.press(keypad, "6")
    assert keypad.content.replace("*", "") == "Got 1 die. Next: defense (d6)", (
        "the same message goes on"
    )
    await anna.press(keypad, "2")
    assert keypad.content.replace("*", "") == "Got 2 dice. Next: damage check Cell 1 (d6)"
    fought = await (await anna.press(keypad, "4")).answer()
    again = await (await anna.press(odds, "Roll it")).answer()
    assert "Already done" in again.content, "the odds were of the same form, which fires once"
    return fought


async def form_on_slack(e: OnSlack) -> s.Message:
    """A fire attack by the form, wrong at first; then the same with the mistake put right."""
    anna = e.people["Anna"]
    asked = await anna.slash(e.games, "/lnlt", "fire")
    view = await asked.modal()
    fields: dict[str, dict[str, Any]] = {
        "attackers": {"value": ["Squad 1", "Squad 2"]},
        "targets": {"value": ["Cell 1"]},
        "?flags": {"value": ["adjacent"]},
        "tm": {"value": 0},
        "?how": {"value": "hand"},
        "?rest": {"value": "targets Cell 9, leader's modifier 1"},
        "lm": {"value": 1},
    }
    await anna.press(view, "More fields")
    await anna.workspace.slack.watch.until(
        lambda: "lm" in anna.open_modal_state(view), timeout=30, what="more fields"
    )
    refused = await anna.submit(view, fields)
    assert list(refused.errors) == ["targets"]
    assert "There is no Cell 9." in refused.errors["targets"]
    mended = await anna.submit(view, {"?rest": {"value": ""}})
    assert mended.errors == {}
    assert anna.modal() is None
    answer = await asked.answer()
    for face in ("6", "2", "4"):
        answer = await (await anna.press(answer, face)).answer()
    return answer


async def names_on_discord(e: OnDiscord) -> None:
    """What is offered while values are typed."""
    anna, ben = e.people["Anna"], e.people["Ben"]
    shaken, *_ = await ben.autocomplete(e.table, "lnlt rally", "units", "cell 1")
    assert (shaken.name, shaken.value) == ("Cell 1 (vc1, half-squad, shaken)", "Cell 1")
    first = await anna.autocomplete(e.table, "lnlt melee", "attackers", "squ")
    assert first[0].value == "Squad 1"
    both = [
        choice.value
        for choice in await anna.autocomplete(e.table, "lnlt melee", "attackers", "Squad 1; s")
    ]
    assert "Squad 1; Squad 2" in both
    assert "Squad 1; Squad 1" not in both


async def on_in_a_dm_of_discord(e: OnDiscord) -> str:
    """A channel of its own is another table; the game comes along to a DM as a file, and goes on
    there: its place.
    """
    anna = e.people["Anna"]

    async def say(where: d.Channel, path: str, **options: object) -> d.Message:
        answer = await (await anna.slash(where, path, **options)).answer()
        assert not answer.content.startswith("Error"), answer.text
        return answer

    assert "free play begins" in (await say(e.discord.channel("hall"), "roll", dice="2d6")).text
    [(name, exported)] = (await say(e.table, "game export")).files.items()
    await say(anna.dm(), "game import", file=(name, exported))
    assert not (await say(anna.dm(), "roll", dice="1d20")).ephemeral
    assert (await say(anna.dm(), "help", topic="lnlt fire")).ephemeral
    assert {*e.calls()} == {"Ben"}, "it was Anna who moved on"
    return f"discord:dm/{anna.dm().id}"


async def on_in_a_dm_of_slack(e: OnSlack, fought: s.Message) -> str:
    """A thread plays the channel's game, by mentions, and what is private stays private; the game
    comes along into direct messages as a file, and goes on there: its place."""
    anna, ben = e.people["Anna"], e.people["Ben"]
    thread = await (await anna.mention(e.games, "roll 1d20", thread=fought.ts)).answer()
    assert thread.thread_ts == fought.ts
    assert "free play begins" not in thread.plain
    again = await (await anna.press(thread, "Again")).answer()
    assert again.thread_ts == fought.ts
    helped = await (await ben.mention(e.games, "help lnlt fire", thread=fought.ts)).answer()
    assert helped.ephemeral_for == ben.id
    assert helped.thread_ts == fought.ts

    await e.typed("Anna", "game export")
    exported = [one for one in anna.sees(anna.im) if one.files][-1].files[0]
    await (await anna.dm("game import", files={exported.name: exported.data})).answer()
    assert "rolls d20" in (await (await anna.dm("roll 1d20")).answer()).text
    return f"slack:{e.home.id}/{anna.im.id}"


async def moved_on(e: Table) -> None:
    """The next phase, asked for by a mention where there are such."""
    if isinstance(e, OnSlack):
        await (await e.people["Anna"].mention(e.games, "game next")).answer()
    else:
        await e.say("Anna", "game next")


@pytest.mark.slow_sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "platform",
    [on_discord, partial(on_discord, thread=True), on_slack, partial(on_slack, transport="http")],
    ids=["discord", "thread", "slack", "slack-http"],
)
async def test_an_evening_with_a_restart_ends_as_on_the_console(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
        await e.say("Anna", "game join US")
        await e.say("Ben", f"{'grognard ' if isinstance(e, OnSlack) else ''}game join VC")
        await e.say("Anna", 'unit add "Squad 1..3" squad US stats="morale=5 fp=2"')
        await e.say("Ben", 'unit add "Cell 1..3" squad VC stats="morale=5 fp=1"')

        fought: Any = await (form_on_discord(e) if isinstance(e, OnDiscord) else form_on_slack(e))  # type: ignore[arg-type]
        assert not e.is_private(fought)
        assert e.first(fought).startswith("Cell 1 takes casualties")
        assert e.key(fought) in [e.key(one) for one in e.messages()], "Carl sees it"
        await moved_on(e)
        if isinstance(e, OnDiscord):
            await names_on_discord(e)
        await e.say("Ben", 'lnlt rally "Cell 1" rallier=leader hand=1,2')
        mauled = await e.say(
            "Anna", 'lnlt melee attackers="Squad 1; Squad 2" defenders="Cell 2" hand=6,5,1,1'
        )
        assert "rolled by hand" in e.words(mauled)

        await e.restarted()

        # a button from before the restart
        asked = await e.press("Anna", mauled, "Undo")
        await e.refused("Carl", asked, "Agree")
        assert "is undone" in e.words(await e.press("Ben", asked, "Agree"))
        asked = await e.say("Anna", "game redo")
        await (
            e.say("Ben", "game redo") if isinstance(e, OnSlack) else e.press("Ben", asked, "Agree")
        )
        await e.say("Ben", 'lnlt fire attackers="Cell 3" targets="Squad 3" tm=1 hand=5,1,6')
        await e.say("Anna", "game next")

        await e.alone("Ben", "roll 2d6 label=ambush secret hand=3,4", says="7 for ambush")
        told = await e.message("makes a sealed roll")
        assert not e.is_private(told)
        assert "7 for ambush" not in e.words(told)
        await e.refused("Anna", told, "Open it")
        assert "7 for ambush" in e.words(await e.pressed("Ben", told, "Open it"))
        if isinstance(e, OnSlack):
            own = await on_in_a_dm_of_slack(e, fought)
            assert e.slack.refusals == []
        else:
            assert isinstance(e, OnDiscord)
            own = await on_in_a_dm_of_discord(e)

    app = await App.open(await SqliteStore.open(tmp_path / "grognard.db"))
    try:
        ended, alone = await state_of(app, e.key_of_place), await state_of(app, own)
    finally:
        await app.close()
    assert alone == ended
    if isinstance(e, OnSlack):  # which shows names in small letters
        ended["players"] = {name.title(): side for name, side in ended["players"].items()}  # type: ignore[attr-defined]
        ended["master"] = str(ended["master"]).title()
    assert ended == await on_the_console()
