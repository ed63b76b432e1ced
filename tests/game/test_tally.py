"""Luck that reads a log bit by bit counts what the whole log would."""

from __future__ import annotations

import json
from random import Random
from typing import Any, cast

import pytest

from bot.commands.context import Context
from bot.commands.games import stats
from bot.game.events import find_undone_events
from bot.game.game_log import LoggedEvent
from bot.game.luck import ScoredRoll, Tally, Worth, measure_all, scan
from bot.loading import log_reader
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.rule_sets import RuleSets
from tests.playing import Channel, two_sides

MOST = 6
SIDES = ("US", "VC")


ROLL = {
    "system": "lnlt",
    "target": "rally",
    "edition": find_shared_system("lnlt").edition,
    "dice": [{"value": 3}],
}
ASKS = {
    "name": "answer",
    "ask": "Well?",
    "options": ["go", "stay"],
    "says": ["go", "stay"],
    "else": "go",
}


def some_log(rng: Random, length: int) -> list[LoggedEvent]:
    """A log in which rolls ask, are decided, are undone and are brought back, also old ones."""
    rows: list[LoggedEvent] = []
    for number in range(1, length + 1):
        body: dict[str, Any] = {"number": number, "who": "p1", "side": "US", "kind": "roll"}
        chance = rng.random()
        waiting = [row.data for row in rows if '"asks"' in row.body]
        if chance < 0.1 and waiting:
            asked = rng.choice(waiting)
            body |= {
                **ROLL,
                "kind": "choice",
                "event": asked["number"],
                "picks": ["go"],
                "out": {"outcome": "rallied"},
            }
            if rng.random() < 0.3:
                body["asks"] = ASKS
        elif chance < 0.6:
            body |= {
                **ROLL,
                "kind": "sequence",
                "inputs": {"units": f"squad morale={rng.randrange(4, 8)}"},
            }
            body |= {"asks": ASKS} if rng.random() < 0.3 else {"out": {"outcome": "rallied"}}
        elif chance < 0.85 and number > 3:
            body |= {
                "kind": rng.choice(["undo", "undo", "redo"]),
                "event": rng.randrange(1, number),
            }
        rows.append(
            LoggedEvent("g", number, json.dumps(body, separators=(",", ":")), f"hash{number}")
        )
    return rows


class Log:
    """A desk with a log that is read some events at a time, from its end."""

    def __init__(self, rows: list[LoggedEvent]) -> None:
        self.rows = rows
        self.store = self.ledger = self.game = self
        self.row, self.number, self.sides = "g", len(rows), SIDES
        self.systems = load_shared_systems()

    async def load_events(
        self, row: str, *, after: int, before: int | None, limit: int
    ) -> list[LoggedEvent]:
        """The events after one, in order."""
        assert before is None, row
        return [one for one in self.rows if one.number > after][:limit]

    async def apart(self, function: Any, *given: Any) -> Any:
        """Do it here, as the worker does it."""
        return function(*given)


@pytest.mark.sample(6)
@pytest.mark.parametrize("seed", range(40))
async def test_bit_by_bit_it_is_the_whole_log(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(seed)
    rows = some_log(rng, 80)
    whole = Tally()
    whole.add(scan((row.data for row in rows), SIDES, {}, load_shared_systems()))
    monkeypatch.setattr(log_reader, "BATCH", rng.choice([1, 3, 10]))
    tally = await stats.load_tally(cast("Context", Log(rows)))
    assert [roll.number for roll in tally.rolls_with_score] == [
        roll.number for roll in whole.rolls_with_score
    ]
    assert tally.total == whole.total
    undone = find_undone_events(row.data for row in rows)
    assert {roll.number for roll in tally.rolls_with_score}.isdisjoint(undone)


async def test_of_a_very_long_game_the_latest_rolls_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stats, "MOST", MOST)
    tally = Tally()
    tally.add(scan((row.data for row in some_log(Random(1), 80)), SIDES, {}, load_shared_systems()))

    async def measure(
        _context: Context, rolls: list[ScoredRoll], systems: RuleSets
    ) -> list[Worth | None]:
        return list(measure_all(rolls, systems))

    measured = await stats._measure_rolls(
        cast("Context", None), tally, load_shared_systems(), measure
    )
    assert [roll.number for roll, _ in measured.rolls] == [
        roll.number for roll in tally.rolls_with_score[-MOST:]
    ]
    assert measured.left_out == len(tally.rolls_with_score) - MOST


async def test_statistics_again_say_what_they_would_have_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for number in (1, 2):
        await channel.do("Anna", f"lnlt fire attackers=us{number} targets=vc{number}")
    first = (await channel.do("Anna", "game stats")).format_text()
    known = dict(stats._worth_cache)
    with monkeypatch.context() as patch:
        patch.setattr(stats, "_measure_in_worker", None)  # what it was worth is known
        assert (await channel.do("Bob", "game stats")).format_text() == first
    await channel.do("Anna", "lnlt morale-check units=us3")
    asked = await channel.undo_last("Anna")
    assert (await channel.do("Anna", "game stats")).format_text() != first
    await channel.press("Bob", asked.buttons[0].action)
    kept = (await channel.do("Anna", "game stats")).format_text()
    stats._worth_cache.clear()
    assert (await channel.do("Anna", "game stats")).format_text() == kept
    assert stats._worth_cache.keys() <= known.keys()
    assert kept.splitlines()[1:-1] == first.splitlines()[1:-1]
