"""The board and what becomes of it, whatever way its own post has come by then: there is one that
holds, or none.

Each pair has a channel of its own. `WHEN` says what the post of the board of turn 2 meets on its
way, `THEN` what is done to the game meanwhile.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path

import pytest

from tests.adapters.discord.process import running as on_discord
from tests.adapters.slack.conftest import settle, socket_slack
from tests.adapters.slack.process import running as on_slack
from tests.standins.discord import DiscordStandIn
from tests.standins.discord import Person as DiscordPerson
from tests.standins.postgres import PostgresServer
from tests.standins.slack import SlackStandIn, User, Workspace

__all__ = ["socket_slack"]

WHEN = ("at once", "while it is posted", "while nobody knows whether it is", "once it is there")
THEN = {
    "changed": ('unit add name="Cell 9" type=element', "Cell 9"),
    "posted anew": ("game next", "Turn 3"),
    "put away": ("game board off", ""),
    "over": ("game end winner=draw confirm", ""),
}
"""What is done, and words of the board that holds then; none holds where there are no words."""
HELD = 3.0
"""Seconds for which a post is held back."""


class Table(ABC):
    """A channel with a game of its own."""

    @abstractmethod
    async def say(self, line: str) -> None:
        """Wait until a command is answered."""

    @abstractmethod
    def meets(self, when: str) -> None:
        """Order what happens to the next message that is posted here."""

    @abstractmethod
    def boards(self) -> list[str]:
        """What the boards say that can be pressed."""

    @abstractmethod
    async def until_posted(self) -> None:
        """Wait until the post that `meets` something is on its way."""

    @abstractmethod
    async def until(self, words: list[str]) -> None:
        """Wait until there are so many boards, each with its words."""

    async def play(self, when: str, then: str) -> None:
        """One pair, until the board is as it shall be."""
        for line in ("game start ucn", "game board"):
            await self.say(line)
        await self.until(["Turn 1"])
        self.meets(when)
        await self.say("game next")
        if when.startswith("while"):
            await self.until_posted()
        elif when == "once it is there":
            await self.until(["Turn 2"])
        line, words = THEN[then]
        await self.say(line)
        await asyncio.sleep(HELD + 0.5)  # what was held back has come by now, and may not stay
        await self.until([words] if words else [])


class OnDiscord(Table):
    def __init__(self, discord: DiscordStandIn, anna: DiscordPerson, name: str) -> None:
        self.discord, self.anna, self.channel = discord, anna, discord.channel(name)
        self._route = f"POST .*/channels/{self.channel.id}/messages"

    async def say(self, line: str) -> None:
        words, _, rest = line.partition(" name=")
        path = " ".join(words.split()[:2])
        more = {
            word.partition("=")[0]: word.partition("=")[2] or True for word in words.split()[2:]
        }
        if path == "game start":
            more = {"system": "ucn"}
        if rest:
            more = {"name": "Cell 9", "type": "element"}
        await (await self.anna.slash(self.channel, path, **more)).answer()

    def meets(self, when: str) -> None:
        self.fault = None
        if when == "while it is posted":
            self.fault = self.discord.slow(self._route, HELD, times=1)
        elif when.startswith("while"):
            self.fault = self.discord.lose_answer(self._route)

    async def until_posted(self) -> None:
        await self.discord.until(lambda: self.fault is not None and self.fault.hits > 0)
        await asyncio.sleep(0.3)

    def boards(self) -> list[str]:
        return [
            one.text
            for one in self.discord.messages(self.channel)
            if "Log" in one.buttons and not one.deleted
        ]

    async def until(self, words: list[str]) -> None:
        def so() -> bool:
            boards = self.boards()
            return len(boards) == len(words) and all(map(str.__contains__, boards, words))

        assert await self.discord.site.changed.until(so, 60), (
            self.channel.name,
            words,
            self.boards(),
        )


class OnSlack(Table):
    def __init__(self, slack: SlackStandIn, home: Workspace, anna: User, name: str) -> None:
        self.slack, self.anna, self.channel = slack, anna, home.channel(name)

    async def say(self, line: str) -> None:
        await (await self.anna.slash(self.channel, "/grognard", line)).answer()

    def meets(self, when: str) -> None:
        self.fault = None
        if when == "while it is posted":
            self.fault = self.slack.faults.slow("chat.postMessage", HELD, channel=self.channel.id)
        elif when.startswith("while"):
            self.fault = self.slack.faults.server_error(
                "chat.postMessage", after=True, channel=self.channel.id
            )

    async def until_posted(self) -> None:
        await self.slack.watch.until(
            lambda: self.fault is not None and self.fault.hits > 0,
            timeout=60,
            what="the post of the board",
        )

    def boards(self) -> list[str]:
        return [one.plain for one in self.anna.sees(self.channel) if "Log" in one.buttons()]

    async def until(self, words: list[str]) -> None:
        def so() -> bool:
            boards = self.boards()
            return len(boards) == len(words) and all(map(str.__contains__, boards, words))

        await self.slack.watch.until(
            so, timeout=60, what=f"{words} in {self.channel.name}, not {self.boards()}"
        )


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings of a host with this store."""
    if request.param == "sqlite":
        return {}
    server: PostgresServer = request.getfixturevalue("postgres")
    return {"DATABASE_URL": server.new_database()}


@pytest.mark.slow
async def test_on_discord_one_board_holds(database: dict[str, str], tmp_path: Path) -> None:
    async with (
        DiscordStandIn.running() as discord,
        on_discord(discord, tmp_path, COMMANDS_PER_MINUTE="unlimited", **database),
    ):
        pairs = [(when, then) for when in WHEN for then in THEN]
        tables = [
            OnDiscord(discord, discord.user("Anna"), f"{number}") for number in range(len(pairs))
        ]
        await asyncio.gather(
            *(table.play(*pair) for table, pair in zip(tables, pairs, strict=True))
        )


@pytest.mark.slow
async def test_on_slack_one_board_holds(
    socket_slack: SlackStandIn, database: dict[str, str], tmp_path: Path
) -> None:
    home, anna, _, _ = settle(socket_slack)
    home.scopes |= {"channels:history"}  # else nobody can know what became of a post that broke
    async with on_slack(socket_slack, tmp_path, home, COMMANDS_PER_MINUTE="unlimited", **database):
        pairs = [(when, then) for when in WHEN for then in THEN]
        tables = [
            OnSlack(socket_slack, home, anna, f"game-{number}") for number in range(len(pairs))
        ]
        await asyncio.gather(
            *(table.play(*pair) for table, pair in zip(tables, pairs, strict=True))
        )
