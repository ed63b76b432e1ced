"""Whoever wishes it is erased: looked for by name and id in every table, every file and every
copy, on both stores.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from itertools import count
from pathlib import Path

import pytest

from bot.app import App
from bot.commands.dispatch import SHARED_COMMANDS
from bot.runtime.settings import Settings
from bot.storage.base import DAY
from bot.storage.erased import FILE
from bot.storage.sqlite.schema import list_own_copies
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place, build_own_place
from tests.standins.postgres import PostgresServer

pytestmark = pytest.mark.sample(1)

NAME, ID = "Zenobia", "987654321012345678"
ZOE, BOB = Person(f"discord:{ID}", NAME), Person("discord:42", "Bob")
VERA = Person("discord:43", "Vera", manager=True)
HERE, ALONE = (
    Place("discord:55/900", "discord:55", "#games"),
    Place("discord:dm/77", name="direct message", owner=ZOE.key),
)
TOKEN = {"token": "t"}


class Bot:
    """An app on one of the stores, its data folder, and copies of its database."""

    def __init__(self, folder: Path, server: PostgresServer | None) -> None:
        self.folder, self.server = folder, server
        self.url = server.new_database() if server is not None else ""
        self._number = 0

    @asynccontextmanager
    async def running(self, clock: Callable[[], float] = time.time) -> AsyncIterator[App]:
        database = None if self.server is not None else self.folder / "grognard.db"
        app = await App.open(
            Settings(data=self.folder, database=database, postgres=self.url), clock
        )
        try:
            yield app
        finally:
            await app.close()

    def held(self) -> str:
        """All that is in the tables, and in the files of the folder."""
        found = [
            path.read_bytes().decode("latin-1")
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        ]
        if self.server is None:
            with closing(sqlite3.connect(self.folder / "grognard.db")) as conn:
                tables = [
                    name
                    for (name,) in conn.execute(
                        "SELECT name FROM sqlite_master WHERE type = 'table'"
                    )
                ]
                return "\n".join(
                    [
                        *found,
                        *(
                            repr(conn.execute(f"SELECT * FROM {name}").fetchall())
                            for name in tables
                        ),
                    ]
                )
        database = self.url.partition("?")[0].rpartition("/")[2]
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        tables = self.server.sql(database, listed).split()
        return "\n".join(
            [
                *found,
                *(self.server.sql(database, f"SELECT t::text FROM {name} AS t") for name in tables),
            ]
        )

    def copy(self) -> Path | str:
        """A copy as a host makes it, outside the folder."""
        self._number += 1
        if self.server is None:
            kept = self.folder.with_name(f"copy-{self._number}.db")
            with (
                closing(sqlite3.connect(self.folder / "grognard.db")) as old,
                closing(sqlite3.connect(kept)) as new,
            ):
                old.backup(new)
            return kept
        database, name = (
            self.url.partition("?")[0].rpartition("/")[2],
            f"copy_{id(self)}_{self._number}",
        )
        self.server.sql("postgres", f"CREATE DATABASE {name} TEMPLATE {database}")
        return self.server.url(name)

    def put_back(self, copy: Path | str) -> None:
        """Have a copy in place of the database."""
        if isinstance(copy, str):
            self.url = copy
            return
        for old in self.folder.glob("grognard.*db*"):
            old.unlink()
        shutil.copy(copy, self.folder / "grognard.db")


@pytest.fixture(params=["sqlite", "postgres"])
def bot(request: pytest.FixtureRequest, tmp_path: Path) -> Bot:
    return Bot(
        tmp_path / "data",
        request.getfixturevalue("postgres") if request.param == "postgres" else None,
    )


async def play(app: App) -> None:
    """An evening that leaves her everywhere: as a player, as one who is called, as one who is
    named by others.
    """
    number = 0

    async def do(who: Person, text: str, where: Place = HERE, delivered: bool = True) -> Reply:
        nonlocal number
        number += 1
        reply = await app.run_text(
            text, who, where, f"discord:{number}", TOKEN if delivered else {}
        )
        assert not reply.error, (text, reply.format_text())
        if reply.outbox and number % 2:
            await app.answers.mark_delivered(reply, spot={"channel": 900, "message": number})
        return reply

    await do(BOB, 'game start lnlt "Hill 875" sides="US, VC"')
    await do(ZOE, "game join US")
    await do(ZOE, "fair add lucky")
    await do(BOB, "roll 2d6")
    await do(BOB, "game join VC")
    await do(ZOE, 'unit add "Squad 1..2" squad US morale=5 fp=2')
    await do(BOB, 'unit add "Guards" squad VC morale=5 fp=2')
    await do(ZOE, "roll 2d6 label=mine")
    await do(ZOE, "roll 2d6 secret label=hidden")
    await do(ZOE, 'macro add h "roll 2d6"')
    await do(ZOE, "me ping interval=24h where=dm")
    await do(ZOE, "game board")
    await do(BOB, "game next")
    rolled = await do(ZOE, "roll d10")
    undo = next(button.action for button in rolled.buttons if button.label == "Undo")
    asked = await app.press(undo, BOB, HERE, "discord:900", TOKEN)
    assert asked.mention == (ZOE.key,), asked.format_text()
    await do(BOB, "game initiative US")
    await do(ZOE, "game pass")
    await do(BOB, "game board")
    await play_for_the_ladder(do)
    await do(ZOE, "roll d6", ALONE)
    await do(ZOE, "roll d8", build_own_place(ZOE.key))
    await app.promise_answer(
        Command(("roll",), {"dice": "2d6"}, ZOE, HERE, "discord:99", TOKEN), time.time() + 60
    )


async def play_for_the_ladder(do: Callable[..., Awaitable[Reply]]) -> None:
    """Three games of hers with Bob that count: confirmed, waiting, and one that she asks about."""
    await do(VERA, "setup ladder on")
    for number, channel in enumerate(("901", "902", "903")):
        where = Place(f"discord:55/{channel}", "discord:55")
        await do(BOB, 'game start lnlt "Hill 876" sides="US, VC"', where)
        await do(BOB, "game join VC", where)
        await do(ZOE, "game join US", where)
        await do(ZOE, "result count", where)
        if number < 2:
            await do(BOB, "result count", where)
            await do(BOB, "game end winner=VC confirm", where)
        if number == 0:
            await do(ZOE, "result confirm", where)
            await do(ZOE, "result strike", where)


async def erase(app: App) -> None:
    reply = await app.run_text("privacy delete confirm", ZOE, HERE, "discord:1000", {})
    assert reply.title == "Your name and texts are deleted", reply.format_text()
    await app.receipts.finish("discord:99")


def is_there(bot: Bot) -> list[str]:
    """Where she is still found."""
    held = bot.held()
    return [held[max(0, at - 80) : at + 40] for word in (NAME, ID) if (at := held.find(word)) >= 0]


async def test_who_is_erased_is_in_no_table_and_no_file(bot: Bot) -> None:
    async with bot.running() as app:
        await play(app)
        assert is_there(bot)
        await erase(app)
        assert is_there(bot) == []
        answer = await app.run_text("log 200", BOB, HERE, "log")
        assert "someone" in answer.format_text()
        assert NAME not in answer.format_text()
        assert not await app.store.check()
        again = await app.run_text("privacy delete confirm", ZOE, HERE, "discord:1000", {})
        assert again.seen
    assert is_there(bot) == []


WORDS = "quixotic zephyr"
"""How each text that she types begins; the number behind it tells where it came from."""
TYPED = {
    "game plan text": "game plan 2 {text}",
    "roll label": "roll 2d6 label={text}",
    "fair add text": "fair add {text}",
    "order write text": "order write {text}",
    "order write command": "order write command={command}",
    "deck make cards": "deck make {names} cup",
    "deck shuffle what": "deck shuffle {names}",
    "macro add text": "macro add h {command}",
    "seek game text": "seek game lnlt scenario=ford pace=evening text={text}",
    "game end text": "game end text={text} confirm",
}
"""A command with each free text that somebody may type, and what is kept of it."""
REASONS = {"result confirm reason", "result strike reason"}
"""Texts that only managers type: see `test_the_reasons_of_a_manager_are_erased`."""
STAYS = {
    **dict.fromkeys(
        (
            "game start name",
            "game start sides",
            "seek game name",
            "seek game sides",
            "unit add name",
            "unit import text",
        ),
        "names of the game",
    ),
    "deck make name": "the name of a deck",
    "macro add name": "goes with the macro, which is hers",
    **dict.fromkeys(("pack add text", "pack add deck"), "a pack is its author's"),
    "unit add reduced": "figures of a unit",
    **dict.fromkeys(("game link code", "seek link code"), "a code that the bot gave out"),
    **dict.fromkeys(
        ("log since", "order deadline within", "me ping interval", "me ping quiet"), "a time"
    ),
    **dict.fromkeys(
        ("setup links end", "deck play cards", "deck give cards"), "something that is named already"
    ),
    **dict.fromkeys(("deck discard cards", "deck return cards"), "something that is named already"),
    "seek game side": "one of the sides",
    "ladder player name": "the name of a player, which is looked up",
    **dict.fromkeys(("seek play id", "seek withdraw id"), "an id that the bot gave out"),
}
"""Options that hold no text of somebody's own, or one that PRIVACY.md says stays."""


