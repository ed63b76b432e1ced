"""Two sides, six units, two turns of Lock 'n Load; exported, imported into a fresh database,
verified.
"""

from __future__ import annotations

import json
from pathlib import Path

from bot.app import App
from bot.game.state import get_undoable_content
from bot.storage.sqlite import SqliteStore
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check_file
from bot.verification.check_games import audit_games
from tests.playing import Channel, two_sides


def units_of(reply: Reply) -> str:
    return "\n".join(reply.format_body())


async def test_two_turns_of_hill_875(tmp_path: Path) -> None:
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        channel = Channel(App(store))
        await two_sides(channel)
        await channel.do("Anna", 'fair add "nobody knew this"')

        # Turn 1: fire by hand so that the story is known; the result stands in the roster.
        reply = await channel.do("Anna", "game next")
        assert "Operations" in reply.title
        fired = await channel.do(
            "Anna",
            'lnlt fire attackers="Squad 1; us2" targets="Cell 1; vc2" adjacent hand=6,1,5,1,6',
        )
        assert "Cell 1" in fired.title
        assert "rolled by hand" in fired.footer
        game = await channel.game()
        assert game.units["squad 1"].marks == {"fired"}
        assert game.units["cell 1"].state or game.units["cell 1"].type == "half-squad"

        # With the game's own dice; undone with consent, brought back.
        before = await channel.content()
        rolled = await channel.do("Bob", 'lnlt fire attackers="Tran fp=3" targets="Squad 2; us3"')
        number = rolled.footer[0]
        after = await channel.content()
        asked = await channel.do("Bob", "game undo")
        assert "Anna" in asked.format_text()
        assert [button.label for button in asked.buttons] == ["Agree", "Refuse"]
        await channel.refused("Bob", "game undo", "asked-already")
        assert await channel.content() == after
        taken = await channel.press("Anna", asked.buttons[0].action)
        assert "Bob asked, Anna agreed" in taken.first_line
        assert await channel.content() == before
        asked = await channel.do("Bob", "game redo")
        assert await channel.content() == before, (
            "what was undone by agreement comes back by agreement"
        )
        back = await channel.press("Anna", asked.buttons[0].action)
        assert back.first_line == f"{number} is back · Bob asked, Anna agreed"
        assert await channel.content() == after

        # Melee, then the turn ends: markers come off.
        await channel.do("Anna", "unit edit us1 state=good-order", "game next")
        assert not any(unit.marks for unit in (await channel.game()).units.values())
        turn = await channel.do("Anna", "game next")
        assert turn.title == "Turn 2, Rally: both sides"

        # Turn 2: rally, a sealed check, a melee.
        await channel.do("Bob", "unit edit vc3 state=shaken")
        rallied = await channel.do("Bob", "lnlt rally units=Tran rallier=none hand=1,1")
        assert rallied.title == "Tran rallies"
        assert (await channel.game()).units["tran"].state == "good-order"
        await channel.do("Bob", "unit add Guard squad VC morale=4 fp=1")
        melee = await channel.do(
            "Anna", 'lnlt melee attackers="Squad 1" defenders="Guard" hand=6,6,1,1'
        )
        assert "Guard" in melee.format_text()
        assert (await channel.game()).units["guard"].state == "eliminated"
        assert "VC lost: Cell 1 and Guard" in units_of(await channel.say("Bob", "unit list"))
        assert "Lost" not in units_of(await channel.say("Bob", "unit list all"))

        await channel.do("Anna", "unit edit us3 state=good-order")
        state = await channel.content()
        sealed = await channel.do("Anna", 'lnlt morale-check units="Lt Hill" secret')
        assert sealed.private
        assert sealed.announce is not None
        assert "sealed" in sealed.announce.title
        assert "morale" not in sealed.announce.format_text().casefold()
        assert await channel.content() == state
        await channel.refused("Bob", f"game reveal {sealed.announce.footer[0][1:]}", "not-yours")

        export = await channel.do("Anna", "game export")
        data = json.loads(export.files[0].text)
        assert not any(seed.get("seed") for seed in data["seeds"])
        assert not any(text["key"] == "sealed" for text in data["texts"])

        opened = await channel.press("Anna", sealed.announce.buttons[0].action)
        assert opened.by == f"{sealed.announce.footer[0]}, opened by Anna"
        await channel.do("Anna", "fair reveal")
        whole = await channel.do("Anna", "game export")
        state = await channel.content()
        assert (await audit_games(store)) == (1, [])

    file = tmp_path / "game.json"
    file.write_text(whole.files[0].text)
    head = json.loads(whole.files[0].text)["head"]
    assert check_file(file, [head[:8]]).faults == ()

    async with await SqliteStore.open(tmp_path / "fresh.db") as store:
        other = Channel(App(store))
        reply = await other.app.run(
            _import_command(other, whole.files[0].text),
        )
        assert not reply.error, reply.format_text()
        await other.do("Anna", "game claim")
        await other.do("Bob", "game claim")
        assert await other.content() == state
        await other.do("Bob", "game next")
        await other.do("Anna", "roll 2d6")
        again = await other.do("Anna", "game export")
        (tmp_path / "again.json").write_text(again.files[0].text)
        assert check_file(tmp_path / "again.json", [head]).faults == ()
        assert (await audit_games(store)) == (1, [])
        loaded = await other.app.games.load_current(other.place.key)
        assert loaded is not None
        assert get_undoable_content(loaded.game)["phase"] == "operations"


def _import_command(channel: Channel, text: str):  # type: ignore[no-untyped-def]
    from bot.ui.spec import Command

    return Command(
        ("game", "import"), {"file": text}, channel.who("Anna"), channel.place, "import-1"
    )
