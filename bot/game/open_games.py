"""Games that a player may still join: running, with a side that nobody plays."""

from typing import NamedTuple

from bot.game.loaded_game import LoadedGame
from bot.game.sides import list_free_sides
from bot.game.state import is_guarded


class OpenGame(NamedTuple):
    """A game that a player may join: its place, its id in the store, its title and free sides."""

    place: str
    row: str
    title: str
    free_sides: tuple[str, ...]


def find_open_game(place: str, loaded: LoadedGame, user: str) -> OpenGame | None:
    """Return the game of a place as one that a user may join.

    Return None if they take part in it, if it is not running, or if it has no free side.
    """
    game = loaded.game
    if not is_guarded(game) or loaded.find_person(user) is not None:
        return None
    free_sides = list_free_sides(game)
    if not free_sides:
        return None
    return OpenGame(place, loaded.row, game.name, free_sides)