def free_options() -> set[str]:
    """Return every option of the shared commands into which people type what they like."""
    found = set[str]()
    for spec in SHARED_COMMANDS:
        for option in spec.options:
            if option.type == "str" and not option.complete and option.name != "hand":
                found.add(f"{spec.name.removeprefix('/')} {option.name}")
    return found


def test_every_free_text_is_tried() -> None:
    also = {"deck shuffle what", "macro add text"}  # which are completed as well
    assert free_options() - STAYS.keys() - REASONS == TYPED.keys() - also


async def test_the_reasons_of_a_manager_are_erased(bot: Bot) -> None:
    """She decides about a game of others; her words are in its log and in what they read."""
    manager, anna = Person(ZOE.key, NAME, manager=True), Person("discord:41", "Anna")
    ids = count(6000)
    days = 0.0
    async with bot.running(lambda: time.time() + days * DAY) as app:

        async def do(who: Person, line: str) -> None:
            reply = await app.run_text(line, who, HERE, f"discord:{next(ids)}", TOKEN)
            assert not reply.error, (line, reply.format_text())

        await do(manager, "setup ladder on")
        await do(BOB, 'game start lnlt "Hill 875" sides="US, VC"')
        await do(BOB, "game join VC")
        await do(anna, "game join US")
        await do(anna, "result count")
        await do(BOB, "result count")
        await do(BOB, "game end winner=VC confirm")
        days = 8.0
        await do(manager, f'result confirm reason="{WORDS} 1"')
        await do(manager, f'result strike reason="{WORDS} 2"')
        await tell_all(app, ids)
        assert WORDS in bot.held()
        await erase(app)
        assert WORDS not in bot.held()
        assert is_there(bot) == []


