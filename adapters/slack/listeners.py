"""What Slack tells the app, and what is done about it: acknowledged at once, worked on after."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from adapters.slack.ask import Ask, from_command, from_event, from_press
from adapters.slack.delivery import Posts
from adapters.slack.people import People
from adapters.slack.render import ACTION
from adapters.slack.teams import Teams
from adapters.slack.words import after_mention, typed
from bot.app import App
from bot.command import Person
from bot.queues import Queues
from bot.reply import Reply

log = logging.getLogger(__name__)

Json = dict[str, Any]
Ack = Callable[..., Awaitable[Any]]
ANY_COMMAND = "/grognard"
_WRITTEN = (None, "file_share", "thread_broadcast")


class Listeners:
    """Requests in, answers out. `idle` is set while nothing is being worked on."""

    def __init__(self, app: App, teams: Teams, people: People, posts: Posts) -> None:
        self.app, self.teams, self.people, self.posts = app, teams, people, posts
        self.idle = asyncio.Event()
        self.idle.set()
        self._busy = 0
        self._arrivals = Queues()

    async def on_command(self, ack: Ack, body: Json) -> None:
        """A slash command."""
        ask = from_command(body)
        await ack()
        text = typed(body.get("text") or "")
        name = body["command"].casefold()
        await self.run_text(ask, text if name == ANY_COMMAND else f"{name} {text}")

    async def on_mention(self, body: Json) -> None:
        """A message that names the bot; the way to play in threads."""
        await self._written(body)

    async def on_message(self, body: Json) -> None:
        """A message in the direct messages with the bot."""
        if body["event"].get("channel_type") == "im":
            await self._written(body)

    async def on_action(self, ack: Ack, body: Json) -> None:
        """A button of an answer."""
        await ack()
        action = body["actions"][0]
        if not str(action.get("action_id", "")).startswith(ACTION):
            return
        ask = from_press(body)
        message = f"{ask.channel}/{ask.message}"
        await self.answer(
            ask,
            lambda who: self.app.press(action["value"], who, ask.where, ask.request_id, message, ask.to_json()),
        )

    async def run_text(self, ask: Ask, text: str) -> None:
        """Run a command given as text and answer it."""
        await self.answer(ask, lambda who: self.app.run_text(text, who, ask.where, ask.request_id, ask.to_json()))

    async def answer(self, ask: Ask, work: Callable[[Person], Awaitable[Reply]]) -> None:
        """Do the work in order of arrival, and post what comes of it."""
        self._busy += 1
        self.idle.clear()
        try:
            await self.posts.deliver(ask, await (await self.begin(ask, work)))
        finally:
            self._busy -= 1
            if not self._busy:
                self.idle.set()

    async def begin(self, ask: Ask, work: Callable[[Person], Awaitable[Reply]]) -> asyncio.Task[Reply]:
        """Begin the work once who asks is known; nobody who comes later in this place overtakes."""
        async with self._arrivals.turn(ask.where.key):
            who = await self.people.find(ask)
            return asyncio.create_task(_awaited(work(who)))

    async def _written(self, body: Json) -> None:
        event = body["event"]
        team = await self.teams.find(from_event(body).team) if _is_command(event) else None
        if team is None or event["user"] == team.bot_user:
            return
        text = typed(after_mention(event.get("text") or "", team.bot_user))
        await self.run_text(from_event(body), text or "help")


def _is_command(event: Mapping[str, Any]) -> bool:
    """Whether a person wrote it, new: no bot, no edit, no deletion."""
    return event.get("subtype") in _WRITTEN and not event.get("bot_id") and bool(event.get("user"))


async def _awaited(work: Awaitable[Reply]) -> Reply:
    return await work
