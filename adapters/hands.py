"""Hands on show: drawn anew where they are when something else changes them, such as a card dealt, given or played by
text. Kept in the memory of the process that shows them; where that cannot be any more, *Refresh* does it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from bot.app import App
from bot.interface.reply.parts import Group
from bot.interface.reply.reply import Reply

MOST = 1_000
"""Hands that a process keeps an eye on; the oldest are forgotten."""
PAGE = "handpage:"


class Shown(NamedTuple):
    """A hand on show: who asked for it where, what draws it anew, and what it shows of cards."""

    request: Any
    action: str
    cards: object


class Hands:
    """The latest hand of each person in each place."""

    def __init__(self, app: App, draw: Callable[[Any, Reply], Awaitable[bool]]) -> None:
        """`draw` changes what was shown for a request, and says whether it is still there."""
        self._app, self._draw = app, draw
        self._shown = dict[str, Shown]()
        self._stale, self._tasks = set[str](), dict[str, asyncio.Task[None]]()
        app.when_hands_change(self._changed)

    def keep(self, request: Any, reply: Reply) -> None:
        """Note what is on show for a request, and look what has changed since; a hand that asks something stays as it
        is until that is answered."""
        page = next((one.action for one in reply.buttons if one.action.startswith(PAGE) and one.label == "Refresh"), "")
        self.leave(request)
        if reply.window and page:
            key = _key(request)
            seen = None if key in self._tasks else _cards(reply)  # a change under way may come behind this one
            self._shown[key] = Shown(request, page, seen)
            if len(self._shown) > MOST:
                del self._shown[next(iter(self._shown))]
            self._look(key)

    def leave(self, request: Any) -> None:
        """Forget the hand of who asks: it is about to change by itself."""
        self._shown.pop(_key(request), None)

    def _changed(self, game: str) -> None:
        for key, one in self._shown.items():
            if one.action.removeprefix(PAGE).startswith(game):
                self._look(key)

    def _look(self, key: str) -> None:
        self._stale.add(key)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._follow(key))

    async def _follow(self, key: str) -> None:
        """One change after another, so that the last one is what is seen; those that come meanwhile are one."""
        try:
            while key in self._stale:
                self._stale.discard(key)
                if (was := self._shown.get(key)) is not None:
                    await self._drawn(key, was)
        finally:
            self._stale.discard(key)
            del self._tasks[key]

    async def _drawn(self, key: str, was: Shown) -> None:
        reply = await self._app.unasked(was.action, was.request.who, was.request.where)
        if self._shown.get(key) is not was or reply.error or (cards := _cards(reply)) == was.cards:
            return
        now = self._shown[key] = was._replace(cards=cards)
        if not await self._draw(was.request, reply) and self._shown.get(key) is now:
            self.leave(was.request)


def _key(request: Any) -> str:
    return f"{request.who.key} {request.where.key}"


def _cards(reply: Reply) -> object:
    return reply.menus, tuple(part for part in reply.lines if isinstance(part, Group))
