"""The stand-in as tests use it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.standins.discord import permissions as may
from tests.standins.discord.driver import Deliveries, Person
from tests.standins.discord.faults import Fault, What
from tests.standins.discord.rest import API
from tests.standins.discord.settings import Settings
from tests.standins.discord.site import Site
from tests.standins.discord.state import Channel, ChannelKind, Guild, Interaction, Message


class DiscordStandIn:
    """Discord on 127.0.0.1, in the test's own event loop."""

    def __init__(self, settings: Settings) -> None:
        self.site = Site(settings)
        self.settings = settings
        self.world = self.site.world
        self.gateway = self.site.gateway
        self.commands = self.site.commands
        self.clock = self.site.clock
        self._deliveries = Deliveries()
        self._people: dict[str, Person] = {}
        self.guild = self.world.add_guild("Wargamers")

    @classmethod
    async def start(cls, **settings: Any) -> DiscordStandIn:
        """A running stand-in with one server; keyword arguments are fields of Settings."""
        standin = cls(Settings(**settings))
        await standin.site.start()
        return standin

    @classmethod
    @asynccontextmanager
    async def running(cls, **settings: Any) -> AsyncIterator[DiscordStandIn]:
        """`start` and `stop` around a block."""
        standin = await cls.start(**settings)
        try:
            yield standin
        finally:
            await standin.stop()

    async def stop(self) -> None:
        """Cut every connection and stop listening."""
        await self.site.stop()

    @property
    def url(self) -> str:
        """The API's base, the value for DISCORD_API."""
        return self.site.base_url + API

    @property
    def token(self) -> str:
        """The bot's token, the value for DISCORD_TOKEN."""
        return self.settings.token

    # people and places

    def user(self, name: str, guild: Guild | None = None, **permissions: bool) -> Person:
        """The person of that name, a member of `guild` (the first server if not said)."""
        if name not in self._people:
            self._people[name] = Person(self.site, self.world.add_user(name), self._deliveries)
            self._people[name].join(guild or self.guild)
        return self._people[name].permit(guild or self.guild, **permissions)

    def stranger(self, name: str) -> Person:
        """A person who is in no server: only DMs."""
        return Person(self.site, self.world.add_user(name), self._deliveries)

    def add_guild(self, name: str) -> Guild:
        """Another server, with the bot in it."""
        guild = self.world.add_guild(name)
        self.site.announce_guild(guild)
        return guild

    def foreign(self, name: str = "Elsewhere") -> Guild:
        """A server that the bot is not in."""
        return self.world.add_guild(name, has_bot=False)

    def conversation(self, *people: Person) -> Channel:
        """A DM of two people, or a group DM of more; the bot is not in it."""
        return self.world.conversation(*(one.user for one in people))

    def channel(self, name: str = "general", guild: Guild | None = None) -> Channel:
        """The text channel of that name, made if missing."""
        guild = guild or self.guild
        for channel in guild.channels.values():
            if channel.name == name and channel.kind is ChannelKind.TEXT:
                return channel
        made = self.world.add_channel(name, guild)
        if guild.has_bot:
            self.site.announce_channel(made)
        return made

    def thread(self, name: str, parent: Channel) -> Channel:
        """A new thread in a text channel."""
        made = self.world.add_thread(name, parent)
        self.site.announce_channel(made)
        return made

    def permit_bot(self, channel: Channel, **changes: bool) -> None:
        """Grant or take the bot's permissions in a channel, and so in its threads:
        `send_messages=False`.
        """
        self.permit_user(self.world.bot.id, channel, **changes)

    def permit_user(self, user_id: int, channel: Channel, **changes: bool) -> None:
        """Grant or take someone's permissions in a channel, and so in its threads."""
        channel = channel.parent or channel
        present = self.world.permissions(self.world.users[user_id], channel)
        channel.overrides[user_id] = may.changed(present, changes)
        self.site.update_channel(channel)

    def outage(self, guild: Guild) -> None:
        """The server becomes unavailable."""
        self.site.outage(guild)

    def recover(self, guild: Guild) -> None:
        """The server is back."""
        guild.available = True
        self.site.announce_guild(guild, returning=True)

    def remove_bot(self, guild: Guild) -> None:
        """Somebody removes the bot from the server."""
        self.site.remove_bot(guild)

    def messages(self, channel: Channel) -> list[Message]:
        """Everything ever posted there, private and deleted ones too."""
        return list(channel.messages)

    @property
    def interactions(self) -> list[Interaction]:
        """Every interaction so far, in order."""
        return list(self.world.interactions.values())

    # waiting

    async def until(self, happened: Callable[[], bool], timeout: float = 60.0) -> None:
        """Wait for something. Raises AssertionError after `timeout` seconds."""
        assert await self.site.changed.until(happened, timeout), f"still not so after {timeout:g} s"

    async def ready(self, timeout: float = 60.0) -> None:
        """Wait until a bot is connected and its commands are registered."""
        await self.until(lambda: bool(self.gateway.connected and self.commands.all()), timeout)

    async def connected(self, timeout: float = 60.0) -> None:
        """Wait until a bot is connected."""
        await self.until(lambda: bool(self.gateway.connected), timeout)

    async def gone(self, timeout: float = 60.0) -> None:
        """Wait until no bot is connected, as after a kill; then `ready` means the next process."""
        await self.until(lambda: not self.gateway.links, timeout)

    async def message(
        self, channel: Channel, containing: str = "", timeout: float = 60.0
    ) -> Message:
        """The bot's newest message there that still stands and contains a text; waits for it."""

        def found() -> list[Message]:
            by_bot = [
                m
                for m in channel.messages
                if m.author is self.world.bot and not m.deleted and not m.loading
            ]
            return [m for m in by_bot if containing in m.text]

        await self.until(lambda: bool(found()), timeout)
        return found()[-1]

    def receipts(self) -> list[float]:
        """Seconds from each answered interaction to its first response, shortest first."""
        return sorted(one.receipt for one in self.interactions if one.receipt is not None)

    # faults: `route` is a regular expression on "METHOD /api/v10/path"

    def _fault(self, what: What, route: str, nth: int, times: int | None, **more: Any) -> Fault:
        return self.site.faults.order(
            Fault(what, re.compile(route), skip=nth - 1, times=times, **more)
        )

    def fail(self, route: str, status: int = 500, *, nth: int = 1, times: int | None = 1) -> Fault:
        """Refuse the nth matching request (and so many in a row) with `status`, undone."""
        return self._fault("status", route, nth, times, status=status)

    def rate_limit(
        self,
        route: str,
        retry_after: float = 0.5,
        *,
        everywhere: bool = False,
        nth: int = 1,
        times: int | None = 1,
    ) -> Fault:
        """Answer 429 with `retry_after` seconds, for the route or globally."""
        return self._fault("rate", route, nth, times, seconds=retry_after, everywhere=everywhere)

    def slow(self, route: str, seconds: float, *, nth: int = 1, times: int | None = None) -> Fault:
        """Let matching requests wait before they are done."""
        return self._fault("slow", route, nth, times, seconds=seconds)

    def cut(self, route: str, *, nth: int = 1, times: int | None = 1) -> Fault:
        """Break the connection of the nth matching request, undone."""
        return self._fault("cut", route, nth, times)

    def lose_answer(self, route: str, *, nth: int = 1, times: int | None = 1) -> Fault:
        """Do what the nth matching request asks, and break its connection instead of answering."""
        return self._fault("lost", route, nth, times)

    def swallow(self, route: str, *, nth: int = 1, times: int | None = 1) -> Fault:
        """Neither do what the nth matching request asks, nor answer it."""
        return self._fault("swallowed", route, nth, times)

    def black_hole(self, route: str, *, nth: int = 1, times: int | None = 1) -> Fault:
        """Do what the nth matching request asks, and never answer."""
        return self._fault("unanswered", route, nth, times)

    def no_faults(self) -> None:
        """Forget all faults."""
        self.site.faults.clear()

    def deliver_twice(self, count: int = 1, *, gap: float = 0.0) -> None:
        """Send each of the next `count` interactions twice, `gap` seconds apart."""
        self._deliveries.twice, self._deliveries.gap = count, gap
