"""Facts of events are worked out once, for whoever asks; what takes too long is done without."""

from __future__ import annotations

from typing import Any

import pytest

from bot.report.event_odds import Facts
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.rule_sets import RuleSets


class Apart:
    """A worker that answers with what it was asked, and refuses some."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.is_busy = False

    async def run(
        self, _function: object, asks: list[str], _systems: RuleSets, **_more: Any
    ) -> list[str]:
        self.asked.append(asks)
        if self.is_busy:
            raise UserError("Busy.", code="busy")
        if "slow" in asks:
            raise UserError("That takes too long.", code="too-large")
        return [f'{{"title":"{ask}"}}' for ask in asks]


async def test_the_same_question_is_worked_out_once_and_the_newest_first() -> None:
    facts, apart = Facts(), Apart()
    told = await facts.compute_missing(
        apart.run, {1: "fire", 2: "melee", 3: "fire"}, load_shared_systems()
    )
    assert told == {1: '{"title":"fire"}', 2: '{"title":"melee"}', 3: '{"title":"fire"}'}
    assert apart.asked == [["fire", "melee"]]
    await facts.compute_missing(apart.run, {1: "fire", 4: "rally"}, load_shared_systems())
    assert apart.asked[1:] == [["rally"]]
    assert facts.get_cached({7: "rally", 8: "never asked"}) == {7: '{"title":"rally"}'}


async def test_one_that_takes_too_long_spoils_no_other() -> None:
    facts, apart = Facts(), Apart()
    told = await facts.compute_missing(apart.run, {1: "fire", 2: "slow"}, load_shared_systems())
    assert told == {1: '{"title":"fire"}', 2: "{}"}
    assert facts.get_cached({1: "fire", 2: "slow"}) == {1: '{"title":"fire"}'}


async def test_a_busy_worker_is_asked_again_the_next_time() -> None:
    facts, apart = Facts(), Apart()
    apart.is_busy = True
    with pytest.raises(UserError) as refused:
        await facts.compute_missing(apart.run, {1: "fire"}, load_shared_systems())
    assert refused.value.code == "busy"
    apart.is_busy = False
    assert await facts.compute_missing(apart.run, {1: "fire"}, load_shared_systems()) == {
        1: '{"title":"fire"}'
    }
