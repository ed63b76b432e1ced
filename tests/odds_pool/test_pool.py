"""Odds for many at once: nobody else waits for them, and equal questions share one count."""

from __future__ import annotations

import asyncio
import operator
import time
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bot.odds_pool import pool as counting
from bot.odds_pool.pool import OddsService, Worker
from bot.rules.errors import UserError
from bot.rules.odds.odds import Distribution
from bot.rules.odds.rolls import TooManyStates
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import Content, read_content
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.packs.visible_rulesets import combine_with_packs
from bot.rulesets.play_once import compute_each_odds, make_timer
from bot.rulesets.system import list_builtin_systems
from bot.runtime.settings import Settings
from tests.refusing import refuses

FIRE = find_shared_system("lnlt").find_sequence("fire")
BY = ("targets[0].result",)


def test_the_process_is_given_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each setting that is no part of the repr of Settings, and what else a host's file has for
    the database.
    """
    called_otherwise = {"key": "GROGNARD_KEY", "postgres": "DATABASE_URL"}
    secrets = {
        called_otherwise.get(one.name, one.name.upper()) for one in fields(Settings) if not one.repr
    }
    assert len(secrets) > 6
    for name in secrets | {"POSTGRES_PASSWORD", "PGPASSWORD", "PGPASSFILE"}:
        monkeypatch.setenv(name, "nobody-may-see-this")
    environment = counting._build_environment()
    assert "nobody-may-see-this" not in environment.values()
    assert "PATH" in environment


def shot(fp: int) -> dict[str, object]:
    return {"attackers": f"squad fp={fp}", "targets": "squad morale=5"}


class Counted:
    """Stands in for both ways of counting, and notes which was taken."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here: list[str] = []
        self.apart: list[str] = []
        self.too_large = False
        self.odds = OddsService(self)  # type: ignore[arg-type]  # all it asks of a worker is below
        monkeypatch.setattr(counting, "compute_each_odds", self._here)

    def _here(self, _: Any, raw: dict[str, str], *__: Any, **___: Any) -> dict[str, Distribution]:
        self.here.append(raw["attackers"])
        if self.too_large:
            raise TooManyStates
        return {raw["attackers"]: {"hit": Fraction(1)}}

    async def run(self, _: Any, __: Any, raw: dict[str, str], *___: Any) -> dict[str, Distribution]:
        self.apart.append(raw["attackers"])
        return {raw["attackers"]: {"hit": Fraction(1)}}

    async def ask(self, *fps: int) -> list[dict[str, Distribution]]:
        return await asyncio.gather(*(self.odds.count(FIRE, shot(fp), BY, {}) for fp in fps))


async def test_the_same_shot_is_counted_once_for_all_who_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch)
    at_once = await counted.ask(*[3] * 20)
    later = await counted.odds.count(FIRE, shot(3), BY, {})
    assert len(counted.here) + len(counted.apart) == 1
    assert all(one == later for one in at_once)


async def test_another_shot_another_output_or_another_unit_of_that_name_is_counted_anew() -> None:
    worker = Worker()
    odds = OddsService(worker)
    try:
        two, nine = await odds.count(FIRE, shot(2), BY, {}), await odds.count(FIRE, shot(9), BY, {})
        outcome = await odds.count(FIRE, shot(9), ("outcome",), {})
        assert len({repr(one) for one in (two, nine, outcome)}) == 3
    finally:
        await worker.close()


async def test_between_two_counts_on_the_spot_everybody_else_has_a_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch)
    turns: list[int] = []

    async def somebody_else() -> None:
        while True:
            turns.append(len(counted.here))
            await asyncio.sleep(0)

    other = asyncio.create_task(somebody_else())
    await counted.ask(*range(1, 21))
    other.cancel()
    assert len(counted.here) + len(counted.apart) == 20
    assert len(counted.here) <= 1 + counting.HERE, "what is more goes to the worker"
    assert set(range(1, len(counted.here))) <= set(turns), "no two of them in one turn of the loop"