async def tell_all(app: App, ids: Iterator[int]) -> None:
    """Have Bob ask for whatever shows texts of others."""
    lines = (
        "log 200", "log story", "order show", "fair show", "game status", "deck show", "deck show cup", "game stats",
        "game export", "game export html", "game export markdown", "game export csv", "macro list", "again",
        "game plan", "log since=me", "game board", "game list",
    )  # fmt: skip
    for line in lines:
        await app.run_text(line, BOB, HERE, f"discord:{next(ids)}", TOKEN)


async def test_no_text_of_hers_is_left_in_what_others_were_answered(bot: Bot) -> None:
    """She types each kind of text once, long and short; Bob's answers show them, posted and
    waiting, and as files.
    """
    ids = count(5000)
    async with bot.running() as app:

        async def do(who: Person, line: str) -> Reply:
            reply = await app.run_text(line, who, HERE, f"discord:{next(ids)}", TOKEN)
            assert not reply.error, (line, reply.format_text())
            if reply.outbox and next(ids) % 3 == 0:
                await app.answers.mark_delivered(reply, spot={"channel": 900, "message": next(ids)})
            return reply

        await do(ZOE, 'game start lnlt "Hill 875" sides="US, VC"')
        await do(BOB, "game join VC")
        await do(ZOE, "game join US")
        typed = list[str]()
        for number, (name, line) in enumerate(
            sorted(TYPED.items(), key=lambda one: "end" in one[0])
        ):
            ending = "" if number % 2 else f" {'and more of it ' * 12}end"
            text = f"{WORDS} {number}{ending}"
            names = ", ".join(f"{WORDS} {number} {letter}" for letter in "abcd")
            form = line.format(
                text=f'"{text}"', names=f'"{names}"', command=f"\"roll 2d6 label='{text}'\""
            )
            if name.startswith("fair"):  # before the first die
                await do(ZOE, "fair reveal")
            await do(ZOE, form)
            typed.append(f"{WORDS} {number}")
            if "order" in name:
                await do(BOB, "order write hold")
            if "plan" in name:
                await do(BOB, "game next")
            await tell_all(app, ids)
        held = bot.held()
        assert [text for text in typed if text not in held] == []
        await erase(app)
        held = bot.held()
        assert [held[max(0, at - 80) : at + 60] for at in [held.find(WORDS)] if at >= 0] == []


