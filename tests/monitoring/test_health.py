"""How a running bot is: red when commits fail, the disk fills up, answers pile up or a platform
is gone.
"""

from __future__ import annotations

import shutil
import socket
from collections import namedtuple
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.delivery_loop import create_call_counter
from adapters.discord.serve import Grognard
from adapters.slack.calls import SlackApi
from bot.app import App
from bot.execution.promises import NOTE
from bot.monitoring import health as looking
from bot.monitoring.command_log import Watch
from bot.monitoring.health import Health, Supervisor
from bot.monitoring.metrics import Metrics
from bot.runtime.settings import Settings
from bot.storage.base import StoreError
from bot.storage.records import Commit, Outgoing
from bot.storage.sqlite import SqliteStore
from tests.playing import Channel

Usage = namedtuple("Usage", "total used free")  # as shutil gives it
FULL = StoreError("The database cannot grow, because the disk is full.")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Host:
    """A bot that is looked at."""

    def __init__(self, store: SqliteStore, folder: Path, clock: Clock) -> None:
        self.metrics, self.clock = Metrics("1.2.3"), clock
        self.watch = Watch(self.metrics)
        self.app = App(self.watch.watch_store(store), self.clock)
        self.app.attach_watch(self.watch)
        self.metrics.follow(self.app.executor, store)
        self.app.links["discord"] = str
        self.health = Health(self.app.store, self.watch, self.app.links, folder, self.clock)

    async def look(self) -> tuple[str, ...]:
        self.metrics.show_health(await self.health.look())
        return self.health.sight.troubles

    def figure(self, name: str) -> float:
        """A line of /metrics by what it begins with."""
        (value,) = [
            line.rpartition(" ")[2]
            for line in self.metrics.render().decode().splitlines()
            if line.startswith(f"{name} ")
        ]
        return float(value)


@pytest.fixture
async def host(tmp_path: Path) -> Host:
    clock = Clock()
    return Host(await SqliteStore.open(tmp_path / "games.db", clock=clock), tmp_path, clock)


@pytest.fixture(autouse=True)
async def _closed(host: Host) -> object:
    yield
    await host.app.close()


async def test_all_is_well_and_counted(host: Host) -> None:
    channel = Channel(host.app)
    await channel.do("Anna", "roll 2d6")
    await channel.do("Anna", "lnlt-table melee-odds attack=7 defense=5")
    refused = await channel.say("Anna", "roll 2d6 hand=7,7")
    assert refused.error
    assert await host.look() == ()
    assert host.health.sight.unready == ""
    assert (
        host.figure(
            'grognard_commands_total{kind="roll",outcome="done",platform="console",system="-"}'
        )
        == 1
    )
    assert (
        host.figure(
            'grognard_commands_total{kind="roll",outcome="refused",platform="console",system="-"}'
        )
        == 1
    )
    assert (
        host.figure(
            'grognard_commands_total{kind="lookup",outcome="done",platform="console",system="lnlt"}'
        )
        == 1
    )
    assert host.figure('grognard_answer_seconds_count{platform="console"}') == 3
    assert host.figure('grognard_commit_seconds_count{outcome="done"}') == 1
    assert host.figure("grognard_healthy") == 1
    assert host.figure('grognard_connected{platform="discord"}') == 1
    assert host.figure("grognard_disk_free_bytes") > 0
    assert host.figure("grognard_at_work") == 0


