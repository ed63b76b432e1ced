"""Short games that count, played through the real commands: for tests of the ladder."""

from __future__ import annotations

import gzip
import json
from itertools import count
from typing import Any

from bot.app import App
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place

SERVER = "discord:5"
MANAGER = Person("discord:999", "Vera", manager=True)


class Table:
    """A channel in which two people play short games that count."""

    def __init__(self, app: App, number: int, prefix: str = "t") -> None:
        self.app = app
        self.place = Place(f"{SERVER}/{number}", SERVER, f"#{number}")
        self._prefix = f"{prefix}{number}-"
        self._ids = count(1)

    async def say(self, person: Person, line: str) -> Reply:
        """Return the answer to a line, which must not fail."""
        request = f"{self._prefix}{next(self._ids)}"
        reply = await self.app.run_text(line, person, self.place, request, {})
        assert not reply.error, f"{line}: {reply.format_text()}"
        return reply

    async def press(self, person: Person, reply: Reply, label: str, *, times: int = 1) -> Reply:
        """Return the answer to the last of several presses of a button, the first of which must
        not fail.
        """
        action = next(button.action for button in reply.buttons if button.label == label)
        answers = []
        for _ in range(times):
            request = f"{self._prefix}{next(self._ids)}"
            answers.append(await self.app.press(action, person, self.place, request, {}))
        assert not answers[0].error, answers[0].format_text()
        return answers[-1]

    async def play(
        self,
        first: Person,
        second: Person,
        winner: str,
        *,
        title: str = "Hill 875",
        presses: int = 1,
    ) -> None:
        """Play a game in which `first` is the US and `second` the VC, until it is confirmed."""
        await self.say(first, f'game start lnlt "{title}" sides="US, VC"')
        await self.say(first, "game join US")
        await self.say(second, "game join VC")
        request = await self.say(first, "result count")
        await self.press(second, request, "Agree", times=presses)
        await self.say(second, "roll 2d6")
        ended = await self.say(first, f"game end winner={winner} confirm")
        assert ended.announce is not None
        await self.press(second, ended.announce, "Confirm", times=presses)

    async def export(self, person: Person) -> dict[str, Any]:
        """Return the exported log of the game."""
        log = json.loads((await self.say(person, "game export")).files[0].text)
        assert isinstance(log, dict)
        return log


async def export_ladder(app: App, place: Place, request: str = "export") -> dict[str, Any]:
    """Return the exported ladder of the server."""
    reply = await app.run_text("ladder export", MANAGER, place, request, {})
    assert not reply.error, reply.format_text()
    data = reply.files[0].data
    ladder = json.loads(gzip.decompress(data) if reply.files[0].name.endswith(".gz") else data)
    assert isinstance(ladder, dict)
    return ladder
