"""Shards of several processes identify one after another, as Discord asks, whichever process
they are in.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from adapters.discord.serve import PAUSE, IdentifyTurns
from bot.preferences.adapter_notes import Notes
from bot.storage.base import StoreError
from bot.storage.sqlite import SqliteStore
from tests.adapters.discord.process import Bot
from tests.standins.discord import DiscordStandIn


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now, self.identified = 1_000.0, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        end = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, end)

    def turns(self, store: SqliteStore, at_once: int = 1) -> IdentifyTurns:
        """Of a process of its own."""

        async def allowed() -> int:
            return at_once

        return IdentifyTurns(Notes(store, "discord"), allowed, self.sleep)

    async def identify(self, turns: IdentifyTurns, shard: int) -> None:
        await turns.wait_for_turn(1, shard)
        self.identified.append(self.now)


async def test_of_processes_that_start_together_one_identifies_in_each_pause(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with (
        await SqliteStore.open(tmp_path / "games.db", clock=clock) as one,
        await SqliteStore.open(tmp_path / "games.db", clock=clock) as other,
    ):
        turns = [clock.turns(one), clock.turns(other)]
        await asyncio.gather(*(clock.identify(turns[shard % 2], shard) for shard in range(6)))
    gaps = [
        later - earlier
        for earlier, later in zip(clock.identified, clock.identified[1:], strict=False)
    ]
    assert len(gaps) == 5
    assert min(gaps) >= PAUSE


async def test_groups_that_discord_counts_apart_do_not_wait_for_each_other(tmp_path: Path) -> None:
    clock = Clock()
    async with await SqliteStore.open(tmp_path / "games.db", clock=clock) as store:
        await asyncio.gather(*(clock.identify(clock.turns(store, 4), shard) for shard in range(4)))
    assert clock.identified == [1_000.0] * 4


async def test_a_clock_set_back_costs_one_pause(tmp_path: Path) -> None:
    clock = Clock()
    async with await SqliteStore.open(tmp_path / "games.db", clock=clock) as store:
        await clock.identify(clock.turns(store), 0)
        clock.now -= 86_400
        await clock.identify(clock.turns(store), 1)
        assert clock.identified[1] == 1_000 - 86_400 + PAUSE


async def test_without_the_store_a_shard_waits_its_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise StoreError("The disk is full.")

    clock = Clock()
    async with await SqliteStore.open(tmp_path / "games.db", clock=clock) as store:
        monkeypatch.setattr(store, "load_doc", broken)
        await clock.identify(clock.turns(store), 0)
    assert clock.identified == [1_000 + PAUSE]


@pytest.mark.slow
@pytest.mark.real_pace
async def test_two_processes_that_start_at_once(tmp_path: Path) -> None:
    """Each has one of two shards; both register nothing twice, and answer what their own servers
    play.
    """
    async with DiscordStandIn.running() as discord, AsyncExitStack() as stack:
        discord.add_guild("Second")
        for shard in range(2):
            more = {
                "SHARD_IDS": str(shard),
                "SHARD_COUNT": "2",
                "DATABASE_URL": f"sqlite:///{tmp_path}/games.db",
            }
            bot = Bot(discord, tmp_path / str(shard), **more)
            await bot.start(ready=False)
            stack.push_async_callback(bot.stop)
        await discord.until(
            lambda: len(discord.gateway.identifies) == 2 and bool(discord.commands.all())
        )
        first, second = discord.gateway.identified
        assert second - first >= 5
        sent = [
            call
            for call in discord.site.calls
            if call.method == "PUT" and call.path.endswith("/commands")
        ]
        assert len(sent) == 1
