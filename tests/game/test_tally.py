"""A tally that takes in a log bit by bit counts what the whole log would."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import bot.commands.log.luck
import bot.game.tally
from bot.game.events import undone_events
from bot.game.stats import tries
from bot.game.tally import News, Tally, numbers_in, tries_in
from bot.stores.records import EventRow
from tests.playing import Channel, two_sides

MOST, SPARE = 6, 2
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


def read(tally: Tally, rows: list[EventRow], batch: int) -> None:
    """Take in what is new, as it is read from the end."""
    news, new = News(), [row for row in reversed(rows) if row.number > tally.upto]
    for start in range(0, len(new), batch):
        bodies = news.see(new[start : start + batch])
        if news.is_enough:
            news.older += reversed(numbers_in(bodies, SIDES))
        else:
            news.found(tries_in(bodies, SIDES))
    tally.add(news)


@pytest.mark.parametrize("seed", range(40))
def test_bit_by_bit_it_is_the_whole_log(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot.game.tally, "MOST", MOST)
    monkeypatch.setattr(bot.game.tally, "SPARE", SPARE)
    rng = Random(seed)
    log, tally, anew, upto = some_log(rng, 80), Tally(SIDES, ()), 0, 0
    while upto < len(log):
        upto += rng.choice([1, 2, 30])
        rows = log[:upto]
        read(tally, rows, rng.choice([1, 3, 10]))
        if tally.is_short:  # so many were undone that it has to be begun anew
            tally, anew = Tally(SIDES, ()), anew + 1
            read(tally, rows, 3)
        events = [row.data for row in rows]
        whole = tries(events, undone_events(events), SIDES)
        assert [one.number for one in tally.counted()] == [one.number for one in whole[-MOST:]]
        assert tally.left_out == max(0, len(whole) - MOST)
        assert {one.key for one in tally.counted()} <= tally.asks.keys() | tally.worths.keys()
    assert anew < 10


async def test_statistics_again_read_what_is_new_and_say_what_they_would_have_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for number in (1, 2):
        await channel.do("Anna", f"lnlt fire attackers=us{number} targets=vc{number}")
    first = (await channel.do("Anna", "game stats")).text()
    store, seen = channel.app.store, list[int]()
    events = store.events

    async def counting(*given: Any, **more: Any) -> Any:
        rows = await events(*given, **more)
        seen.append(len(rows))
        return rows

    monkeypatch.setattr(store, "events", counting)
    assert (await channel.do("Bob", "game stats")).text() == first
    assert sum(seen) == 1, "the event behind which nothing is new"
    seen.clear()
    await channel.do("Anna", "lnlt morale-check units=us3")
    asked = await channel.undo_last("Anna")
    seen.clear()
    assert (await channel.do("Anna", "game stats")).text() != first
    assert sum(seen) == 2
    await channel.press("Bob", asked.buttons[0].action)
    kept = (await channel.do("Anna", "game stats")).text()
    bot.commands.log.luck._tallies.clear()
    assert (await channel.do("Anna", "game stats")).text() == kept
    assert kept.splitlines()[1:-1] == first.splitlines()[1:-1]
