"""What one person or channel may ask for: an honest table never notices, a script is refused
kindly.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from bot.app import App
from bot.execution import budgets, executor
from bot.execution.budgets import Budgets
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app

HERE, THERE = Place("discord:1/2", "discord:1"), Place("discord:1/3", "discord:1")


@dataclass
class Table:
    """A channel with budgets, on a clock that the test moves."""

    app: App
    per_minute: int | None = 60
    now: float = 100.0
    typed: int = 0

    @classmethod
    async def open(cls, per_minute: int | None = 60) -> Table:
        """With nothing played yet."""
        table = cls(await fresh_app(), per_minute)
        table.app.executor.budgets = Budgets(per_minute, lambda: table.now)
        return table

    async def say(
        self, name: str, text: str = "roll 2d6", *, where: Place = HERE, manager: bool = False
    ) -> Reply:
        self.typed += 1
        return await self.app.run_text(
            text, Person(f"discord:{name}", name, manager), where, f"r{self.typed}"
        )


@pytest.mark.parametrize("minutes", [5, pytest.param(60, marks=pytest.mark.slow)])
async def test_forty_commands_a_minute_for_an_hour_are_never_refused(minutes: int) -> None:
    table = await Table.open()
    for _ in range(40 * minutes):
        assert not (await table.say("Anna", "roll 1d6")).error
        table.now += 1.5


async def test_a_script_is_refused_privately_and_told_when_to_come_back_while_others_play_on() -> (
    None
):
    table = await Table.open()
    answers = [await table.say("Bot") for _ in range(70)]
    assert [reply.error for reply in answers] == [False] * 60 + [True] * 10
    refused = answers[-1]
    assert refused.private
    assert refused.title == "Slow down: 60 commands a minute per person."
    assert "Try again in 2 seconds." in refused.format_text()
    assert not (await table.say("Anna")).error
    assert (await table.say("Bot", manager=True)).code == "over-budget", (
        "who manages the server has the same"
    )
    table.now += 1.0
    assert not (await table.say("Bot")).error


async def test_a_channel_has_a_budget_too_and_the_next_channel_its_own() -> None:
    table = await Table.open()
    answers = [await table.say(f"P{number}", "roll 1d6") for number in range(310)]
    assert sum(reply.error for reply in answers) == 10
    assert answers[-1].title == "Slow down: 300 commands a minute in one channel."
    assert not (await table.say("P309", where=THERE)).error


@pytest.mark.parametrize(
    ("most", "title"),
    [
        (1, "Slow down: 1 command a minute per person."),
        (20, "Slow down: 20 commands a minute per person."),
    ],
)
async def test_who_is_refused_reads_how_much_this_host_allows(most: int, title: str) -> None:
    table = await Table.open(per_minute=most)
    answers = [await table.say("Bot") for _ in range(most + 1)]
    assert [reply.title for reply in answers if reply.error] == [title]


async def test_odds_and_exports_are_dearer_than_rolls() -> None:
    fire = 'lnlt fire attackers="squad fp=3" targets="squad morale=5" odds'
    table = await Table.open()
    assert [(await table.say("Anna", fire)).error for _ in range(40)].count(False) == 30
    await table.say("Ben")
    assert [(await table.say("Ben", "game export")).error for _ in range(10)].count(False) == 5


async def test_a_request_that_was_answered_is_not_refused_when_it_comes_again() -> None:
    table = await Table.open(per_minute=1)
    who = Person("discord:Anna", "Anna")
    first = await table.app.run_text("roll 2d6", who, HERE, "once")
    assert (await table.app.run_text("roll 2d6", who, HERE, "twice")).code == "over-budget"
    again = await table.app.run_text("roll 2d6", who, HERE, "once")
    assert again.seen
    assert again.title == first.title


async def test_so_many_of_one_person_at_once_and_no_more() -> None:
    table = await Table.open(per_minute=1000)
    answers = await asyncio.gather(*(table.say("Bot", "roll 1d6") for _ in range(50)))
    assert sum(reply.error for reply in answers) == 50 - budgets.AT_ONCE
    assert {reply.code for reply in answers} == {"", "too-many-at-work"}
    assert not (await table.say("Bot")).error, "the place is free again"


async def test_a_full_line_in_a_channel_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "IN_LINE", 5)
    table = await Table.open(per_minute=None)
    answers = await asyncio.gather(*(table.say(f"P{number}", "roll 1d6") for number in range(8)))
    assert [reply.error for reply in answers] == [False] * 5 + [True] * 3
    assert answers[-1].private
    assert "busy" in answers[-1].title


async def test_all_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "ALL_AT_ONCE", 5)
    table = await Table.open(per_minute=None)
    wheres = [Place(f"discord:1/{number}", "discord:1") for number in range(8)]
    answers = await asyncio.gather(
        *(table.say("Anna", "roll 1d6", where=where) for where in wheres)
    )
    assert sum(reply.error for reply in answers) == 3
    assert not (await table.say("Anna")).error


async def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "KNOWN", 10)
    table = await Table.open()
    for number in range(50):
        await table.say(f"P{number}", "roll 1d6", where=Place(f"discord:1/{number}", "discord:1"))
    kept = table.app.executor.budgets
    assert kept._persons is not None
    assert len(kept._persons._left) == 10
    assert not kept._under_way


async def test_a_search_through_the_whole_log_costs_more_than_its_newest_page() -> None:
    for line, often in (("log", 60), ("log page=3", 20), ("log unit=nobody", 20)):
        table = await Table.open()
        await table.say("Anna")
        answers = [await table.say("Bot", line) for _ in range(61)]
        assert sum(not reply.error for reply in answers) == often, line


async def test_a_thousand_dice_cost_more_than_two_also_again() -> None:
    for line in ("roll 1000d6", "roll 1000d6 secret"):
        table = await Table.open()
        answers = [await table.say("Bot", line) for _ in range(10)]
        assert sum(not reply.error for reply in answers) < 5
    table = await Table.open()
    await table.say("Anna", "roll 1000d6")
    answers = [await table.say("Bot", "again") for _ in range(10)]
    assert sum(not reply.error for reply in answers) < 5
    assert not (await table.say("Anna")).error


async def test_odds_leave_a_draft_for_a_day_only() -> None:
    now = [1_000_000.0]
    app = await fresh_app(lambda: now[0])
    line = 'lnlt fire attackers="squad fp=3" targets="squad morale=5" odds'
    asked = await app.run_text(line, Person("discord:Anna", "Anna"), HERE, "o1")
    key = asked.buttons[0].action.partition(":")[2]
    now[0] += 23 * 3600
    assert await app.drafts.get(key, "discord:Anna") is not None
    now[0] += 2 * 3600
    assert await app.drafts.get(key, "discord:Anna") is None
