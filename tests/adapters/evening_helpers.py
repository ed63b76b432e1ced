"""Helpers of tests/adapters/test_evening.py, which other tests use as well."""

from __future__ import annotations

from bot.app import App
from bot.game.state import get_undoable_content
from bot.loading.load_game import restore_game


async def state_of(app: App, place: str) -> dict[str, object]:
    """The game's state with the players' names for their random ids."""
    saved = await app.store.load_game(place)
    assert saved is not None
    game = restore_game(saved)
    names = {row.person: row.name for row in saved.persons}
    state = get_undoable_content(game.game)
    state["players"] = {names[person]: side for person, side in state["players"].items()}
    state["master"] = names.get(str(state["master"]), "")
    return state
