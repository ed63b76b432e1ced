"""A game as it was loaded: its state, where its chain ends, who plays, and the dice secret in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.game.events import apply
from bot.game.state import Game, from_json
from bot.stores.records import PersonRow, Saved, SeedRow

SNAPSHOT_EVERY = 25
"""Events between two snapshots: loading replays at most so many."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One version of a game. `row` is its id in the store; the id in `game` stays the same through an import."""

    row: str
    game: Game
    version: int
    head: str
    persons: Mapping[str, PersonRow]
    seed: SeedRow
    places: tuple[str, ...]
    snapshot_at: int
    has_board: bool = False
    is_unasked: bool = False
    shown: int = -1  # the last event whose answer had digits of the head; -1: nobody has looked

    def person_of(self, user: str) -> PersonRow | None:
        """Who a platform's user is in this game."""
        return person_of(user, self.persons, self.game)


def person_of(user: str, persons: Mapping[str, PersonRow], game: Game) -> PersonRow | None:
    """Who a platform's user is in a game: of several persons (one of them claimed from a file) the one with a seat."""
    own = [row for row in persons.values() if row.user == user]
    if len(own) < 2:
        return own[0] if own else None
    return next((row for row in own if row.person in game.players or row.person == game.master), own[0])


def load(saved: Saved) -> Loaded:
    """The game that the store kept: its last snapshot, and the events since applied to it.

    Raises ValueError where the log does not follow on the snapshot.
    """
    first = saved.events[0].data if saved.events else {}
    game = from_json(saved.state) if saved.state else Game(first.get("game", saved.game.id))
    for row in saved.events:
        game = apply(game, row.data)
    if saved.seed is None:
        raise ValueError(f"game {saved.game.id} has no seed")
    return Loaded(
        row=saved.game.id,
        game=game,
        version=saved.game.version,
        head=saved.game.head,
        persons={row.person: row for row in saved.persons},
        seed=saved.seed,
        places=saved.places,
        snapshot_at=saved.state_at,
        has_board=saved.has_board,
    )
