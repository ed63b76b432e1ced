"""An evening on Discord, the bot as its own process: a game in a channel or thread, forms, a restart, and on in a DM.

The same game is then played on the console's side of the house, with the same dice, and must stand the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.app import App
from bot.game.loaded import load
from bot.game.state import content
from bot.interface.spec import Person, Place
from bot.stores.sqlite import SqliteStore
from tests.adapters.discord.process import running
from tests.fresh import fresh_app
from tests.standins.discord import Channel, DiscordStandIn, Message
from tests.standins.discord import Person as Player

CONSOLE = [
    ("Anna", '/game start lnlt "Hill 875" sides="US, VC"'),
    ("Anna", "/game join US"),
    ("Ben", "/game join VC"),
    ("Anna", '/unit add "Squad 1..3" squad US morale=5 fp=2'),
    ("Ben", '/unit add "Cell 1..3" squad VC morale=5 fp=1'),
    ("Anna", '/lnlt fire attackers="Squad 1; Squad 2" targets="Cell 1" adjacent lm=1 hand=6,2,4'),
    ("Anna", "/game next"),
    ("Ben", '/lnlt rally "Cell 1" hand=1,2'),
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
        reply = await app.run_text(text, Person(f"console:{name.casefold()}", name), place, str(number))
        assert not reply.error, reply.text()
    return await state_of(app, place.key)


async def state_of(app: App, place: str) -> dict[str, object]:
    """The game's state with the players' names for their random ids."""
    saved = await app.store.load_game(place)
    assert saved is not None
    game = load(saved)
    names = {row.person: row.name for row in saved.persons}
    state = content(game.game)
    state["players"] = {names[person]: side for person, side in state["players"].items()}
    state["master"] = names.get(str(state["master"]), "")
    return state


async def say(player: Player, where: Channel, path: str, **options: object) -> Message:
    """The answer to a slash command, which must not be an error."""
    answer = await (await player.slash(where, path, **options)).answer()
    assert not answer.content.startswith("Error"), answer.text
    return answer


async def fight_by_form(anna: Player, table: Channel) -> Message:
    """A fire attack without typing a unit's numbers: one form, its odds first, a mistake mended, own dice by keypad."""
    opened = await anna.slash(table, "lnlt fire")
    attackers, targets = (part["component"]["options"] for part in opened.modal["components"][:2])
    assert [option["label"] for option in attackers][:3] == ["Squad 1", "Squad 2", "Squad 3"]
    assert targets[0]["label"] == "Cell 1"
    wrong: dict[str, object] = {
        "Who fires": ["Squad 1", "Squad 2"],
        "At whom": ["Cell 1"],
        "Terrain and modifiers": ["Adjacent +2"],
    }
    wrong |= {"Numbers and rarer modifiers": "terrain much, leader's modifier 1"}
    refused = await (await anna.submit_modal(opened, wrong)).answer()
    assert "tm must be a whole number" in refused.text
    opened = await anna.press(refused, "Fix it")
    assert [
        option["label"] for option in opened.modal["components"][0]["component"]["options"] if option.get("default")
    ] == [
        "Squad 1",
        "Squad 2",
    ]
    mended = {"Numbers and rarer modifiers": "leader's modifier 1", "Do what": "Show the odds first"}
    odds = await (await anna.submit_modal(opened, mended)).answer()
    assert odds.ephemeral
    assert "casualties" in odds.text
    opened = await anna.press(odds, "Change…")
    keypad = await (await anna.submit_modal(opened, {"Do what": "I roll my own dice"})).answer()
    assert keypad.ephemeral
    assert keypad.content.replace("*", "") == "Next: attack (d6)"
    await anna.press(keypad, "6")
    assert keypad.content.replace("*", "") == "1 die in. Next: defense (d6)", "the same message goes on"
    await anna.press(keypad, "2")
    assert keypad.content.replace("*", "") == "2 dice in. Next: damage check Cell 1 (d6)"
    fought = await (await anna.press(keypad, "4")).answer()
    again = await (await anna.press(odds, "Roll it")).answer()
    assert "Already done" in again.content, "the odds were of the same form, which fires once"
    return fought


