"""How much of a count of odds is done, and how much may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.rules.odds.grouping import TooManyStates

OutOfTime = Callable[[], bool]
"""Asked between states by who has no more time; the rules themselves read no clock."""


@dataclass(slots=True)
class Meter:
    """How much has been counted so far, and how much may be: states, rolls looked at, and whether it is too late."""

    budget: int
    most_rolls: int | None
    out_of_time: OutOfTime | None
    states: int = 0
    rolls: int = 0

    def take_states(self, count: int) -> None:
        """Count the states of one more round. Raises TooManyStates."""
        self.states += count
        if self.states > self.budget:
            raise TooManyStates

    def hold(self, count: int) -> None:
        """Raise TooManyStates where so many combinations are too many."""
        self.take_rolls(0, count)

    def take_rolls(self, count: int, kept: int) -> None:
        """Count the rolls of one more state while `kept` states are held. Raises TooManyStates."""
        self.rolls += count
        if (self.most_rolls is not None and self.rolls > self.most_rolls) or kept > self.budget:
            raise TooManyStates
        if self.out_of_time is not None and self.out_of_time():
            raise TooManyStates
