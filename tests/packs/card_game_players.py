"""Whole games of *The Salt Road* and *Three Mills* by buttons, menus and forms alone: nothing is
typed after the start. A `Screen` is what a person taps on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

SIDES = {"Anna": "Duke", "Ben": "League"}
ARMIES = {"Anna": ("duke1", "Household"), "Ben": ("leag1", "Pikemen")}
"""The handle and the name of the army that each side musters men for."""
CAMPAIGN = "Campaign"
MOST_CHITS = 12


class Screen(ABC):
    """What people tap on. A message is whatever the platform has for one."""

    @abstractmethod
    async def start(self, line: str) -> Any:
        """Return the card of a game that Anna starts."""

    @abstractmethod
    async def press(self, who: str, message: Any, button: str, says: str = "") -> Any:
        """Return the answer to a button, which `says` this; it may be one that all see."""

    @abstractmethod
    async def fill(self, who: str, message: Any, button: str, fields: Mapping[str, Any]) -> Any:
        """Return the answer to the form that a button opens."""

    @abstractmethod
    async def play_first_card(self, who: str, message: Any) -> Any:
        """Press *Your hand*, play its first card, and return what all see of that."""

    @abstractmethod
    def buttons(self, message: Any) -> list[str]:
        """Return the labels of the buttons of a message."""

    @abstractmethod
    def first(self, message: Any) -> str:
        """Return the first line of a message."""


async def end(screen: Screen, card: Any, winner: str, *, has_hands: bool) -> str:
    """Say who won after the last turn, though the score is level; Ben agrees to open his hand if he
    holds one. Return the first line of the story.
    """
    assert "the last. By the score, it is a draw." in screen.first(card), screen.first(card)
    says = "asks to end the game" if has_hands else ""
    story = await screen.press("Anna", card, f"{winner} wins", says)
    if has_hands:
        agreed = await screen.press("Ben", story, "Show my hand", "agrees to open")
        story = await screen.press("Anna", agreed, f"End the game: {winner} wins")
    return screen.first(story)


async def play_salt_road(screen: Screen, turns: int) -> Any:
    """Play so many turns of The Salt Road; return the card that follows. Each side plays three
    cards a turn: for orders, with which it musters, for orders, and to support an army.
    """
    card = await screen.start('game start salt-road "First year" scenario=year')
    for who, side in SIDES.items():
        await screen.press(who, card, f"Join {side}")
    for turn in range(turns):
        for who in SIDES:
            await screen.press(who, card, "Draw to five", "You draw")
        card = await screen.press("Anna", card, "Done", "waiting for League")
        card = await screen.press("Ben", card, "Done", CAMPAIGN)
        if "Duke first" in screen.buttons(card):
            card = await screen.press("Anna", card, "Duke first")
        for number in range(3):
            for who in SIDES:
                card = await _play_a_card(screen, who, card, musters=turn < 3 and number == 0)
        for who in SIDES:
            card = await screen.press(who, card, "Pass")
    return card


async def _play_a_card(screen: Screen, who: str, card: Any, *, musters: bool) -> Any:
    """Play a card for orders, muster with one of them, and hand over; return the next card."""
    played = await screen.play_first_card(who, card)
    assert "Draw" not in screen.buttons(played)
    used = await screen.fill(who, played, "Use", {"how": "orders"})
    assert "orders" in screen.first(used) or "order" in screen.first(used)
    if musters:
        assert "Again" not in screen.buttons(used), "the card is used up"
        handle, name = ARMIES[who]
        mustered = await screen.fill(who, card, "Muster", {"units": handle})
        assert name in screen.first(mustered)
    [other] = [side for name, side in SIDES.items() if name != who]
    return await screen.press(who, card, "Done", other)


MOVES = {"Line": ("Anna", "Line 1", "n2"), "Vanguard": ("Ben", "Chasseurs 1", "n4")}
"""What moves in the first turn when its chit comes: who, which unit, and where."""


async def play_three_mills(screen: Screen, turns: int) -> Any:
    """Play so many turns of Three Mills; return the card that follows. In the first turn two
    formations move if their chits come.
    """
    card = await screen.start('game start three-mills "First battle" scenario=sorrel')
    for who, side in (("Anna", "Crown"), ("Ben", "Republic")):
        await screen.press(who, card, f"Join {side}")
    for turn in range(turns):
        for _ in range(MOST_CHITS):
            drawn = await screen.press("Anna", card, "Draw")
            card = drawn
            if "Next turn" in screen.buttons(card) or "End turn 6" in screen.buttons(card):
                break  # the lull came
            who = "Anna" if "Crown" in screen.first(card) else "Ben"
            for chit, (mover, unit, place) in MOVES.items():
                if turn == 0 and chit in screen.first(card):
                    fields = {"units": [unit], "to": place}
                    moved = await screen.fill(mover, card, "Move", fields)
                    assert unit in screen.first(moved)
            card = await screen.press(who, card, "Done")
        label = "Next turn" if "Next turn" in screen.buttons(card) else "End turn 6"
        card = await screen.press("Anna", card, label)
    return card
