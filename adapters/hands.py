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
        self._tasks = set[asyncio.Task[None]]()
        app.when_hands_change(self._changed)

    def keep(self, request: Any, reply: Reply) -> None:
        """Note what is on show for a request; a hand that asks something stays as it is until that is answered."""
        page = next((one.action for one in reply.buttons if one.action.startswith(PAGE) and one.label == "Refresh"), "")
        self.leave(request)
        if reply.window and page:
            self._shown[_key(request)] = Shown(request, page, _cards(reply))
            if len(self._shown) > MOST:
                del self._shown[next(iter(self._shown))]

    def leave(self, request: Any) -> None:
        """Forget the hand of who asks: it is about to change by itself."""
        self._shown.pop(_key(request), None)

    def _changed(self, game: str) -> None:
        for key, one in self._shown.items():
            if one.action.removeprefix(PAGE).startswith(game):
                task = asyncio.create_task(self._follow(key, one))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _follow(self, key: str, was: Shown) -> None:
        reply = await self._app.press(was.action, was.request.who, was.request.where, "")
        if self._shown.get(key) is not was or reply.error or (cards := _cards(reply)) == was.cards:
            return
        self._shown[key] = was._replace(cards=cards)
        if not await self._draw(was.request, reply):
            self.leave(was.request)


def _key(request: Any) -> str:
    return f"{request.who.key} {request.where.key}"


def _cards(reply: Reply) -> object:
    return reply.menus, tuple(part for part in reply.lines if isinstance(part, Group))