@pytest.mark.slow
@pytest.mark.parametrize("place", ["channel", "thread"])
async def test_an_evening_with_a_restart_ends_as_on_the_console(place: str, tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord:
        table = discord.channel("table")
        if place == "thread":
            table = discord.thread("Hill 875", table)
        anna, ben, carl = discord.user("Anna"), discord.user("Ben"), discord.user("Carl")
        async with running(discord, tmp_path) as bot:
            await say(anna, table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
            await say(anna, table, "game join", side="US")
            await say(ben, table, "game join", side="VC")
            await say(anna, table, "unit add", name="Squad 1..3", type="squad", side="US", stats="morale=5 fp=2")
            await say(ben, table, "unit add", name="Cell 1..3", type="squad", side="VC", stats="morale=5 fp=1")

            fought = await fight_by_form(anna, table)
            assert not fought.ephemeral
            assert fought.content.replace("*", "").startswith("Cell 1 takes casualties")
            assert fought in carl.sees(table)
            await say(anna, table, "game next")

            shaken, *_ = await ben.autocomplete(table, "lnlt rally", "units", "cell 1")
            assert shaken.name == "Cell 1 (vc1, half-squad, shaken)"
            await say(ben, table, "lnlt rally", units=shaken.value, hand="1,2")

            # typed, with every value taken from the lists that are offered
            first = await anna.autocomplete(table, "lnlt melee", "attackers", "squ")
            assert first[0].value == "Squad 1"
            both = [choice.value for choice in await anna.autocomplete(table, "lnlt melee", "attackers", "Squad 1; s")]
            assert "Squad 1; Squad 2" in both
            assert "Squad 1; Squad 1" not in both
            mauled = await say(
                anna, table, "lnlt melee", attackers="Squad 1; Squad 2", defenders="Cell 2", hand="6,5,1,1"
            )
            assert "dice by hand" in mauled.text

            await bot.kill()
            await bot.start()

            # a button from before the restart
            asked = await (await anna.press(mauled, "Undo")).answer()
            assert (await (await carl.press(asked, "Agree")).answer()).ephemeral
            taken_back = await (await ben.press(asked, "Agree")).answer()
            assert "is undone" in taken_back.text
            asked = await say(anna, table, "game redo")
            await (await ben.press(asked, "Agree")).answer()
            await say(ben, table, "lnlt fire", attackers="Cell 3", targets="Squad 3", tm=1, hand="5,1,6")
            await say(anna, table, "game next")

            sealed = await say(ben, table, "roll", dice="2d6", label="ambush", secret=True, hand="3,4")
            assert sealed.ephemeral
            told = await discord.message(table, "Ben makes a sealed roll")
            assert not told.ephemeral
            assert "7 for ambush" not in told.text
            assert (await (await anna.press(told, "Open it")).answer()).ephemeral
            opened = await (await ben.press(told, "Open it")).answer()
            assert "7 for ambush" in opened.text

            # a channel of its own is another table; the game comes along to a DM as a file, and goes on there
            assert "free play begins" in (await say(anna, discord.channel("hall"), "roll", dice="2d6")).text
            [(name, exported)] = (await say(anna, table, "game export")).files.items()
            await say(anna, anna.dm(), "game import", file=(name, exported))
            assert not (await say(anna, anna.dm(), "roll", dice="1d20")).ephemeral
            assert (await say(anna, anna.dm(), "help", topic="lnlt fire")).ephemeral
            ours = [m for m in discord.messages(table) if m.author is discord.world.bot]
            called = {who for message in ours for who in message.pings}
            assert called == {str(ben.id)}, "it was Anna who moved on"

        store = await SqliteStore.open(tmp_path / "grognard.db")
        app = await App.open(store)
        try:
            ended = await state_of(app, f"discord:{discord.guild.id}/{table.id}")
            alone = await state_of(app, f"discord:dm/{anna.dm().id}")
        finally:
            await app.close()
        assert ended == await on_the_console()
        assert alone == ended
