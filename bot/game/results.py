"""The result of a game that counts, from its log: who may agree to it, and whose sides it is about.

Play and `grognard verify` share these functions, so a log that play writes is one that verify
accepts.
"""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from bot.game.events import OUTCOMES, has_dice
from bot.game.state import DRAW, Game
from bot.game.undo import SILENT

MANAGER_WAITS = SILENT
"""Seconds from the end of a game until a manager may confirm its result."""
FEWEST_REPLIES = 3
"""Number of replies below which nothing is said about how long somebody takes."""
ELSEWHERE = "elsewhere"
"""The key of the text with the other game of a series and the key of a manager there."""

Event = Mapping[str, Any]


def find_first_roll(events: Iterable[Event]) -> int:
    """Return the number of the first event with an outcome, 0 if there is none.

    Undone ones count, because the players have seen them. What a phase runs by itself when it
    begins is nobody's roll and does not count.
    """
    for event in events:
        if (has_dice(event) or event["kind"] in OUTCOMES) and "upkeep" not in event:
            return int(event["number"])
    return 0


class CountedPlay:
    """What the log of a game that counts says of its players, event by event."""

    def __init__(self, counted: Iterable[str]) -> None:
        self._clocks = {person: _ReplyClock(person) for person in counted}
        self.sides: dict[str, str] = {}
        """The side of each of the two persons who count. A player who leaves keeps it."""
        self.players: set[str] = set()
        """Everybody who ever played a side."""
        self.end: Event | None = None
        """The last event that ended the game."""

    @classmethod
    def read(cls, events: Iterable[Event], counted: Iterable[str]) -> "CountedPlay":
        """Read all events of a log."""
        play = cls(counted)
        for event in events:
            play.note(event)
        return play

    def note(self, event: Event) -> None:
        """Read the next event."""
        if event["kind"] == "end":
            self.end = event
        players = _get_fields(event).get("players") or {}
        self.players.update(players)
        for person, clock in self._clocks.items():
            clock.note(event)
            if person in players:
                self.sides[person] = players[person]

    def compute_reply_hours(self, person: str) -> float | None:
        """Return the median of the hours that a person took to act when it was their move.

        None for fewer than FEWEST_REPLIES.
        """
        hours = self._clocks[person].hours
        return median(hours) if len(hours) >= FEWEST_REPLIES else None


class _ReplyClock:
    """The hours that a person took each time that somebody else handed the move to their side."""

    def __init__(self, person: str) -> None:
        self._person = person
        self._side = ""
        self._is_to_move = False
        self._asked_at: int | None = None
        self.hours: list[float] = []

    def note(self, event: Event) -> None:
        """Read the next event of the log."""
        if event["who"] == self._person and self._asked_at is not None:
            self.hours.append((event["at"] - self._asked_at) / 3600)
            self._asked_at = None
        fields = _get_fields(event)
        self._side = (fields.get("players") or {}).get(self._person, self._side)
        if "go" not in fields:
            return
        was_to_move = self._is_to_move
        self._is_to_move = bool(self._side) and self._side in fields["go"]
        if not self._is_to_move:
            self._asked_at = None
        elif not was_to_move and event["who"] != self._person:
            self._asked_at = int(event["at"])


def _get_fields(event: Event) -> Mapping[str, Any]:
    """Return the fields of the game that an event changes, with their new values."""
    fields: Mapping[str, Any] = (event.get("after") or {}).get("game") or {}
    return fields


def list_confirmers(game: Game, play: CountedPlay) -> tuple[str, ...]:
    """Return the persons who can confirm the result of a game that counts.

    If one of the two ended it, that is the other. If somebody else did, it is the player who did
    not win, or either after a draw.
    """
    ender = play.end["who"] if play.end is not None else ""
    if ender in game.counted:
        return tuple(person for person in game.counted if person != ender)
    return tuple(person for person in game.counted if play.sides.get(person) != game.winner)


def find_result_problem(game: Game, play: CountedPlay) -> str:
    """Return why a game has no result that can be confirmed, or "" if it has one."""
    if not game.counted:
        return "the game does not count."
    if not game.ended:
        return "the game has not ended."
    if game.winner not in (DRAW, *game.sides):
        return "the game ended without a winner."
    if sorted(play.sides.values()) != sorted(game.sides):
        return "the two players did not play the two sides."
    return ""


def may_manager_decide(game: Game, play: CountedPlay, person: str) -> bool:
    """Return whether a manager, a person of the game, has no part in it: they are neither of the
    two who count, and have never played a side.
    """
    return person not in game.counted and person not in play.players
