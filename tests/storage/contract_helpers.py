"""Helpers of tests/storage/test_contract.py, which other tests use as well."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.game.game_log import DiceSeed, GameChange, LoggedEvent, Participant
from bot.storage.postgres import PostgresStore
from bot.storage.records import Binding, Commit, DueRow, Outgoing
from bot.storage.sqlite import SqliteStore
from bot.storage.store import Store
from tests.standins.postgres import PostgresServer, SetClock

PLACE, SERVER = "discord:s1:c1", "discord:s1"

Clock = SetClock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgres"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Store]:
    if request.param == "sqlite":
        async with await SqliteStore.open(tmp_path / "games.db", clock=clock) as opened:
            yield opened
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        clock.rules(server, monkeypatch)
        async with await PostgresStore.open(server.new_database(), clock=clock) as shared:
            yield shared


def event(number: int, game: str = "g1", body: str = '{"kind":"roll"}') -> LoggedEvent:
    return LoggedEvent(game, number, body, f"hash{number}")


def new_game(game: str = "g1", place: str = PLACE, server: str = SERVER) -> Commit:
    return Commit(
        request_id=f"start {game}",
        reply={"text": "A game."},
        changes=(GameChange(game, 0, (event(1, game),), state={"turn": 1}),),
        bindings=[Binding(place, game, None, server)],
        persons=(Participant(game, "p1", "discord:anna", "Anna"),),
        seeds=(DiceSeed(game, 1, b"\1" * 32, "c0ffee", 1),),
    )


def out(place: str = PLACE, held: float = 0.0) -> Outgoing:
    return Outgoing(place, {"token": "t"}, held)


def reminder(at: float, game: str = "g1", owner: str = "discord:anna") -> DueRow:
    return DueRow(f"{game}/remind-p1", at, "remind", {"count": 0}, owner)