async def test_large_odds_go_to_the_worker_and_a_refusal_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(monkeypatch)
    counted.too_large = True
    await counted.ask(3)
    assert counted.apart == ["squad fp=3"]

    async def gives_up(*_: Any) -> dict[str, Distribution]:
        raise TooManyStates

    monkeypatch.setattr(counted, "run", gives_up)
    with refuses("too-large"):
        await counted.ask(4)
    monkeypatch.undo()
    worker = Worker()
    try:
        assert await OddsService(worker).count(FIRE, shot(4), BY, {})
    finally:  # on a busy machine it was asked
        await worker.close()


async def test_the_number_of_counts_that_are_kept_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "MAX_CACHED_PLANS", 3)
    counted = Counted(monkeypatch)
    for fp in range(1, 10):
        await counted.ask(fp)
    assert len(counted.odds._kept) == 3
    assert not counted.odds._under_way


async def test_what_is_wrong_with_a_question_comes_back_from_the_worker_whole() -> None:
    """Words, hint, option and code are the same as on the spot, so that a form marks the field
    either way.
    """
    raw = {**shot(3), "wind": 5}
    with pytest.raises(UserError) as here:
        compute_each_odds(FIRE, raw, BY, {})
    worker = Worker()
    try:
        with pytest.raises(UserError) as apart:
            await worker.run(compute_each_odds, FIRE, raw, BY, {})
    finally:
        await worker.close()
    assert vars(apart.value) == vars(here.value)
    assert (apart.value.code, apart.value.option) == ("unknown-option", "wind")


async def test_a_full_line_before_the_worker_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "WAITING", 3)
    worker = Worker()
    try:
        answers = await asyncio.gather(
            *(worker.run(operator.neg, n) for n in range(5)), return_exceptions=True
        )
        assert answers[:3] == [0, -1, -2]
        assert all(
            isinstance(answer, UserError) and "half a minute" in str(answer.hint)
            for answer in answers[3:]
        )
        assert await worker.run(operator.neg, 7) == -7
    finally:
        await worker.close()


async def test_who_waited_too_long_before_the_worker_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "LINE_SECONDS", -1.0)
    worker = Worker()
    with refuses("busy"):
        await worker.run(operator.neg, 1)
    await worker.close()


async def test_a_sum_that_takes_too_much_memory_is_refused_and_the_next_is_counted() -> None:
    worker = Worker()
    try:
        with refuses("too-large"):
            await worker.run(operator.mul, b"x", 2**31)
        assert await worker.run(operator.neg, 4) == -4
    finally:
        await worker.close()


async def test_only_time_that_the_processor_worked_counts_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = Worker(0.05, stays=False)
    # it waits, as on a machine that is busy with twenty-five others
    await worker.run(time.sleep, 1.25)
    monkeypatch.setattr(counting, "BUSY_SECONDS", 0.5)
    with pytest.raises(TooManyStates):
        await worker.run(time.sleep, 60.0)
    with pytest.raises(TooManyStates):
        await worker.run(sum, range(10**12))
    await worker.close()


@pytest.fixture
def packs(root: Path) -> tuple[Content, ...]:
    """All packs of the repository."""
    return tuple(read_content(file.parent) for file in sorted(root.glob("packs/*/pack.yaml")))


async def test_a_host_with_many_packs_gives_each_sum_as_much_time(
    packs: tuple[Content, ...],
) -> None:
    """The worker reads the packs that it is given first: that is no part of the sum, or with many
    packs none could be added.
    """
    systems = combine_with_packs(list_builtin_systems(), map(PackSystem, packs))
    worker = Worker(0.05)
    assert await worker.run(len, systems) == len(systems)
    await worker.close()


async def test_what_is_counted_on_the_spot_is_bounded_by_work_and_not_by_the_clock() -> None:
    late = make_timer(0.02)
    await asyncio.sleep(0.1)
    assert not late(), "it waited, and did nothing"
    while not late():
        pass
