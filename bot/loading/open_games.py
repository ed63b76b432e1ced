"""Games of a server that a player may still join, found in the store."""

from bot.game.open_games import OpenGame, find_open_game
from bot.loading.game_cache import GameCache
from bot.storage.store import Store

MOST_READ = 40
"""Games of a server to look at, most recently played first."""


async def find_open_games(store: Store, games: GameCache, server: str, user: str) -> list[OpenGame]:
    """Return the games of a server that `user` has no part in and may join.

    The caller has to check whether `user` can see their channels.
    """
    open_games = []
    for place, _ in await store.list_current_games(server, MOST_READ):
        loaded = await games.load_current(place)
        if loaded is None:
            continue
        open_game = find_open_game(place, loaded, user)
        if open_game is not None:
            open_games.append(open_game)
    return open_games
