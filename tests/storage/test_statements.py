"""The statements of both engines: each may fail, and each matters."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.game.game_log import DiceSeed, GameChange, LoggedEvent, LoggedText, Participant
from bot.storage import statements
from bot.storage.base import DAY, Conflict, StoreError
from bot.storage.records import (
    TABLES,
    Binding,
    Commit,
    Doc,
    DueRow,
    Outgoing,
    PressedMessage,
    compute_tombstone,
)
from bot.storage.sqlite import TemporaryStore
from bot.storage.statements import Row, SqlStep, Talk
from bot.storage.store import Store
from tests.storage import test_contract as contract
from tests.storage.contract_helpers import (
    PLACE,
    SERVER,
    Clock,
    clock,
    event,
    new_game,
    out,
    reminder,
    store,
)

__all__ = ["clock", "store"]  # fixtures

BEFORE = (
    new_game("g1"),
    replace(
        new_game("old", "discord:s1:c2"),
        user="discord:anna",
        outbox=[Outgoing(PLACE, {}, 0.0, None, "g1/9"), out()],
        pressed=PressedMessage("old/1", PLACE, {"at": 3}),
    ),
    Commit(
        "r0",
        {"title": "Over", "over": "Undone"},
        "discord:bert",
        docs=[Doc("draft", "d", {}), Doc("k", "bert", {}, None, "discord:bert")],
        due=[reminder(5.0), reminder(6.0, "old"), reminder(7.0, "g3", "discord:bert")],
        persons=(Participant("g1", "p2", "discord:bert", "Bert"),),
        texts=(LoggedText("g1", 1, "label", "salt", "words", "p2"),),
        outbox=[
            Outgoing(PLACE, {}, 0.0, None, "g1/8"),
            Outgoing(PLACE, {}, 600.0),
            Outgoing(
                PLACE, {}, 0.0, {"title": "2d6", "over": "Undone", "tone": "gone"}, "", "g1/7"
            ),
        ],
    ),
    Commit(
        outbox=[
            Outgoing(PLACE, {}, 0.0, {}, "g1/1"),
            Outgoing(PLACE, {}, 0.0, {"text": "1"}, "", "g1/board"),
        ]
    ),
)
POSTED = (1, 3)
ALL = Commit(
    "r1",
    {"text": "all"},
    "discord:anna",
    changes=(
        GameChange("g1", 1, (event(2), event(3)), {"turn": 2}),
        GameChange("g2", 0, (LoggedEvent("g2", 1, "{}", "h"),)),
        GameChange("g1", 2),
    ),
    bindings=[Binding(PLACE, "g2", "g1", SERVER, alone=True), Binding("slack:T/C", "g1", None)],
    persons=(Participant("g2", "p1", "discord:anna", "Anna"),),
    texts=(LoggedText("g2", 1, "label", "salt", "words", "p1"),),
    seeds=(DiceSeed("g2", 1, b"\1\0\xff" * 8, "c0ffee", 1),),
    docs=[Doc("k", "k", {"a": 1.5}, 2e6, "discord:cleo")],
    drop_docs=[("draft", "d")],
    drop_due=[("g1/remind-p1", 5.0)],
    due=[DueRow("g2/x", 7.25, "remind", {})],
    withdraw=["g1/1"],
    erase=["old"],
    forget=["discord:bert"],
    pressed=PressedMessage("g2/1", PLACE, {"at": 1}),
    outbox=[
        Outgoing(PLACE, {}, 0.0, {"text": "2"}, "", "g1/board"),
        Outgoing(PLACE, {"token": "t"}, 5.0, None, "g2/1", "", "home"),
    ],
)
"""A commit with something of everything."""
SEED = (b"\1" * 32, "c0ffee", 1, "[]", "", None)
STONES = [compute_tombstone(request) for request in ("r0", "start old")]
AFTER = {
    "games": [("g1", 4, 4, "hash3", 1e6, 1e6), ("g2", 1, 2, "h", 1e6, 1e6)],
    "snapshots": [("g1", 3, '{"turn":2}')],
    "events": [
        ("g1", 1, '{"kind":"roll"}', "hash1"),
        ("g1", 2, '{"kind":"roll"}', "hash2"),
        ("g1", 3, '{"kind":"roll"}', "hash3"),
        ("g2", 1, "{}", "h"),
    ],
    "marks": [],
    "bindings": [
        (PLACE, "g1", SERVER, False, None, 1),
        (PLACE, "g2", SERVER, True, None, 2),
        ("slack:T/C", "g1", "slack:T/C", True, None, 1),
    ],
    "persons": [("g1", "p1", "discord:anna", "Anna"), ("g2", "p1", "discord:anna", "Anna")],
    "texts": [("g2", 1, "label", "salt", "words", "p1")],
    "seeds": [("g1", 1, *SEED), ("g2", 1, b"\1\0\xff" * 8, *SEED[1:])],
    "requests": [
        ("r1", "g1", "", '{"text":"all"}', 1e6),
        ("start g1", "g1", "", '{"text":"A game."}', 1e6),
    ],
    "tombstones": sorted((stone, 1e6) for stone in STONES),
    "outbox": [
        (5, "", PLACE, '{"title":"Undone","tone":"gone"}', "{}", 1e6, 0, 1e6, "", "g1/7", ""),
        (8, "r1", PLACE, '{"text":"2"}', "{}", 1e6, 0, 1e6, "", "g1/board", ""),
        (9, "r1", PLACE, None, '{"token":"t"}', 1e6 + 5, 0, 1e6, "g2/1", "", "home"),
    ],
    "shown": [
        ("g1/8", PLACE, '{"at":0}', ""),
        ("g1/9", PLACE, '{"at":0}', ""),
        ("g2/1", PLACE, '{"at":1}', ""),
    ],
    "docs": [("k", "k", '{"a":1.5}', 2e6, "discord:cleo")],
    "due": [("g2/x", 7.25, "remind", "{}", "")],
}
"""What a store holds behind it; JSON without its check sums."""
COUNT = sum(1 for _ in statements.build_commit_steps(ALL, "attempt", 0.0))
CONFLICT = SqlStep("DELETE FROM games WHERE id = ?1", ("nobody",), Conflict("nobody"))
FAULT = SqlStep("INSERT INTO events (game, number, body, hash) VALUES (?1, 1, NULL, '')", ("g9",))


async def held(store: Store) -> dict[str, list[Row]]:
    """All rows of all tables, as both engines have them."""
    found: dict[str, list[Row]] = {}
    for table, columns in TABLES.items():
        if table != "receipts":  # a file of its own on SQLite
            names = ", ".join(f'"{column}"' for column in columns)
            rows = await store._ask(f"SELECT {names} FROM {table} ORDER BY 1, 2")
            found[table] = [
                tuple(one.strip() if isinstance(one, str) else one for one in row) for row in rows
            ]
    return found


async def begin(store: Store) -> None:
    """Have something of everything that can be changed."""
    for commit in BEFORE:
        await store.commit(commit)
    await store.mark_outbox_done(*POSTED, spot={"at": 0})


@pytest.fixture
async def begun(store: Store) -> Store:
    await begin(store)
    return store


async def test_each_statement_of_a_commit_changes_what_it_should(store: Store) -> None:
    await begin(store)
    await store.commit(ALL)
    assert await held(store) == AFTER


async def test_a_sweep_leaves_nothing_that_is_outdated(store: Store, clock: Clock) -> None:
    """Nor what was written while the clock was ahead: it counts as written now."""
    await store.commit(Commit("r1", user="discord:anna", docs=[Doc("k", "k", {}, clock.now + 1)]))
    await store.commit(Commit(forget=["discord:anna"]))
    await store.commit(Commit("r2"))
    clock.now -= 2 * DAY
    await store.sweep(None)
    clock.now += 7 * DAY + 1
    await store.sweep(None)
    left = await held(store)
    assert [left["requests"], left["docs"]] == [[], []]
    clock.now += 2 * DAY
    await store.sweep(None)
    assert not any((await held(store)).values())


@pytest.mark.sample(2)
@pytest.mark.parametrize("fails", [CONFLICT, FAULT], ids=["conflict", "fault"])
async def test_each_statement_of_a_commit_may_fail_and_nothing_of_it_stays(
    begun: Store, monkeypatch: pytest.MonkeyPatch, fails: SqlStep
) -> None:
    """In turn, each among others of the same batch, which go through."""
    real, before = statements.build_commit_steps, await held(begun)
    for at in range(COUNT):

        def broken(commit: Commit, attempt: str, now: float, at: int = at) -> Iterator[SqlStep]:
            steps = list(real(commit, attempt, now))
            return iter([*steps[:at], fails, *steps[at + 1 :]] if commit is ALL else steps)

        monkeypatch.setattr(statements, "build_commit_steps", broken)
        others = (Commit(docs=[Doc("count", f"{at} {side}", {})]) for side in "ab")
        one, failed, two = await asyncio.gather(
            begun.commit(next(others)),
            begun.commit(ALL),
            begun.commit(next(others)),
            return_exceptions=True,
        )
        assert isinstance(failed, Conflict if fails is CONFLICT else (StoreError, Exception)), at
        assert not isinstance(one, Exception)
        assert not isinstance(two, Exception)
        assert {doc.key for doc in await begun.load_docs("count")} >= {f"{at} a", f"{at} b"}
    monkeypatch.setattr(statements, "build_commit_steps", real)
    await begun.commit(
        Commit(drop_docs=[("count", doc.key) for doc in await begun.load_docs("count")])
    )
    assert await held(begun) == before
    assert not (await begun.commit(ALL)).seen, "and once nothing fails, all of it is done"
    assert (await begun.commit(ALL)).seen


class Leaving(TemporaryStore):
    """A store that leaves one statement out, and notes those that it meets."""

    def watch(self, without: str, met: dict[str, None]) -> None:
        """From now on."""
        write, talk = self._writer.write, self._writer.talk

        async def fewer(steps: Sequence[SqlStep], **how: Any) -> Sequence[Row]:
            met.update(dict.fromkeys(step.sql for step in steps))
            return await write([step for step in steps if step.sql != without], **how)

        async def shorter(begin: Callable[[], Talk]) -> Any:
            return await talk(lambda: leaving(begin(), without, met))

        self._writer.write = fewer  # type: ignore[method-assign]
        self._writer.talk = shorter  # type: ignore[method-assign]


def leaving(
    talk: Talk, without: str, met: dict[str, None]
) -> Generator[SqlStep, Sequence[Row], Any]:
    """A talk whose statement `without` finds nothing."""
    rows: Sequence[Row] | None = None
    try:
        while True:
            step = talk.send(rows) if rows is not None else next(talk)
            met[step.sql] = None
            rows = () if step.sql == without else (yield step)
    except StopIteration as end:
        return end.value


CASES = [
    case
    for name, case in (vars(contract) | globals()).items()
    if name.startswith("test_")
    and set(inspect.signature(case).parameters) in ({"store"}, {"store", "clock"})
]
"""What every store promises, where it takes nothing but a store."""


async def kept(case: Callable[..., Any], without: str, met: dict[str, None]) -> bool:
    """Whether a store without this statement keeps a promise."""
    clock = Clock()
    store = await Leaving.make(clock)
    store.watch(without, met)
    given = {"store": store, "clock": clock}
    try:
        await case(**{name: given[name] for name in inspect.signature(case).parameters})
    except (Exception, pytest.fail.Exception):
        return False
    else:
        return True
    finally:
        await store.close()


async def all_kept(without: str) -> bool:
    """Whether nobody notices that a statement is missing."""
    for case in CASES:
        if not await kept(case, without, {}):
            return False
    return True


@pytest.mark.thorough
@pytest.mark.timeout(1200)
async def test_each_statement_that_is_left_out_breaks_a_promise() -> None:
    met: dict[str, None] = {}
    for case in CASES:
        assert await kept(case, "", met)
    missed = [sql for sql in list(met) if await all_kept(sql)]
    assert not missed, "no promise of test_contract.py needs these"
