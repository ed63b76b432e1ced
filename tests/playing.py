"""How tests play in a channel: persons say lines, the app answers, dice come from the game or by
hand.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from bot.app import App
from bot.game.state import Game, get_undoable_content
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place
from tests.fresh import fresh_app
from tests.refusing import assert_refused

HERE = Place("console:main", "console", "console")


class Channel:
    """One channel of one app; `await channel.say("Anna", "roll 2d6")`."""

    def __init__(self, app: App, place: Place = HERE, prefix: str = "t") -> None:
        self.app, self.place, self._prefix = app, place, prefix
        self._ids = count(1)

    @classmethod
    async def fresh(cls, **more: Any) -> Channel:
        """A channel on an app of its own."""
        return cls(await fresh_app(), **more)

    def who(self, name: str, *, manager: bool = False) -> Person:
        """The person called so."""
        return Person(f"console:{name.casefold()}", name, manager)

    async def say(
        self, name: str, text: str, *, manager: bool = False, **delivery: object
    ) -> Reply:
        """The answer to a line; it may be an error."""
        request = f"{self._prefix}{next(self._ids)}"
        return await self.app.run_text(
            text, self.who(name, manager=manager), self.place, request, delivery
        )

    async def transfer(
        self, name: str, channel: str, *, manager: bool = False, confirmed: bool = True
    ) -> Reply:
        """`/game transfer` to a channel of this server, which the platform confirmed or did not."""
        who, server = self.who(name, manager=manager), self.place.server
        there = Place(f"{server}/{channel}", server, f"#{channel}")
        command = Command(
            ("game", "transfer"),
            {"channel": there.key},
            who,
            self.place,
            f"{self._prefix}{next(self._ids)}",
        )
        return await self.app.run(
            replace(command, channels={"channel": there}) if confirmed else command
        )

    async def do(self, name: str, *lines: str) -> Reply:
        """The answer to the last of several lines, none of which may fail. Who directs means to
        act for any side.
        """
        for line in lines:
            reply = await self.meant(name, await self.say(name, line))
            assert not reply.error, f"{line}: {reply.format_text()}"
        return reply

    async def meant(self, name: str, reply: Reply) -> Reply:
        """Return the reply, or what yes leads to if it asks a game master whether they mean to
        act for another side.
        """
        asked = [button.action for button in reply.buttons if button.action.startswith("actfor:")]
        return await self.press(name, asked[0]) if asked else reply

    async def fails(self, name: str, line: str, part: str) -> Reply:
        """A line that must be refused privately, for a reason that holds `part`."""
        reply = await self.say(name, line)
        assert reply.error, f"{line} was not refused: {reply.format_text()}"
        assert reply.private
        assert part.casefold() in reply.format_text().casefold(), reply.format_text()
        return reply

    async def refused(self, name: str, line: str, what: str) -> Reply:
        """A line that must be refused privately, with this code and about this: "unknown-option
        depth".
        """
        reply = await self.fails(name, line, "")
        assert_refused(what, reply.code, reply.option, reply.title)
        return reply

    async def press(self, name: str, action: str) -> Reply:
        """The answer to a button."""
        return await self.app.press(
            action, self.who(name), self.place, f"{self._prefix}{next(self._ids)}"
        )

    async def undo_last(self, name: str) -> Reply:
        """The answer to *Undo* under the last event, be it one that undo passes over."""
        return await self.press(name, await self.under((await self.game()).last, "undo"))

    async def undo(self, name: str) -> Reply:
        """The answer to `/game undo`; if it asks first, to the player's last step that it offers
        and that is no plain roll.
        """
        reply = await self.say(name, "game undo")
        is_question = reply.private and reply.title.startswith("Undo #")
        offered = [button.action for button in reply.buttons if button.action.startswith("undo:")]
        choice = 1 if "The step before it is" in reply.format_text() else 0
        return await self.press(name, offered[choice]) if is_question else reply

    async def under(self, number: int, button: str) -> str:
        """What the button of an event of this channel's game stands for: `await channel.under(3,
        "undo")`.
        """
        loaded = await self.app.games.load_current(self.place.key)
        assert loaded is not None
        return f"{button}:{loaded.row}:{number}"

    async def game(self) -> Game:
        """The channel's game."""
        loaded = await self.app.games.load_current(self.place.key)
        assert loaded is not None
        return loaded.game

    async def content(self) -> dict[str, Any]:
        """What undo restores."""
        return get_undoable_content(await self.game())


async def two_sides(channel: Channel) -> None:
    """A game of Lock 'n Load with Anna for the US and Bob for the VC, three units each."""
    await channel.do("Anna", 'game start lnlt "Hill 875" sides="US, VC"', "game join US")
    await channel.do(
        "Bob",
        "game join VC",
        'unit add "Cell 1..2" squad VC morale=4 fp=1',
        "unit add Tran leader VC morale=5 lm=1",
    )
    await channel.do(
        "Anna",
        'unit add "Squad 1..2" squad US morale=5 fp=2',
        'unit add "Lt Hill" leader US morale=6 lm=1',
    )
