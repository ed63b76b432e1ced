"""Games of a server that a player may still join: running, with a side that nobody plays."""

from typing import NamedTuple

from bot.game.loaded_game import LoadedGame
from bot.game.rights import build_join_buttons
from bot.game.state import is_guarded
from bot.loading.game_cache import GameCache
from bot.storage.store import Store
from bot.ui.reply.reply import Button

MOST_READ = 40
"""Games of a server to look at, most recently played first."""


class OpenGame(NamedTuple):
    """A game that a player may join: its place, title, free sides, and a button for each."""

    place: str
    title: str
    free_sides: tuple[str, ...]
    buttons: tuple[Button, ...]


async def find_open_games(store: Store, games: GameCache, server: str, user: str) -> list[OpenGame]:
    """Return the games of a server that `user` has no part in and may join.

    The caller has to check whether `user` can see their channels.
    """
    open_games = []
    for place, _ in await store.list_current_games(server, MOST_READ):
        loaded = await games.load_current(place)
        if loaded is not None and is_guarded(loaded.game) and loaded.find_person(user) is None:
            open_games += _list_open_game(place, loaded)
    return open_games


def _list_open_game(place: str, loaded: LoadedGame) -> list[OpenGame]:
    """Return the game with the buttons to join its free sides, [] if no side is free."""
    game = loaded.game
    free = tuple(side for side in game.sides if side not in game.players.values())
    if not free:
        return []
    buttons = [
        button
        for side, button in zip(game.sides, build_join_buttons(loaded.row, game), strict=True)
        if side in free
    ]
    return [OpenGame(place, game.name, free, tuple(buttons))]
