"""The confirmed result of a game that counts, as it is stored and exported."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]


class Seat(NamedTuple):
    """One of the two players of a game that counts."""

    player: str
    """The user's key, or a random id after their data was deleted."""
    name: str
    """Their visible name."""
    person: str
    """Their id in the log of the game."""
    side: str
    reply_hours: float | None
    """Median of the hours between being asked to move and moving. None: too few to say."""
    luck: float | None
    """The z-score of their own rolls in this game. None: too few rolls."""


class Result(NamedTuple):
    """The confirmed result of a game that counts."""

    game: str
    """The id of the game."""
    system: str
    """The id of its rule set."""
    scenario: str
    """The id of its scenario; "" if it has none."""
    title: str
    seats: tuple[Seat, Seat]
    winner: int | None
    """The index of the winner's seat. None: a draw."""
    commitment: str
    """The commitment to the game's first seed."""
    ended: int
    """The number of the event that ended the game."""
    confirmed: int
    """The number of the event that confirmed the result."""
    head: str
    """The hash of the event that confirmed the result."""
    time: float
    """The time of that event, in Unix seconds."""
    by_manager: bool
    """A manager confirmed it, not the opponent."""
    series: str
    """The id of the first game of its series; "" if it is in none."""

    @property
    def is_draw(self) -> bool:
        return self.winner is None

    def score(self, seat: int) -> float:
        """Return what the player in this seat scored: 1.0 for a win, 0.5 for a draw, 0.0."""
        if self.winner is None:
            return 0.5
        return 1.0 if self.winner == seat else 0.0

    def to_json(self) -> Json:
        """Return it as JSON, from which `from_json` makes an equal value."""
        seats = [seat._asdict() for seat in self.seats]
        return {**self._asdict(), "seats": seats}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Result":
        """Return the result that was stored as `data`.

        Raises TypeError or ValueError if keys are missing or unknown, or there are not two seats.
        """
        first, second = data["seats"]
        return cls(**{**data, "seats": (Seat(**first), Seat(**second))})