async def test_red_while_commits_fail_and_well_again_with_the_next_that_does_not(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise FULL

    channel = Channel(host.app)
    monkeypatch.setattr(SqliteStore, "commit", fails)
    monkeypatch.setattr(SqliteStore, "put_doc", fails)
    await channel.say("Anna", "roll 2d6")
    assert await host.look() == (
        "commits fail: The database cannot grow, because the disk is full.",
    )
    assert host.health.sight.unready.startswith("commits fail")
    assert host.figure("grognard_healthy") == 0
    assert host.figure('grognard_commit_seconds_count{outcome="failed"}') == 1
    monkeypatch.undo()
    assert await host.look() == (), "the probe is written"


async def test_where_nobody_plays_a_commit_is_tried(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await host.look() == ()
    assert await host.app.store.load_doc("health", "probe") is None, (
        "nothing is written without need"
    )
    monkeypatch.setattr(looking, "PROBE_AFTER", -1.0)
    assert await host.look() == ()
    assert await host.app.store.load_doc("health", "probe") is not None


async def test_red_when_the_disk_is_nearly_full(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**30, 2**30, 12 * 2**20))
    assert await host.look() == ("the disk is nearly full: 12 MiB left",)
    assert host.health.sight.unready == "", "commands are still served"


async def test_red_when_answers_pile_up(host: Host) -> None:
    answers = tuple(Outgoing("discord:1:2", {"to": n}, 0.0) for n in range(60))
    await host.app.store.commit(
        Commit("discord:1", {"title": "hello"}, "discord:7", outbox=[*answers])
    )
    assert host.figure('grognard_commit_seconds_count{outcome="done"}') == 1
    host.clock.now += 1e10
    assert await host.look() == (), "one channel may have a long queue"
    assert host.health.describe() == "well; 60 answers for 1 place have waited for more than 120 s"
    assert host.figure('grognard_outbox_late{platform="discord"}') == 60
    assert host.figure('grognard_outbox_late_places{platform="discord"}') == 1
    for _ in range(3):
        host.clock.now += 60.0
        await host.app.store.mark_outbox_done(
            min(row.id for row in await host.app.store.claim_outbox(0.0))
        )
        assert await host.look() == (), "it drains at its platform's own pace"
    host.clock.now += 121.0
    assert await host.look() == (
        "57 answers have waited for more than 120 s, and none is being delivered",
    )
    host.app.links["slack"] = host.app.links.pop("discord")
    assert await host.look() == (), "those of a platform that another process serves are that one's"


@pytest.mark.parametrize(
    ("off", "said"),
    [
        (6.0, ("this machine's clock is 6 s ahead of the database's: correct it",)),
        (-40.0, ("this machine's clock is 40 s behind the database's: correct it",)),
        (4.0, ()),
        (-4.0, ()),
    ],
)
async def test_red_when_this_machines_clock_differs_from_the_databases(
    host: Host, monkeypatch: pytest.MonkeyPatch, off: float, said: tuple[str, ...]
) -> None:
    async def there() -> float:
        return host.clock.now - off

    monkeypatch.setattr(host.app.store, "load_time", there)
    assert await host.look() == said


async def test_red_when_a_platform_has_been_gone_for_a_minute(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.app.links["discord"] = lambda: "no connection for shard 0"
    assert await host.look() == (), "it mostly comes back by itself"
    assert host.health.sight.unready == "discord: no connection for shard 0"
    monkeypatch.setattr(looking, "MAX_AWAY_SECONDS", 0.0)
    assert await host.look() == ("discord: no connection for shard 0",)
    assert host.figure('grognard_connected{platform="discord"}') == 0


async def test_a_supervisor_is_told_and_a_missing_one_is_no_trouble(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    Supervisor({"NOTIFY_SOCKET": path}).notify("READY=1")
    Supervisor({}).notify("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(path)
        Supervisor({"NOTIFY_SOCKET": path}).notify("WATCHDOG=1", "STATUS=well")
        assert heard.recv(100) == b"WATCHDOG=1\nSTATUS=well"


async def test_red_when_answers_for_many_places_are_late(host: Host) -> None:
    """Whatever leaves of them: it is no channel's own queue any more."""
    answers = tuple(Outgoing(f"discord:1:{n}", {"to": n}, 0.0) for n in range(55))
    await host.app.store.commit(
        Commit("discord:1", {"title": "hello"}, "discord:7", outbox=[*answers])
    )
    host.clock.now += 121.0
    assert await host.look() == ("answers for 55 places have waited for more than 120 s",)
    assert host.health.sight.unready == "", "this process still takes commands"
    assert host.figure('grognard_outbox_late_places{platform="discord"}') == 55


async def test_dice_that_nobody_recorded_are_counted_and_logged_so(
    host: Host, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A dashboard shows no healthy rate while nothing is saved."""

    async def fails(*_: object) -> None:
        raise FULL

    caplog.set_level("INFO")
    monkeypatch.setattr(SqliteStore, "commit", fails)
    reply = await Channel(host.app).say("Anna", "roll 2d6")
    assert NOTE in reply.lines
    assert (
        host.figure(
            'grognard_commands_total{kind="roll",outcome="unrecorded",platform="console",system="-"}'
        )
        == 1
    )
    assert "roll: unrecorded, " in caplog.text
    assert "roll: done" not in caplog.text


async def test_what_platforms_do_to_the_bot_is_counted(host: Host) -> None:
    await host.look()
    for what, name in (
        ("reconnect", "reconnects"),
        ("limited", "rate_limited"),
        ("refused", "platform_errors"),
    ):
        assert host.figure(f'grognard_{name}_total{{platform="discord"}}') == 0, (
            "there from the start"
        )
        host.app.counts.count(what, "discord")
        assert host.figure(f'grognard_{name}_total{{platform="discord"}}') == 1


async def test_the_odds_workers_failures_are_a_counter(host: Host) -> None:
    assert host.figure("grognard_worker_given_up_total") == 0
    host.app.executor.worker.given_up += 2
    assert host.figure("grognard_worker_given_up_total") == 2
    assert host.figure("grognard_worker_given_up_total") == 2
    assert host.figure('grognard_build_info{version="1.2.3"}') == 1


async def test_every_call_that_a_platform_refuses_for_now_is_counted(host: Host) -> None:
    """Whichever library makes it: Discord's and Slack's sessions are watched alike."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=int(request.path[1:]))

    site = web.Application()
    site.router.add_get("/{status}", answer)
    async with (
        TestServer(site) as server,
        SlackApi(create_call_counter(host.app, "slack")).session as session,
    ):
        for status in (200, 429, 404, 429, 503):
            async with session.get(server.make_url(f"/{status}")) as found:
                assert found.status == status
    assert host.figure('grognard_rate_limited_total{platform="slack"}') == 2
    assert host.figure('grognard_platform_errors_total{platform="slack"}') == 1


async def test_a_shard_that_identifies_again_or_goes_on_is_a_connection_made_anew(
    host: Host,
) -> None:
    client = Grognard(host.app, Settings(discord_token="t"))
    await client.on_shard_connect(0)
    await client.on_shard_connect(1)
    await host.look()
    assert host.figure('grognard_reconnects_total{platform="discord"}') == 0
    await client.on_shard_connect(0)
    await client.on_resumed()
    assert host.figure('grognard_reconnects_total{platform="discord"}') == 2
    assert client.http.http_trace is not None, "what its library calls is counted, too"
