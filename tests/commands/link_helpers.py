"""Helpers of tests/commands/games/test_link.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.app import App
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app

HERE = Place("discord:5/9", "discord:5", "#war-room")

THERE = Place("slack:T1/C1", "slack:T1", "#games")

ANNA = Person("discord:1", "Anna", manager=True)

BEN = Person("slack:T1/U1", "Ben", manager=True)


class Table:
    """Several channels and a clock."""

    app: App

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.changed: list[tuple[str, Reply]] = []
        self._number = 0

    @classmethod
    async def open(cls) -> Table:
        """With nothing played yet."""
        table = cls()
        table.app = await fresh_app(lambda: table.now)
        return table

    async def run(self, text: str, who: Person = ANNA, where: Place = HERE) -> Reply:
        self._number += 1
        return await self.app.run_text(text, who, where, f"r{self._number}", {"to": who.name})

    async def press(self, action: str, who: Person, where: Place) -> Reply:
        self._number += 1
        return await self.app.press(action, who, where, f"r{self._number}")

    async def code(self, who: Person = ANNA, where: Place = HERE) -> str:
        return (await self.run("/game link", who, where)).title.split()[-1]

    async def link(self, there: Place = THERE, who: Person = BEN) -> Reply:
        linked = await self.run(f"/game link {await self.code()}", who, there)
        assert not linked.error, linked.format_text()
        return linked

    async def posted(self, where: Place) -> list[Reply]:
        """What waits to be posted in a place because of another one, in order."""
        found: list[Reply] = []
        while due := [
            one for one in await self.app.answers.claim_due(where.key) if one.place == where.key
        ]:
            # what changes a message is due once that is there
            await self.app.answers.mark_delivered(*(one.id for one in due))
            self.changed += [
                (one.amends.partition("/")[2][:4], one.reply) for one in due if one.amends
            ]
            found += [one.reply for one in due if not one.delivery and not one.amends]
        return found

    async def told(self, where: Place) -> list[str]:
        return [reply.title for reply in await self.posted(where)]

    async def places(self, where: Place) -> tuple[str, ...]:
        loaded = await self.app.games.load_current(where.key)
        return loaded.places if loaded is not None else ()


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    table = await Table.open()
    await table.run('/game start lnlt "Hill 875" sides="US, VC"')
    yield table
    await table.app.close()
