"""When players' texts close: one rule for play and for whoever checks a log; docs/dice.md says it in words."""

from __future__ import annotations

from bot.game.rights import is_guarded
from bot.game.state import Game


def are_open(game: Game) -> bool:
    """Whether texts may still be added to the dice of the seed in force."""
    return not (game.closed if game.closing else game.drawn)


def is_alone(game: Game, person: str) -> bool:
    """Whether there is nobody else in the game who could close the texts."""
    if is_guarded(game):
        return {*game.players, game.master} <= {"", person}
    return game.solo == person


def has_last_word(game: Game, person: str) -> bool:
    """Whether the last text is this person's, so that somebody else must close."""
    return game.closing and bool(person) and game.adder == person and not is_alone(game, person)
