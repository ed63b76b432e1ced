"""An evening told once and played on Discord and on Slack: who says or presses what, and all that is answered."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.adapters.evening import is_news
from tests.standins import discord as d
from tests.standins import slack as s

Json = dict[str, Any]

EXPECTED = re.compile(
    r"cannot|out of ammunition|jammed|already|no longer|over|needs (no|morale)|[Nn]obody|takes no part|"
    r"has nobody left|has no firepower|not on the roster|(is|are) (not |shaken|dead|combat-ineffective|pinned|stunned|"
    r"eliminated|killed|out|suppressed|destroyed|abandoned)"
)
"""What a refusal may say in the course of a fight: dice decide who is still able to do what."""


HURRY = re.compile(r"(?:Try again in (\d+) seconds|You just rolled that again)")
LAID_UP = re.compile(r"[A-Z]{4,}|eliminated|killed|pinned|stunned|suppressed")


@dataclass(frozen=True)
class Seen:
    """An answer as it was when it came; `raw` is the stand-in's own message."""

    who: str
    said: str
    text: str
    buttons: tuple[str, ...]
    private: bool
    body: Json
    raw: Any

    @property
    def error(self) -> bool:
        """Whether it refuses."""
        return self.private and bool(re.match(r"\W*(Error|Not )", self.text))


@dataclass
class Table:
    """One table of Greta, who leads the game, and Anna and Ben, who play it; `seen` is every answer in order."""

    platform: Platform
    seen: list[Seen] = field(default_factory=list)

    async def say(self, who: str, path: str, *, maybe: bool = False, **options: object) -> Seen:
        """The answer to a command. Raises AssertionError if it is refused, unless a refusal is a part of the game."""
        said = path + "".join(f" {name}={value}" for name, value in options.items())
        seen = await self.platform.say(who, path, options, said)
        while hurry := HURRY.search(seen.text):
            await asyncio.sleep(int(hurry[1] or 2) + 1)
            seen = await self.platform.say(who, path, options, said)
        return self._note(seen, maybe=maybe)

    async def able(self, handles: str) -> list[str]:
        """The units of this side that are in good order, by the list."""
        listed = (await self.say("Greta", "unit list", all=True)).text
        found = re.findall(rf"^({handles}\d+) (.*)$", listed, re.MULTILINE)
        return [handle for handle, rest in found if not LAID_UP.search(rest)] or [f"{handles}1"]

    async def press(self, who: str, on: Seen, button: str, *, maybe: bool = False) -> Seen:
        """The answer to a button, as `say`."""
        seen = await self.platform.press(who, on, button)
        while hurry := HURRY.search(seen.text):
            await asyncio.sleep(int(hurry[1] or 2) + 1)
            seen = await self.platform.press(who, on, button)
        return self._note(seen, maybe=maybe)

    def _note(self, seen: Seen, *, maybe: bool) -> Seen:
        self.seen.append(seen)
        if seen.error:
            fine = maybe and EXPECTED.search(seen.text)
            assert fine, f"{seen.who}: {seen.said}\n{seen.text}"
        return seen


class Platform(Protocol):
    """What a table is played on."""

    async def say(self, who: str, path: str, options: Json, said: str) -> Seen:
        """The answer to a command."""

    async def press(self, who: str, on: Seen, button: str) -> Seen:
        """The answer to a button."""

    async def exported(self) -> bytes:
        """The game's log."""

    def public(self) -> str:
        """The text of every message that all may read."""


class OnDiscord:
    """A channel of the stand-in for Discord."""

    def __init__(self, discord: d.DiscordStandIn) -> None:
        self._discord, self.channel = discord, discord.channel("table")
        self.people = {name: discord.user(name) for name in ("Greta", "Anna", "Ben")}

    async def say(self, who: str, path: str, options: Json, said: str) -> Seen:
        asked = await self.people[who].slash(self.channel, path, **options)
        return seen_on_discord(who, said, await asked.answer())

    async def press(self, who: str, on: Seen, button: str) -> Seen:
        asked = await self.people[who].press(on.raw, button)
        return seen_on_discord(who, f"[{button}]", await asked.answer())

    async def exported(self) -> bytes:
        answer = await (await self.people["Greta"].slash(self.channel, "game export", format="json")).answer()
        return next(iter(answer.files.values()))

    def public(self) -> str:
        return "\n".join(one.text for one in self._discord.messages(self.channel) if not one.ephemeral)


def seen_on_discord(who: str, said: str, message: d.Message) -> Seen:
    """A message as it is now."""
    body: Json = {"content": message.content, "embeds": message.embeds, "components": message.components}
    body["flags"] = message.flags
    return Seen(who, said, message.text, tuple(message.buttons), message.ephemeral, body, message)


class OnSlack:
    """A channel of the stand-in for Slack."""

    def __init__(self, home: s.Workspace, anna: s.User, ben: s.User, games: s.Channel) -> None:
        self.channel = games
        self.people = {"Greta": home.user("Greta"), "Anna": anna, "Ben": ben}

    async def say(self, who: str, path: str, options: Json, said: str) -> Seen:
        command, *rest = path.split()
        words = [*rest, *(f'{name}="{"yes" if value is True else value}"' for name, value in options.items())]
        asked = await self.people[who].slash(self.channel, f"/{command}", " ".join(words))
        return seen_on_slack(who, said, await asked.answer(where=None if path == "game board" else is_news))

    async def press(self, who: str, on: Seen, button: str) -> Seen:
        asked = await self.people[who].press(on.raw, button)
        return seen_on_slack(who, f"[{button}]", await asked.answer(where=is_news))

    async def exported(self) -> bytes:
        greta = self.people["Greta"]
        await (await greta.slash(self.channel, "/game", "export json")).answer()
        [file] = [one for one in greta.sees(greta.im) if one.files][-1].files
        return file.data

    def public(self) -> str:
        found = (one for one in self.people["Greta"].sees(self.channel) if one.ephemeral_for is None)
        return "\n".join(one.everything for one in found)


def seen_on_slack(who: str, said: str, message: s.Message) -> Seen:
    """A message as it is now."""
    body = {"text": message.text, "blocks": message.blocks}
    private = message.ephemeral_for is not None
    return Seen(who, said, message.everything, tuple(message.buttons()), private, body, message)
