"""Hands on show: drawn anew where they are when something else changes them, such as a card dealt,
given or played by text. Kept in the memory of the process that shows them; where that cannot be any
more, *Refresh* does it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from cachetools import FIFOCache

from bot.app import App
from bot.rules.errors import UserError
from bot.ui.reply.parts import Group
from bot.ui.reply.reply import Reply

MOST = 1_000
"""Hands that a process keeps an eye on; the oldest are forgotten."""
PAGE = "handpage:"


class ShownHand(NamedTuple):
    """A hand on show: who asked for it where, what draws it anew ("" where it asks something),
    and its cards.
    """

    request: Any
    action: str
    cards: object


class HandWindows:
    """The latest hand of each person in each place."""

    def __init__(self, app: App, draw: Callable[[Any, Reply], Awaitable[bool]]) -> None:
        """`draw` changes what was shown for a request, and says whether it is still there."""
        self._app = app
        self._draw = draw
        self._shown = FIFOCache[str, ShownHand](MOST)
        self._stale, self._tasks = set[str](), dict[str, asyncio.Task[None]]()
        app.listen_for_hand_changes(self._handle_change)

    def remember_window(self, request: Any, reply: Reply) -> None:
        """Note what is in the window for a request, and look what has changed since; one that asks
        something stays as it is until that is answered."""
        key = _get_key(request)
        page = _build_page_action(reply)
        # a change under way may come behind this one
        seen = None if key in self._tasks else _get_cards(reply)
        self._shown[key] = ShownHand(request, page, seen)
        self._schedule_redraw(key)

    @contextmanager
    def pause_during_press(self, request: Any) -> Iterator[None]:
        """While what was pressed in a hand is under way it changes by itself; where nothing is
        kept then, it stays.
        """
        was = self._shown.pop(key := _get_key(request), None)
        try:
            yield
        finally:
            if was is not None and key not in self._shown:
                self._shown[key] = was
                self._schedule_redraw(key)

    def _handle_change(self, about: str) -> None:
        """A game or the place of one has changed; or a person is forgotten."""
        for key, one in [*self._shown.items()]:
            if about == one.request.who.key:
                del self._shown[key]
            elif about == one.request.where.key or one.action.startswith(f"{PAGE}{about}"):
                self._schedule_redraw(key)

    def _schedule_redraw(self, key: str) -> None:
        self._stale.add(key)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._redraw_until_current(key))

    async def _redraw_until_current(self, key: str) -> None:
        """One change after another, so that the last one is what is seen; those that come
        meanwhile are one.
        """
        try:
            while key in self._stale:
                self._stale.discard(key)
                if (was := self._shown.get(key)) is not None and was.action:
                    with suppress(UserError):  # of the store: the next change draws it
                        await self._redraw(key, was)
        finally:
            self._stale.discard(key)
            del self._tasks[key]

    async def _redraw(self, key: str, was: ShownHand) -> None:
        now = was
        played = await self._app.games.load_current(
            (await self._app.threads.find_home(was.request.where)).key
        )
        is_there = played is not None and was.action.startswith(f"{PAGE}{played.row}:")
        if is_there and not (
            was.cards is not None and played and was.action.endswith(f":{played.game.number}")
        ):
            reply = await self._app.refresh_answer(was.action, was.request.who, was.request.where)
            now = ShownHand(was.request, _build_page_action(reply), _get_cards(reply))
            if self._shown.get(key) is not was or reply.error or now.cards == was.cards:
                return
            is_there = await self._draw(was.request, reply)
        if self._shown.get(key) is was:
            self._shown[key] = now
            if not is_there:
                del self._shown[key]


def _build_page_action(reply: Reply) -> str:
    """What draws a hand anew, with the event behind which it was drawn; "" for what is none."""
    return next(
        (
            one.action
            for one in reply.buttons
            if one.action.startswith(PAGE) and one.label == "Refresh"
        ),
        "",
    )


def _get_key(request: Any) -> str:
    return f"{request.who.key} {request.where.key}"


def _get_cards(reply: Reply) -> object:
    return reply.menus, tuple(part for part in reply.lines if isinstance(part, Group))
