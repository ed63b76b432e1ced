"""Luck that reads a log bit by bit counts what the whole log would."""

from __future__ import annotations

import json
from random import Random
from typing import Any, cast

import pytest

from bot.commands.context import Context
from bot.commands.log import stats
from bot.game.events import undone_events
from bot.game.luck import tries_in
from bot.stores.records import EventRow
from tests.playing import Channel, two_sides

MOST = 6
SIDES = ("US", "VC")


def some_log(rng: Random, length: int) -> list[EventRow]:
    """A log in which rolls that count are undone and brought back, also old ones."""
    rows: list[EventRow] = []
    for number in range(1, length + 1):
        body: dict[str, Any] = {"number": number, "who": "p1", "side": "US", "kind": "roll"}
        chance = rng.random()
        if chance < 0.6:
            body |= {
                "kind": "sequence",
                "system": "lnlt",
                "target": "rally",
                "dice": [{"value": 3}],
                "result": "rallied",
            }
            body |= {"inputs": {"units": f"squad morale={rng.randrange(4, 8)}"}, "out": {"outcome": "rallied"}}
        elif chance < 0.85 and number > 3:
            body |= {"kind": rng.choice(["undo", "undo", "redo"]), "event": rng.randrange(1, number)}
        rows.append(EventRow("g", number, json.dumps(body, separators=(",", ":")), f"hash{number}"))
    return rows


class Log:
    """A desk with a log that is read some events at a time, from its end."""

    def __init__(self, rows: list[EventRow]) -> None:
        self.rows = rows
        self.store = self.ledger = self.game = self
        self.row, self.number, self.sides = "g", len(rows), SIDES

    async def events(self, row: str, *, before: int | None, limit: int, newest_first: bool) -> list[EventRow]:
        """Those in front of one, the last one first."""
        assert newest_first, row
        return [one for one in reversed(self.rows) if before is None or one.number < before][:limit]

    async def apart(self, function: Any, *given: Any) -> Any:
        """As the worker does it."""
        return function(*given)


@pytest.mark.parametrize("seed", range(40))
async def test_bit_by_bit_it_is_the_whole_log(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "MOST", MOST)
    rng = Random(seed)
    log, upto = some_log(rng, 80), 0
    while upto < len(log):
        upto += rng.choice([1, 2, 30])
        rows = log[:upto]
        monkeypatch.setattr(stats, "BATCH", rng.choice([1, 3, 10]))
        rolls, left_out = await stats._rolls(cast("Context", Log(rows)))
        undone = undone_events(row.data for row in rows)
        whole = tries_in([row.body for row in rows if row.number not in undone], SIDES)
        assert [one.number for one in rolls] == [one.number for one in whole[-MOST:]]
        assert left_out == max(0, len(whole) - MOST)


async def test_statistics_again_say_what_they_would_have_said(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for number in (1, 2):
        await channel.do("Anna", f"lnlt fire attackers=us{number} targets=vc{number}")
    first = (await channel.do("Anna", "game stats")).text()
    known = dict(stats._known)
    with monkeypatch.context() as patch:
        patch.setattr(stats, "_counted", None)  # what it was worth is known
        assert (await channel.do("Bob", "game stats")).text() == first
    await channel.do("Anna", "lnlt morale-check units=us3")
    asked = await channel.undo_last("Anna")
    assert (await channel.do("Anna", "game stats")).text() != first
    await channel.press("Bob", asked.buttons[0].action)
    kept = (await channel.do("Anna", "game stats")).text()
    stats._known.clear()
    assert (await channel.do("Anna", "game stats")).text() == kept
    assert stats._known.keys() <= known.keys()
    assert kept.splitlines()[1:-1] == first.splitlines()[1:-1]
