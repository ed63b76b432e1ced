"""The check of a whole database: an honest game passes, whatever was changed in the file is
named.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.game.events import replay
from bot.game.game_log import DiceSeed, GameChange, LoggedEvent, LoggedText
from bot.game.state import to_json
from bot.rules.dice import d6
from bot.rules.proof.chain import compute_event_hash, compute_genesis, hash_salted, to_canonical
from bot.rules.proof.fair import NO_TEXTS, Stream, compute_commitment
from bot.storage.records import Binding, Commit, Json
from bot.verification.check_games import audit_game, audit_games
from tests.fresh import fresh_store

SEED = b"s" * 32


def commit(game: str, row: str = "") -> Commit:
    """A game with an open and a sealed roll under a seed that nobody knows yet."""

    def rolled(event: int) -> list[Json]:
        die = d6("d6")
        return [die.with_value(Stream(SEED, game, event).draw(die)).to_note()]

    def roll(event: int) -> Json:
        dice = rolled(event)
        total = dice[0]["value"]
        return {
            "kind": "roll", "command": "roll", "inputs": {"dice": "d6"}, "dice": dice,
            "out": {"total": total, "dice": [total]}, "result": str(total),
        }  # fmt: skip

    row, secret = row or game, to_canonical(roll(3))
    bodies: list[Json] = [
        {
            "kind": "start",
            "free": True,
            "game": game,
            "secret": {
                "epoch": 1,
                "commitment": compute_commitment(SEED),
                "digest": NO_TEXTS,
                "closing": True,
                "protocol": 2,
            },
        },
        {**roll(2), "closes": True},
        {"kind": "sealed", "of": "roll", "sealed": hash_salted("salt", secret)},
    ]
    previous, events = compute_genesis(game), []
    for number, body in enumerate(bodies, 1):
        text = to_canonical(
            {"number": number, "at": 7, "who": "p1", "side": "", "behind": number - 1, **body}
        )
        previous = compute_event_hash(previous, text)
        events.append(LoggedEvent(row, number, text, previous))
    return Commit(
        changes=(GameChange(row, 0, tuple(events)),),
        bindings=[Binding(f"place {row}", row, None)],
        seeds=(DiceSeed(row, 1, SEED, compute_commitment(SEED), 2),),
        texts=(
            LoggedText(row, 3, "sealed", "salt", secret),
            LoggedText(row, 3, "answer", "salt", "a 5"),
        ),
    )


async def test_honest_games_pass() -> None:
    store = await fresh_store()
    await store.commit(commit("g1"))
    await store.commit(commit("g2"))
    await store.commit(commit("imported", "g3"))
    assert await audit_games(store) == (3, [])
    assert await audit_game(store, "unknown") == []


async def test_an_empty_database_passes() -> None:
    assert await audit_games(await fresh_store()) == (0, [])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda c: replace(c, seeds=(replace(c.seeds[0], seed=b"t" * 32),)),
            "not the one promised",
        ),
        (lambda c: replace(c, texts=(c.texts[0]._replace(text='{"dice":[]}'),)), "was changed"),
        (lambda c: with_event(c, 1, body='{"dice":[],"number":2}'), "hash does not match"),
        (lambda c: with_event(c, 2, hash="0" * 64), "hash does not match"),
    ],
)
async def test_what_was_changed_is_named(change, fault) -> None:  # type: ignore[no-untyped-def]
    store = await fresh_store()
    await store.commit(change(commit("g1")))
    _, faults = await audit_games(store)
    assert faults
    assert faults[0].startswith("Game g1: ")
    assert fault in faults[0]
    assert SEED.hex() not in str(faults)


def with_event(commit: Commit, index: int, **fields: Any) -> Commit:
    change = commit.changes[0]
    events = list(change.events)
    events[index] = events[index]._replace(**fields)
    return replace(commit, changes=(change._replace(events=tuple(events)),))


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        ({"turn": 1}, "cannot be read"),
        ({"name": "Another"}, "not what the log leads to"),
        ({"number": 9}, "not what"),
    ],
)
async def test_a_state_that_the_log_does_not_explain(state: Json, fault: str) -> None:
    store, honest = await fresh_store(), commit("g1")
    explained = to_json(replay("g1", (event.data for event in honest.changes[0].events)))
    snapshot = {**explained, **state} if "turn" not in state else state
    await store.commit(replace(honest, changes=(honest.changes[0]._replace(state=snapshot),)))
    count, faults = await audit_games(store)
    assert count == 1
    assert fault in faults[0]
