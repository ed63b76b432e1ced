"""Games that a player may still join: running, with a side that nobody plays."""

from typing import NamedTuple

from bot.game.loaded_game import LoadedGame
from bot.game.rights import build_join_buttons
from bot.game.state import is_guarded
from bot.ui.reply.reply import Button


class OpenGame(NamedTuple):
    """A game that a player may join: its place, title, free sides, and a button for each."""

    place: str
    title: str
    free_sides: tuple[str, ...]
    buttons: tuple[Button, ...]


def build_open_game(place: str, loaded: LoadedGame, user: str) -> OpenGame | None:
    """Build the game of a place for a user, with buttons to join its free sides.

    Return None if they take part in it, or cannot join it: it is not running, or has no free side.
    """
    game = loaded.game
    if not is_guarded(game) or loaded.find_person(user) is not None:
        return None
    free = tuple(side for side in game.sides if side not in game.players.values())
    if not free:
        return None
    buttons = [
        button
        for side, button in zip(game.sides, build_join_buttons(loaded.row, game), strict=True)
        if side in free
    ]
    return OpenGame(place, game.name, free, tuple(buttons))
