"""Helpers of the tests of games that count: a server with a ladder, and people who play there."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from bot.app import App
from bot.commands.ladder.ladder_docs import PLAYED, RESULT
from bot.ladder.result import Result
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.verification.check_file import check
from tests.fresh import fresh_app
from tools import verify_log

HALL = Place("discord:5/9", "discord:5", "#hall")
ROOM = Place("discord:5/10", "discord:5", "#room")
ANNA, BEN, CORA = (
    Person(f"discord:{number}", name) for number, name in enumerate(("Anna", "Ben", "Cora"), 1)
)
VERA = Person("discord:7", "Vera", manager=True)
GAME = 'game start lnlt "Hill 875" sides="US, VC"'


class Server:
    """A server with a ladder, and a clock."""

    app: App

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self._ids = count(1)

    @classmethod
    async def fresh(cls, *, ladder: bool = True) -> Server:
        server = cls()
        server.app = await fresh_app(lambda: server.now)
        if ladder:
            await server.do(VERA, "setup ladder on")
        return server

    async def say(self, who: Person, text: str, where: Place = HALL) -> Reply:
        self.now += 1
        return await self.app.run_text(text, who, where, f"s{next(self._ids)}", {"to": who.name})

    async def do(self, who: Person, text: str, where: Place = HALL) -> Reply:
        reply = await self.say(who, text, where)
        assert not reply.error, f"{text}: {reply.format_text()}"
        return reply

    async def press(self, who: Person, reply: Reply, label: str, where: Place = HALL) -> Reply:
        action = next(button.action for button in reply.buttons if button.label == label)
        return await self.app.press(action, who, where, f"p{next(self._ids)}", {"to": who.name})

    async def start(self, *, counts: bool = True, where: Place = HALL) -> None:
        """Anna, the game master, plays the US, and Ben the VC."""
        await self.do(ANNA, GAME, where)
        await self.do(ANNA, "game join US", where)
        await self.do(BEN, "game join VC", where)
        if counts:
            asked = await self.do(ANNA, "result count", where)
            agreed = await self.press(BEN, asked, "Agree", where)
            assert agreed.title == '"Hill 875" counts: Anna v Ben'

    async def end(self, winner: str = "US", where: Place = HALL) -> Reply:
        """The summary of the game, which Anna ends as its game master."""
        await self.do(ANNA, "roll 2d6", where)
        summary = (await self.do(ANNA, f"game end winner={winner} confirm", where)).announce
        assert summary is not None
        return summary

    async def results(self) -> list[Result]:
        return [Result.from_json(doc.data) for doc in await self.app.store.load_docs(RESULT)]

    async def played(self, who: Person) -> dict[str, Any]:
        """What is stored of this person's only game that counts."""
        (doc,) = await self.app.store.load_docs(PLAYED, who.key)
        data: dict[str, Any] = doc.data
        return data

    async def log(self, where: Place = HALL) -> dict[str, Any]:
        """The exported log, which all verifiers find sound."""
        log: dict[str, Any] = json.loads(
            (await self.do(ANNA, "game export", where)).files[0].content
        )
        assert check(log).faults == ()
        assert verify_log.check(log).faults == []
        return log
