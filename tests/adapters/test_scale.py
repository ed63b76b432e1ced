"""Four Discord and two Slack processes on one PostgreSQL database, 500 commands at once, one process killed."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.discord.http import PATH
from bot.audit.games import audit
from bot.stores.base import Store
from bot.stores.postgres import open_postgres
from tests.adapters.discord.process import Bot as DiscordBot
from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import Bot as SlackBot
from tests.adapters.slack.process import free_port
from tests.standins.discord import DiscordStandIn, Interaction
from tests.standins.postgres import PostgresServer
from tests.standins.proxy import Proxy, proxy_before
from tests.standins.slack import Handle, SlackStandIn

ON_DISCORD, ON_SLACK = 350, 150
CHANNELS, GAMES_ON_SLACK = 50, 30
NOT_RUN = "was not run|busy"
RECEIPT = 3.0
"""Discord's and Slack's seconds, to which comes what this machine was busy with: others, and both platforms."""


@dataclass
class Night:
    """Both platforms, the processes, and what was asked."""

    discord: DiscordStandIn
    slack: SlackStandIn
    before_discord: Proxy
    before_slack: Proxy
    bots: Sequence[DiscordBot | SlackBot]
    database: str

    async def ask(self) -> tuple[list[Interaction], list[Handle], str]:
        """All commands at once; meanwhile a Discord worker dies. Its address is the last."""
        tables = [self.discord.channel(f"table-{number}") for number in range(CHANNELS)]
        people = [self.discord.user(f"Player {number}") for number in range(100)]
        home = self.slack.workspaces["T1"]
        channels = [home.channel(f"game-{number}") for number in range(GAMES_ON_SLACK)]
        players = [home.user(f"Player{number}") for number in range(50)]
        await (await people[0].slash(tables[0], "roll", dice="2d6")).answer()
        sent = [
            people[number % 100].send(tables[number % CHANNELS], "roll", dice="2d6", label=f"d{number:03}")
            for number in range(ON_DISCORD)
        ]
        on_slack = asyncio.gather(
            *(
                players[number % 50].slash(channels[number % GAMES_ON_SLACK], "/roll", f"2d6 label=s{number:03}")
                for number in range(ON_SLACK)
            )
        )
        await self.discord.until(lambda: sum(one.receipt is not None for one in sent) > 20, 20)
        victim = self.bots[0]
        victim.process.kill()
        await victim.process.wait()
        return sent, await on_slack, f"http://127.0.0.1:{victim.environment['DISCORD_PORT']}{PATH}"


async def begin(stack: AsyncExitStack, postgres: PostgresServer, data: Path) -> Night:
    """Start everything."""
    database = postgres.new_database()
    discord = await stack.enter_async_context(DiscordStandIn.running(messages_per_channel=(0, 0.0), receipt_limit=40))
    slack = await stand_in("http")
    stack.push_async_callback(slack.stop)
    slack.limits.ack_seconds = 40  # later than in time is measured too
    slack.limits.message_interval = 0
    home, _, _, _ = settle(slack)
    common = {"DATABASE_URL": database, "COMMANDS_PER_MINUTE": "unlimited"}
    workers: list[DiscordBot | SlackBot] = []
    for number in range(4):
        keys = {"DISCORD_PUBLIC_KEY": discord.world.signing.public_key, "DISCORD_PORT": str(free_port())}
        one = DiscordBot(discord, data / f"discord-{number}", **common, **keys)
        await one.start(ready=False)
        workers.append(one)
    for number in range(2):
        other = SlackBot(slack, data / f"slack-{number}", home, **common)
        workers.append(other)
        await other.start()
    stack.push_async_callback(end, workers)
    await discord.until(lambda: bool(discord.commands.all()), 30)
    for worker in workers:
        await told(lambda worker=worker: "listening on" in worker.log)  # type: ignore[misc]
    ports = [worker.environment["DISCORD_PORT"] for worker in workers[:4]]
    to_discord = await stack.enter_async_context(proxy_before(*(f"http://127.0.0.1:{port}{PATH}" for port in ports)))
    urls = [f"http://127.0.0.1:{worker.port}/slack/events" for worker in workers if isinstance(worker, SlackBot)]
    to_slack = await stack.enter_async_context(proxy_before(*urls))
    assert await discord.site.webhooks.use(to_discord.url)
    slack.request_url = to_slack.url
    return Night(discord, slack, to_discord, to_slack, workers, database)


async def end(workers: Sequence[DiscordBot | SlackBot]) -> None:
    """End them all, the killed one apart."""
    await asyncio.gather(*(worker.stop() for worker in workers))


async def told(is_so: Callable[[], bool], timeout: float = 30.0) -> None:
    """Wait for something that no stand-in hears of."""
    until = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < until
        await asyncio.sleep(0.1)


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_five_hundred_at_once_and_one_process_dies(
    postgres: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with AsyncExitStack() as stack:
        night = await begin(stack, postgres, tmp_path)
        store = await stack.enter_async_context(open_postgres(night.database))
        pids = [worker.process.pid for worker in night.bots]
        since, busy = time.monotonic(), denied(pids) + time.process_time()
        sent, handles, dead = await night.ask()
        await told(lambda: all(one.receipt is not None or at_worker(night, one) == dead for one in sent))
        lost_there = {one.id for one in sent if at_worker(night, one) == dead}
        receipts = sorted(one.receipt for one in sent if one.receipt is not None)
        acks = sorted(handle.ack_time or 99.0 for handle in handles)
        busy = denied(pids) + time.process_time() - busy
        # What the dead process had stored and not shown is due for the others; here their waiting is cut short.
        await asyncio.sleep(2)
        postgres.sql(night.database, "UPDATE outbox SET due = 0; UPDATE receipts SET due = 0")
        await told(
            lambda: (
                postgres.sql(night.database, "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM receipts)")
                == "0\n"
            ),
            60,
        )
        with capsys.disabled():
            at_once = (
                f"{len(receipts)} receipts, the latest {receipts[-1]:.2f} s (half {receipts[len(receipts) // 2]:.2f} s)"
            )
            print(f"\nDiscord: {at_once}; {len(sent) - len(receipts)} died with their process; Slack: {acks[-1]:.2f} s")
            print(f"all in {time.monotonic() - since:.1f} s, of it busy with others and the platforms {busy:.1f} s")
        assert receipts[-1] < RECEIPT + busy
        assert acks[-1] < RECEIPT + busy
        assert len(receipts) >= ON_DISCORD - len(lost_there)
        assert all(handle.in_time for handle in handles)
        await check(night, store, sent)


def at_worker(night: Night, one: Interaction) -> str:
    """The worker that took an interaction."""
    mark = f'"id": "{one.id}"'.encode()
    return next((worker for body, worker in night.before_discord.taken.items() if mark in body[:40]), "")


async def check(night: Night, store: Store, sent: Sequence[Interaction]) -> None:
    """Whatever is in the logs was shown, once, and nothing else; each game's log is whole and proves itself."""
    count, faults = await audit(store)
    assert (count, faults) == (CHANNELS + GAMES_ON_SLACK, [])
    texts = [text for game in await store.games() for text in await store.texts(game)]
    stored = Counter(text.text for text in texts if text.key == "label")
    assert max(stored.values()) == 1
    on_discord = [
        m.text
        for channel in night.discord.guild.channels.values()
        for m in night.discord.messages(channel)
        if not m.deleted
    ]
    on_slack = [
        text for channel in night.slack.workspaces["T1"].channels.values() for text in night.slack.posted(channel)
    ]
    shown = Counter(label for text in (*on_discord, *on_slack) for label in set(re.findall(r"\b[ds]\d{3}\b", text)))
    assert set(shown) == set(stored), "nothing lost, nothing made up"
    assert max(shown.values()) == 1, "nothing doubled"
    for game in await store.games():
        numbers = [event.number for event in await store.events(game)]
        assert numbers == list(range(1, len(numbers) + 1)), "in order, without a gap"
    for one in sent:
        if one.receipt is not None and label_of(one) not in stored:
            latest = one.latest()
            assert latest is not None, "what was shown as under way has an end"
            assert re.search(NOT_RUN, latest.text), latest.text


def label_of(one: Interaction) -> str:
    """The label of the roll that was asked for."""
    return str(next(option["value"] for option in one.data["options"] if option["name"] == "label"))


def denied(pids: Sequence[int]) -> float:
    """The longest that one of these processes and this one waited for a processor, in seconds."""
    return max(map(waited, pids)) + waited(0)


def waited(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid or 'self'}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ProcessLookupError):
        return 0.0
