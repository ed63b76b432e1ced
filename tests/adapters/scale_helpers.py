"""Helpers of tests/adapters/test_scale.py, which benchmarks use as well."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from adapters.discord.http import PATH
from benchmarks.crowd import signs
from tests.adapters.discord.process import Bot as DiscordBot
from tests.adapters.processors import Used, used, waited
from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import Bot as SlackBot
from tests.ports import free_port
from tests.standins.discord import DiscordStandIn, Interaction
from tests.standins.postgres import PostgresServer
from tests.standins.proxy import Proxy, proxy_before
from tests.standins.slack import Handle, SlackStandIn

CHANNELS, GAMES_ON_SLACK = 50, 30


@dataclass
class Night:
    """Both platforms, the processes, and what was asked."""

    discord: DiscordStandIn
    slack: SlackStandIn
    before_discord: Proxy
    before_slack: Proxy
    bots: Sequence[DiscordBot | SlackBot]
    database: str
    postgres: PostgresServer

    def used(self) -> Used:
        """What everybody has used of the processors, but for the one that is killed."""
        return used([worker.process.pid for worker in self.bots[1:]], self.postgres.pid)

    async def warm_up(self) -> None:
        """Each process has played before: its connections are there, and what it reads once is
        read.
        """
        home, anna = self.slack.workspaces["T1"], self.discord.user("Anna")
        hall = self.discord.channel("hall")
        asked = [anna.send(hall, "roll", dice="2d6") for _ in range(32)]
        on_slack = [
            home.user("Anna").slash(home.channel("hall"), "/roll", "2d6") for _ in range(16)
        ]
        for one in asked:
            await one.answer(60)
        for handle in await asyncio.gather(*on_slack):
            await handle.answer(60)

    async def ask(
        self, count: int, *, one_dies: bool
    ) -> tuple[list[Interaction], list[Handle], str]:
        """So many commands at once, 7 of 10 on Discord; meanwhile a Discord worker dies. Its
        address is the last.
        """
        on_discord = count * 7 // 10
        tables = [self.discord.channel(f"table-{number}") for number in range(CHANNELS)]
        people = [self.discord.user(f"Player {number}") for number in range(100)]
        home = self.slack.workspaces["T1"]
        channels = [home.channel(f"game-{number}") for number in range(GAMES_ON_SLACK)]
        players = [home.user(f"Player{number}") for number in range(50)]
        sent = [
            people[number % 100].send(
                tables[number % CHANNELS], "roll", dice="2d6", label=f"d{number:03}"
            )
            for number in range(on_discord)
        ]
        on_slack = asyncio.gather(
            *(
                players[number % 50].slash(
                    channels[number % GAMES_ON_SLACK], "/roll", f"2d6 label=s{number:03}"
                )
                for number in range(count - on_discord)
            )
        )
        if not one_dies:
            return sent, await on_slack, ""
        await self.discord.until(lambda: sum(one.receipt is not None for one in sent) > 20, 60)
        victim = self.bots[0]
        victim.process.kill()
        await victim.process.wait()
        return sent, await on_slack, f"http://127.0.0.1:{victim.environment['DISCORD_PORT']}{PATH}"


async def begin(stack: AsyncExitStack, postgres: PostgresServer, data: Path) -> Night:
    """Start everything."""
    database = postgres.new_database()
    discord = await stack.enter_async_context(
        DiscordStandIn.running(messages_per_channel=(0, 0.0), receipt_limit=40)
    )
    slack = await stand_in("http")
    stack.push_async_callback(slack.stop)
    slack.limits.ack_seconds = 40  # later than in time is measured too
    slack.limits.message_interval = 0
    home, _, _, _ = settle(slack)
    common = {"DATABASE_URL": database, "COMMANDS_PER_MINUTE": "unlimited"}
    workers: list[DiscordBot | SlackBot] = []
    for number in range(4):
        keys = {
            "DISCORD_PUBLIC_KEY": discord.world.signing.public_key,
            "DISCORD_PORT": str(free_port()),
        }
        one = DiscordBot(discord, data / f"discord-{number}", **common, **keys)
        await one.start(ready=False)
        workers.append(one)
    for number in range(2):
        other = SlackBot(slack, data / f"slack-{number}", home, **common)
        workers.append(other)
        await other.start()
    stack.push_async_callback(end, workers)
    await discord.until(lambda: bool(discord.commands.all()), 60)
    for worker in workers:
        await told(
            lambda worker=worker: "listening on" in worker.log,  # type: ignore[misc]
            lambda worker=worker: worker.log,  # type: ignore[misc]
        )
    ports = [worker.environment["DISCORD_PORT"] for worker in workers[:4]]
    to_discord = await stack.enter_async_context(
        proxy_before(*(f"http://127.0.0.1:{port}{PATH}" for port in ports))
    )
    urls = [
        f"http://127.0.0.1:{worker.port}/slack/events"
        for worker in workers
        if isinstance(worker, SlackBot)
    ]
    to_slack = await stack.enter_async_context(proxy_before(*urls))
    assert await discord.site.webhooks.use(to_discord.url)
    slack.request_url = to_slack.url
    return Night(discord, slack, to_discord, to_slack, workers, database, postgres)


async def end(workers: Sequence[DiscordBot | SlackBot]) -> None:
    """End them all, the killed one apart."""
    await asyncio.gather(*(worker.stop() for worker in workers))


@dataclass
class Played:
    """What was asked and what it cost: seconds of processor, and until each first sign on either
    platform, sorted; `lags` are of that with the bots, where the platform tells."""

    sent: list[Interaction]
    handles: list[Handle]
    dead: str
    spent: Used
    signs: list[float]
    lags: list[float]
    busy: float


async def play(night: Night, count: int, *, one_dies: bool = True) -> Played:
    """So many at once, and one process dies; until all have had a first sign whose process
    lives.
    """
    await night.warm_up()
    pids = [worker.process.pid for worker in night.bots]
    busy, before = denied(pids) + time.process_time(), night.used()
    sent, handles, dead = await night.ask(count, one_dies=one_dies)
    await signs(night.discord, [one for one in sent if at_worker(night, one) != dead])
    spent = night.used().since(before)
    receipts = sorted(one.receipt for one in sent if one.receipt is not None)
    acks = sorted(handle.ack_time or 99.0 for handle in handles)
    print(
        f"Discord: {len(receipts)} receipts, the latest {receipts[-1]:.2f} s; Slack: {acks[-1]:.2f} s"
    )
    lags = sorted(lag for one in sent if (lag := with_bot(night, one)) is not None)
    print(
        f"of it with the bot: the longest {lags[-1]:.2f} s, half {lags[len(lags) // 2]:.2f} s; until then {spent}"
    )
    busy = denied(pids) + time.process_time() - busy
    return Played(sent, handles, dead, spent, sorted([*receipts, *acks]), lags, busy)


async def told(
    is_so: Callable[[], bool], so_far: Callable[[], object] = str, timeout: float = 120.0
) -> None:
    """Wait for something that no stand-in hears of."""
    until = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < until, so_far()
        await asyncio.sleep(0.1)


def with_bot(night: Night, one: Interaction) -> float | None:
    """Seconds from handing an interaction to a worker until its receipt was there: without the
    platform's own share.
    """
    mark = f'"id": "{one.id}"'.encode()
    passed = next(
        (at for body, at in night.before_discord.passed.items() if mark in body[:40]), None
    )
    return (
        one.sent + one.receipt - passed if one.receipt is not None and passed is not None else None
    )


def at_worker(night: Night, one: Interaction) -> str:
    """The worker that took an interaction."""
    mark = f'"id": "{one.id}"'.encode()
    return next(
        (worker for body, worker in night.before_discord.taken.items() if mark in body[:40]), ""
    )


def denied(pids: Sequence[int]) -> float:
    """The longest that one of these processes and this one waited for a processor, in seconds."""
    return max(map(waited, pids)) + waited(os.getpid())