@pytest.mark.slow
async def test_a_copy_that_is_put_back_erases_again_and_only_what_was_there_then(bot: Bot) -> None:
    async with bot.running() as app:
        await play(app)
    copy = bot.copy()
    async with bot.running() as app:
        await erase(app)
    bot.put_back(copy)
    assert is_there(bot), "the copy has her"
    async with bot.running() as app:
        assert is_there(bot) == []
        # she comes back of her own will
        await app.run_text("roll 2d6", ZOE, HERE, "discord:2000", {})
    async with bot.running() as app:
        assert is_there(bot), "and stays"
        assert (await app.store.load_user_data(ZOE.key)).persons
    assert ID not in (bot.folder / FILE).read_text("utf-8")
    assert (bot.folder / FILE).stat().st_mode & 0o077 == 0


async def test_a_list_that_cannot_be_kept_hinders_no_erasure(
    bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    async with bot.running() as app:
        await play(app)
        bot.folder.mkdir(exist_ok=True)
        (bot.folder / FILE).mkdir()
        await erase(app)
        assert is_there(bot) == []
    assert FILE in caplog.text


async def test_copies_that_the_bot_makes_are_listed_and_those_of_updates_go_after_a_month(
    tmp_path: Path,
) -> None:
    bot = Bot(tmp_path / "data", None)
    async with bot.running() as app:
        await app.run_text("roll 2d6", ZOE, HERE, "r1")
    names = ("schema-3.bak", "schema-6.bak", "before-20260101-120000", "rescued-20260101-120000")
    for at, name in enumerate(names):
        copy = bot.folder / f"grognard.db.{name}"
        copy.write_bytes(b"x" * 2**20)
        then = time.time() - (5 + 30 * (at != 1)) * DAY
        os.utime(copy, (then, then))
    async with bot.running() as app:
        await app.store.sweep(None)
    left = [
        path.name.removeprefix("grognard.db.")
        for path in list_own_copies(bot.folder / "grognard.db")
    ]
    assert left == sorted({*names} - {"schema-3.bak"})


async def test_units_that_sound_like_somebody_are_named_with_the_way_to_rename_them(
    tmp_path: Path,
) -> None:
    """Their names stay in the log, and both answers say so."""
    bot, number = Bot(tmp_path / "data", None), 0
    async with bot.running() as app:

        async def do(who: Person, text: str, where: Place = HERE) -> str:
            nonlocal number
            number += 1
            reply = await app.run_text(text, who, where, f"r{number}")
            assert not reply.error, reply.format_text()
            return reply.format_text()

        await do(BOB, 'game start lnlt "Hill 875" sides="US, VC"')
        await do(ZOE, "game join US")
        await do(ZOE, 'unit add "Zenobia\'s Own" squad US morale=5 fp=2')
        await do(ZOE, 'unit add "Guards" squad US morale=5 fp=2')
        other = Place("discord:55/901", "discord:55", "#hall")
        await do(ZOE, 'game start lnlt "The war of zenobia" sides="US, VC"', other)
        asked = await do(ZOE, "privacy delete")
        assert "Names of units, sides and games stay in the logs" in asked
        assert 'Rename it: /unit edit "Zenobia\'s Own" stats="name=..."' in asked
        assert 'A game has a name like yours: "The war of zenobia".' in asked
        assert "Guards" not in asked
        await do(ZOE, 'unit edit "Zenobia\'s Own" stats="name=First Squad"')
        assert "may be named after you" not in await do(ZOE, "privacy delete")
        assert "Names of units, sides and games stay in the logs" in await do(
            ZOE, "privacy delete confirm"
        )
