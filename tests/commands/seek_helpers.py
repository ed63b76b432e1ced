"""Helpers of the tests of seeks: the channels of two servers, and what is posted in them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.outbox.leases import LEASE
from bot.runtime.settings import load_settings
from bot.storage.opening import open_store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app
from tests.standins.postgres import PostgresServer

HALL = Place("discord:5/9", "discord:5", "#hall")
ROOM = Place("discord:5/10", "discord:5", "#room")
BOARD = Place("discord:5/11", "discord:5", "#seekers")
ABROAD = Place("discord:6/1", "discord:6", "#abroad")
ANNA, BEN, CORA = (
    Person(f"discord:{number}", name) for number, name in enumerate(("Anna", "Ben", "Cora"), 1)
)
VERA = Person("discord:7", "Vera", manager=True)
SLACK = Place("slack:T1/C1", "slack:T1", "#wargames")
SARA = Person("slack:T1/U1", "Sara", manager=True)
BOB = Person("slack:T1/U2", "Bob")
FORD = "seek game daily lnlt scenario=ford"


class Server:
    """The channels of a server, and a clock."""

    def __init__(self, app: App | None = None, name: str = "") -> None:
        self._name = name
        self.now = 1_800_000_000.0
        self._ids = count(1)
        if app is not None:
            self.app = app

    @classmethod
    async def fresh(cls) -> Server:
        server = cls()
        server.app = await fresh_app(lambda: server.now)
        return server

    async def say(self, who: Person, text: str, where: Place = HALL) -> Reply:
        return await self.app.run_text(
            text, who, where, f"s{self._name}{next(self._ids)}", {"to": who.name}
        )

    async def do(self, who: Person, text: str, where: Place = HALL) -> Reply:
        reply = await self.say(who, text, where)
        assert not reply.error, f"{text}: {reply.format_text()}"
        return reply

    async def press(self, who: Person, action: str, where: Place = HALL) -> Reply:
        return await self.app.press(
            action, who, where, f"p{self._name}{next(self._ids)}", {"to": who.name}
        )

    async def card(self, who: Person = ANNA, text: str = FORD, where: Place = HALL) -> Reply:
        card = (await self.do(who, text, where)).announce
        assert card is not None
        return card

    async def posted(self, where: Place) -> list[Reply]:
        """What waits to be posted in a place, as it has been reworded since."""
        found = []
        self.now += LEASE + 1  # the answers of this process are its own until then
        while due := [
            one for one in await self.app.answers.claim_due(where.key) if one.place == where.key
        ]:
            for one in due:
                await self.app.answers.mark_delivered(one.id, spot={"message": one.id})
            found += [one.reply.announce or one.reply for one in due]
        return found

    async def share(self, there: Place, manager: Person, here: Place = BOARD) -> None:
        """Let the managers of two servers share seeks, in `here` and `there`."""
        await self.do(VERA, "setup seekers", here)
        await self.do(manager, "setup seekers", there)
        code = (await self.do(VERA, "seek link", here)).title.split()[-1]
        await self.do(manager, f"seek link {code}", there)
        await self.posted(here)
        await self.posted(there)

    async def cards(self, there: Place, text: str = FORD) -> tuple[Reply, Reply]:
        """The cards of a new seek of Anna's, in BOARD and on a linked server."""
        await self.posted(BOARD)
        await self.posted(there)
        await self.do(ANNA, text)
        await self.posted(HALL)
        [card], [linked_card] = await self.posted(BOARD), await self.posted(there)
        return card, linked_card

    async def game(self, where: Place) -> Any:
        loaded = await self.app.games.load_current(where.key)
        return loaded.game if loaded is not None else None

    async def log(self, who: Person, where: Place) -> Any:
        return json.loads((await self.do(who, "game export", where)).files[0].content)


def action(reply: Reply, label: str) -> str:
    return next(button.action for button in reply.buttons if button.label == label)


def id_of(card: Reply) -> str:
    return card.buttons[0].action.partition(":")[2]


class Threads:
    """A platform that makes threads of messages, or does not."""

    def __init__(self, server: Server, key: str = "discord:5/900") -> None:
        self.key, self.made = key, list[tuple[Any, ...]]()
        server.app.executor.threads["discord"] = self.open

    async def open(self, place: str, spot: dict[str, Any], title: str) -> str:
        self.made.append((place, spot, title))
        return self.key


async def press_on_card(server: Server, who: Person, card: Reply, where: Place = HALL) -> Reply:
    delivery = {"to": who.name, "pressed": {"channel": 9, "message": 900}}
    request = f"c{who.key}{where.key}"
    return await server.app.press(action(card, "Play"), who, where, request, delivery)


@pytest.fixture
async def server() -> Server:
    return await Server.fresh()


@pytest.fixture(params=["sqlite", "postgres"])
async def bots(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[Server]]:
    """Two bots on one database of each kind."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/games.db"
    else:
        postgres: PostgresServer = request.getfixturevalue("postgres")
        url = postgres.new_database()
    stores = [await open_store(load_settings({"DATABASE_URL": url})) for _ in range(2)]
    yield [Server(App(store), name) for store, name in zip(stores, "ab", strict=True)]
    for store in stores:
        await store.close()
