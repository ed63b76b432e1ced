"""How a game went, for its end: losses by side, the best shot, the worst luck."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.game.roster import in_order, is_gone
from bot.game.state import Game
from bot.game.stats import SAME, Try, Worth

MOST_NAMES = 12
LONG_ODDS = 0.5
"""A chance below which a good result is worth telling, and above which a bad one is."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A roll worth telling: what it was, and the chance (0 to 1) of at least that much, or of more than that."""

    roll: Try
    chance: float


def losses(game: Game, side: str) -> str:
    """`US lost 2 of 7: Squad 2, M60 team`; "" for a side without units."""
    units = in_order(unit for unit in game.units.values() if unit.side == side)
    gone = [unit.name for unit in units if is_gone(unit)]
    if not gone:
        return f"{side} lost nothing: {len(units)} units still in action" if units else ""
    more = f" and {len(gone) - MOST_NAMES} more" if len(gone) > MOST_NAMES else ""
    return f"{side} lost {len(gone)} of {len(units)}: {', '.join(gone[:MOST_NAMES])}{more}"


def best_shot(rolls: Iterable[tuple[Try, Worth]]) -> Moment | None:
    """The roll that did so well although it was so unlikely; None where none did better than was to be expected."""
    good = [Moment(roll, worth.at_least) for roll, worth in rolls if worth.got > worth.mean + SAME]
    found = min(good, key=lambda moment: moment.chance, default=None)
    return found if found is not None and found.chance < LONG_ODDS else None


def worst_luck(rolls: Iterable[tuple[Try, Worth]]) -> Moment | None:
    """The roll that failed although more was so likely; None where none did worse than was to be expected."""
    bad = [Moment(roll, worth.more) for roll, worth in rolls if worth.got < worth.mean - SAME]
    found = max(bad, key=lambda moment: moment.chance, default=None)
    return found if found is not None and found.chance > LONG_ODDS else None
