"""Games of a server that a player may still join: started, not over, with a side that nobody
plays."""

from typing import NamedTuple

from bot.game.loaded import Games, Loaded
from bot.game.rights import join_buttons
from bot.game.state import is_guarded
from bot.interface.reply.reply import Button
from bot.stores.store import Store

MOST_READ = 40
"""Games of a server that are looked at, those first in which something happened last."""


class OpenGame(NamedTuple):
    """A game that a player may join: its place, title, free sides, and a button for each."""

    place: str
    title: str
    free_sides: tuple[str, ...]
    buttons: tuple[Button, ...]


async def find_open_games(store: Store, games: Games, server: str, user: str) -> list[OpenGame]:
    """Return the games of a server that `user` has no part in and may join.

    Nobody has checked yet whether `user` can see their channels.
    """
    found = []
    for place, _ in await store.list_current_games(server, MOST_READ):
        loaded = await games.at(place)
        if loaded is not None and is_guarded(loaded.game) and loaded.person_of(user) is None:
            found += _list_open_game(place, loaded)
    return found


def _list_open_game(place: str, loaded: Loaded) -> list[OpenGame]:
    game = loaded.game
    free = tuple(side for side in game.sides if side not in game.players.values())
    if not free:
        return []
    buttons = [
        button
        for side, button in zip(game.sides, join_buttons(loaded.row, game), strict=True)
        if side in free
    ]
    return [OpenGame(place, game.name, free, tuple(buttons))]
