"""Open hands of cards: messages or windows that show a hand, redrawn when the hand changes, such as
by a card that is dealt, given, or played by a typed command.

They are remembered only by the process that shows them. When it no longer can redraw one, the
button *Refresh* does.
"""

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
"""Maximum number of hands that a process keeps up to date. The oldest are forgotten."""
PAGE = "handpage:"
"""Prefix of the action that shows a hand: it names the game and its last event."""


class ShownHand(NamedTuple):
    """An open hand: the request that asked for it, the action that shows it again ("" if it asks
    the user something), and its cards (None if they may have changed already).
    """

    request: Any
    action: str
    cards: object


class HandWindows:
    """The latest open hand of each person in each place."""

    def __init__(self, app: App, draw: Callable[[Any, Reply], Awaitable[bool]]) -> None:
        """Create the windows. `draw` changes the message or window that was shown for a request,
        and returns False if that cannot be changed any more.
        """
        self._app = app
        self._draw = draw
        self._open_hands = FIFOCache[str, ShownHand](MOST)
        self._stale = set[str]()
        self._tasks = dict[str, asyncio.Task[None]]()
        app.listen_for_hand_changes(self._handle_change)

    def remember_window(self, request: Any, reply: Reply) -> None:
        """Remember the hand that `reply` shows for a request, and redraw it if it has changed in
        the meantime.

        A hand that asks the user something is not redrawn.
        """
        key = _get_key(request)
        action = _get_page_action(reply)
        # a redraw that is running may change the window after this reply
        cards = None if key in self._tasks else _get_cards(reply)
        self._open_hands[key] = ShownHand(request, action, cards)
        self._schedule_redraw(key)

    @contextmanager
    def pause_during_press(self, request: Any) -> Iterator[None]:
        """Do not redraw the hand of a request while the block runs a button of it, because the
        answer changes the hand.

        If the answer is no hand, the old one is kept up to date again afterwards.
        """
        key = _get_key(request)
        hand = self._open_hands.pop(key, None)
        try:
            yield
        finally:
            if hand is not None and key not in self._open_hands:
                self._open_hands[key] = hand
                self._schedule_redraw(key)

    def _handle_change(self, changed_key: str) -> None:
        """Redraw the hands of a game or place with this key; forget those of a person with it."""
        for key, hand in [*self._open_hands.items()]:
            is_of_game = hand.action.startswith(f"{PAGE}{changed_key}")
            if changed_key == hand.request.who.key:
                del self._open_hands[key]
            elif changed_key == hand.request.where.key or is_of_game:
                self._schedule_redraw(key)

    def _schedule_redraw(self, key: str) -> None:
        """Start a task that redraws a hand, unless one is running, which then redraws it again."""
        self._stale.add(key)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._redraw_until_current(key))

    async def _redraw_until_current(self, key: str) -> None:
        """Redraw a hand until it has not changed meanwhile, one redraw after another, so that the
        newest state stays.
        """
        try:
            while key in self._stale:
                self._stale.discard(key)
                hand = self._open_hands.get(key)
                if hand is not None and hand.action:
                    with suppress(UserError):  # of the store: the next change redraws it
                        await self._redraw(key, hand)
        finally:
            self._stale.discard(key)
            del self._tasks[key]

    async def _redraw(self, key: str, hand: ShownHand) -> None:
        """Redraw a hand if events have changed its cards.

        Forget the hand if its game is not the current one of the place any more, or if it cannot be
        changed.
        """
        home = await self._app.threads.find_home(hand.request.where)
        current = await self._app.games.load_current(home.key)
        new_hand = hand
        can_change = False
        if current is not None and hand.action.startswith(f"{PAGE}{current.row}:"):
            can_change = True
            is_current = hand.action.endswith(f":{current.game.number}")
            if hand.cards is None or not is_current:
                user = hand.request.who
                reply = await self._app.refresh_answer(hand.action, user, hand.request.where)
                new_hand = ShownHand(hand.request, _get_page_action(reply), _get_cards(reply))
                was_replaced = self._open_hands.get(key) is not hand
                if was_replaced or reply.error or new_hand.cards == hand.cards:
                    return
                can_change = await self._draw(hand.request, reply)
        if self._open_hands.get(key) is hand:
            self._open_hands[key] = new_hand
            if not can_change:
                del self._open_hands[key]


def _get_page_action(reply: Reply) -> str:
    """Return the action of a hand's button *Refresh*, which shows the hand again, or "" without
    one.
    """
    for button in reply.buttons:
        if button.action.startswith(PAGE) and button.label == "Refresh":
            return button.action
    return ""


def _get_key(request: Any) -> str:
    return f"{request.who.key} {request.where.key}"


def _get_cards(reply: Reply) -> object:
    """Return the parts of a reply that change with the cards of a hand."""
    return reply.menus, tuple(part for part in reply.lines if isinstance(part, Group))
