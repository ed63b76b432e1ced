"""Games as stored: a snapshot, and the events since then."""

from bot.game.events import apply
from bot.game.loaded_game import LoadedGame
from bot.game.state import Game, from_json
from bot.rules.proof.unreleased import check_protocol
from bot.storage.records import Saved
from bot.storage.store import Store


async def load_game_by_id(store: Store, row: str) -> LoadedGame | None:
    """Load a game by its id in the store, None if it does not exist. The cache is not used."""
    saved = await store.load_game_by_id(row)
    if saved is None:
        return None
    return restore_game(saved)


def restore_game(saved: Saved) -> LoadedGame:
    """Restore a game from the store: its last snapshot, and the events since then.

    Raise ValueError if the log does not follow the snapshot or there is no seed, and UserError for
    the game of an unreleased build.
    """
    if saved.state:
        game = from_json(saved.state)
    else:
        first_event = saved.events[0].data if saved.events else {}
        game = Game(first_event.get("game", saved.game.id))
    for event in saved.events:
        body = event.data
        check_protocol(body)
        game = apply(game, body)
    if saved.seed is None:
        raise ValueError(f"game {saved.game.id} has no seed")
    return LoadedGame(
        row=saved.game.id,
        game=game,
        version=saved.game.version,
        head=saved.game.head,
        persons={person.person: person for person in saved.persons},
        seed=saved.seed,
        places=saved.places,
        snapshot_at=saved.state_at,
        has_board=saved.has_board,
    )
